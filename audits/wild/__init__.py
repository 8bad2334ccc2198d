"""Audits of public implementations of differential privacy that were written by others: `python -m audits.wild`."""
