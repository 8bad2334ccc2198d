"""The noisy steps of a target: calls of functions that draw, recorded on two neighbours, and played alone."""
