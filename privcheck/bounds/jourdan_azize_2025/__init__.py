"""Jourdan & Azize 2025, best-arm identification under differential privacy: characteristic times and lower bounds.

Only the paper's abstract, reviews and rebuttals were available; statements that rest on our own proofs say so.

>>> from privcheck.bounds import characteristic_time
>>> round(characteristic_time("bernoulli", [0.75, 0.5], None).value, 6)
29.550704
"""
