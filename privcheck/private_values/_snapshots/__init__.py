"""Private values in snapshots of a guard."""
