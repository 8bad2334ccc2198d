"""Why printed forms of each paper fail; one module for each paper, with its `CAUSES`."""
