"""Exact losses of a pair of laws, each as an enclosure with its error bound; mechanisms say which laws are theirs.

>>> from privcheck.accounting._losses.hockey_stick import gaussian_delta
>>> round(gaussian_delta(0.9209140, 1.0).value, 7)
0.1
"""
