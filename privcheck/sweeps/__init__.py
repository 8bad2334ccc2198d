"""Sweeps: audits or simulations of every combination of targets, settings and seeds, kept in one folder."""

import lazy_loader

__getattr__, __dir__, _ = lazy_loader.attach_stub(__name__, __file__)
