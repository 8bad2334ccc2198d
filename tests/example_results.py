"""Examples of results, and what reads the table of a simulation, for tests of any room."""

from privcheck.results._example_results import CERTIFIED, FIXED_BANDIT, GAUSSIAN, GRANTED, VIOLATION, WATCHED
from privcheck.results._simulation_files import read_csv

__all__ = ["CERTIFIED", "FIXED_BANDIT", "GAUSSIAN", "GRANTED", "VIOLATION", "WATCHED", "read_csv"]
