"""How the runs of a target are made, one kind of feedback or mechanism in a file."""
