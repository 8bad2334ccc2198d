"""A module that a policy imports when it runs, with a dictionary in which it keeps something."""

kept = {}
