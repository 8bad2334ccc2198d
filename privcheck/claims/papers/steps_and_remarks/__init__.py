"""Small steps of proofs, and sentences and comparisons between the results."""

from privcheck.claims.papers.steps_and_remarks import (
    azize_basu_comparisons,
    azize_basu_coupling,
    azize_basu_linear_bandits,
    chen_remarks,
    hu_steps,
    jourdan_azize_answers,
    shariff_sheffet_linear_algebra,
)

__all__ = [
    "azize_basu_comparisons",
    "azize_basu_coupling",
    "azize_basu_linear_bandits",
    "chen_remarks",
    "hu_steps",
    "jourdan_azize_answers",
    "shariff_sheffet_linear_algebra",
]
