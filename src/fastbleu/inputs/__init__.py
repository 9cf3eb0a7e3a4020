"""What a user passes in: every check of its shape and type, and every message about it."""
