"""Targets that run outside this process: a command, an HTTP service, or code in another Python interpreter."""
