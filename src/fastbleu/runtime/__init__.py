"""What every other room leans on: signals, memory, threads, interpreters, patching, progress."""
