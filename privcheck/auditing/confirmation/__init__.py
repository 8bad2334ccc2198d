"""Fresh runs: folds, evidence, bets."""
