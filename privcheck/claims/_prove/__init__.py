"""Proofs: bisection of a box with intervals, and identities and limits by computer algebra."""
