"""Guarded policies that are played from a journal: draws, answers and persons as they are recorded, and checks."""
