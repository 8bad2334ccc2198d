"""What the reports about audits and certificates consist of, whatever the medium."""
