"""Harnesses: what runs a mechanism or a policy many times, by mistake or correctly."""
