"""Scores of outputs, learned on training runs: which of the two streams does an output speak for?"""
