"""Noise that a policy draws from numpy: what a draw has become, and values that hold some."""
