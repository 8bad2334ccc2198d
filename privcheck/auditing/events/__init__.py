"""Events: chosen, and given their shares of the level."""
