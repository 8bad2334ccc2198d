"""The lines behind a violation, found by playing the streams of its witness again."""
