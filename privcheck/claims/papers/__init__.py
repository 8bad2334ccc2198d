"""The claims of the papers. Importing this package declares all of them."""

from privcheck.claims.papers import (
    azize_basu_facts,
    azize_basu_lower_bounds,
    azize_basu_sequential_lemma,
    azize_basu_upper_bounds,
    chen_lower_bounds,
    chen_privacy,
    chen_upper_bounds,
    hu_bandit_claims,
    hu_facts,
    hu_full_information_claims,
    shariff_sheffet_facts,
    shariff_sheffet_gaussian,
    shariff_sheffet_lower_bounds,
    shariff_sheffet_regret,
    shariff_sheffet_wishart,
)

__all__ = [
    "azize_basu_facts",
    "azize_basu_lower_bounds",
    "azize_basu_sequential_lemma",
    "azize_basu_upper_bounds",
    "chen_lower_bounds",
    "chen_privacy",
    "chen_upper_bounds",
    "hu_bandit_claims",
    "hu_facts",
    "hu_full_information_claims",
    "shariff_sheffet_facts",
    "shariff_sheffet_gaussian",
    "shariff_sheffet_lower_bounds",
    "shariff_sheffet_regret",
    "shariff_sheffet_wishart",
]
