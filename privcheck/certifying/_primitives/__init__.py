"""Noise primitives of third-party code: declared by name, recorded on one stream, forced on a neighbour."""
