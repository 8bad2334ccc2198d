"""Compiled code that kernels share: rewards, recording, a cache that notices changes, seeds."""
