"""Guarded runs that stop at the first leak or refused release, which they return as an object."""
