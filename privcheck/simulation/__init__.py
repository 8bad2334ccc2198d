"""The `simulate` function, replay of logged feedback, and the fast engines of the shipped algorithms."""

from privcheck.simulation.log_replay import ReplayResult, replay
from privcheck.simulation.semi_bandits import VacuousBonusWarning

__all__ = ["ReplayResult", "VacuousBonusWarning", "replay"]
