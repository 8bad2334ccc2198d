"""Numbers that a choice between numbers of one datum makes, where they come from, and where they may be later."""
