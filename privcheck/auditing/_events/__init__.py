"""The selection of events, and the allocation of the level among them."""
