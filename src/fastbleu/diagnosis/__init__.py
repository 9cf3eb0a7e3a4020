"""Why two BLEUs of the same output differ, which BLEU a number is, and what is odd in the input."""
