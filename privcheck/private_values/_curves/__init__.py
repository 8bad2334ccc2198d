"""Features that are computed from the same numbers of a datum, and how far they can move together."""
