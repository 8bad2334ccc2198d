"""The edits that a search may make: a closed list, each with the reason why it is right."""
