"""Tests, confidence limits and e-values from counts of events on two neighbouring inputs."""
