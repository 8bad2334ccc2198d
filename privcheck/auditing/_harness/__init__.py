"""Checks that the runs of a target are what an audit takes them for: independent, and repeatable from their seeds."""
