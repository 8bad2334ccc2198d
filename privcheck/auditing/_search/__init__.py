"""The search for the pair of neighbouring streams."""
