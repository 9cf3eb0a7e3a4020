"""Fast code inside installed libraries."""
