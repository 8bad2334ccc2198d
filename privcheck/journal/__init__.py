"""Journals of guards: what a guard has answered, with what it charged, and the head that says how far they go."""

import lazy_loader

__getattr__, __dir__, _ = lazy_loader.attach_stub(__name__, __file__)
