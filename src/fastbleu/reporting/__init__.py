"""The report: one HTML file, or Markdown, that shows where systems are good or bad."""
