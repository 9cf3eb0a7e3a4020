"""Services for all other rooms: signals, memory, threads, interpreters, patching, progress bars."""
