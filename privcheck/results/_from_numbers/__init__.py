"""Bounds from numbers that somebody already has: samples, laws, canaries of one run."""
