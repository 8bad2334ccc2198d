"""Scores of outputs, learned on training runs: for which of the two streams an output is evidence."""
