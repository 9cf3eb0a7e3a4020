"""Characters of a text that act on a terminal or a page, and how they are shown instead."""

# Control characters, ends of lines, and marks that reverse the direction of text.
_CODES = [*range(32), *range(127, 160), *range(0x2028, 0x202F), *range(0x2066, 0x206A)]
CONTROLS = {code: ascii(chr(code))[1:-1] for code in _CODES}
# The same in JSON, which escapes only the first 32.
JSON_CONTROLS = {code: f"\\u{code:04x}" for code in _CODES[32:]}
