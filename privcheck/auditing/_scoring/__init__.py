"""Scores of outputs, learned on training runs: their thresholds approximate the likelihood-ratio test."""
