"""Exact losses of a pair of laws, each as an enclosure with its error bound; mechanisms say which laws are theirs."""
