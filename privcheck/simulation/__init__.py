"""Engines that run shipped algorithms fast, their seeding, and the results."""
