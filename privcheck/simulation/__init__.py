"""The `simulate` function, replay of logged feedback, and the fast engines of the shipped algorithms."""

import lazy_loader

__getattr__, __dir__, _ = lazy_loader.attach_stub(__name__, __file__)

__all__ = ["ReplayResult", "VacuousBonusWarning", "replay"]
