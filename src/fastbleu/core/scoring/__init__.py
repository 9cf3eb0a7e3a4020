"""Counts to scores: sacreBLEU's and nltk's arithmetic, the base of all dialects, their registry."""
