"""Private values: numbers whose sensitivity is computed, and which cannot be read before they are released."""
