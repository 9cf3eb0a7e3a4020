"""chrF and chrF++: pairs of texts to counts, and counts to scores."""
