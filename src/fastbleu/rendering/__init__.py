"""Small tables as text, as Markdown and as HTML."""
