"""Text to tokens: sacreBLEU's tokenizers, and the registry of others."""
