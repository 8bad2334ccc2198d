"""The claims of the papers. Importing this package declares all of them."""

from privcheck.claims.papers import (
    azize_basu_every_mechanism,
    azize_basu_facts,
    azize_basu_lower_bounds,
    azize_basu_sequential_lemma,
    azize_basu_upper_bounds,
    hu_bandit_claims,
    hu_facts,
    hu_full_information_claims,
    jourdan_azize_quoted,
)

__all__ = [
    "azize_basu_every_mechanism",
    "azize_basu_facts",
    "azize_basu_lower_bounds",
    "azize_basu_sequential_lemma",
    "azize_basu_upper_bounds",
    "hu_bandit_claims",
    "hu_facts",
    "hu_full_information_claims",
    "jourdan_azize_quoted",
]
