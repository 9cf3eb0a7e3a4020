"""What files of segments hold: their compression, formats and captions."""
