"""What can be audited or certified, and how it is played."""
