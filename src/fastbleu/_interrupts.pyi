class Interruptible:
    cancelled: bool
