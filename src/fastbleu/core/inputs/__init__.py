"""Checks of the shape and type of all user input, with their error messages."""
