"""The kinds of feedback: one class per kind says how a policy is played, what its runs show, and how it is guarded."""

import lazy_loader

__getattr__, __dir__, _ = lazy_loader.attach_stub(__name__, __file__)

__all__ = [
    "FEEDBACKS",
    "Feedback",
    "Reading",
    "kind",
    "public_attribute",
]
