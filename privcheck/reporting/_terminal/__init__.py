"""Tables of the terminal."""
