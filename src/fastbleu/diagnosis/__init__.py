"""Why two BLEUs differ, which settings gave a number, and likely mistakes in the input."""
