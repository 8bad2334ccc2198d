"""Forty pairs of twins whose leaks nobody tuned the search for: written by someone who had not read it."""

from . import bandits, contexts, full_information, late_and_stopped, numbers, records

TWINS = [
    pair
    for module in (bandits, full_information, contexts, late_and_stopped, numbers, records)
    for pair in module.PAIRS
]
