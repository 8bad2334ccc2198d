"""The shipped bandit algorithms: one file each, with the paper's name, a readable reference and a compiled kernel."""

import lazy_loader

__getattr__, __dir__, _ = lazy_loader.attach_stub(__name__, __file__)

__all__ = ["ALGORITHMS", "Algorithm", "BanditPolicy", "FullInformationPolicy"]
