"""The confirmation on fresh runs: folds, evidence and bets."""
