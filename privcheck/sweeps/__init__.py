"""Sweeps: audits or simulations of every combination of targets, settings and seeds, kept in one folder."""
