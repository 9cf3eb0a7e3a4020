"""The BLEU of other programs: their text rules, counts and arithmetic."""
