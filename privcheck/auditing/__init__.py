"""The auditor: search for streams and events that tell neighbouring inputs apart, counted honestly."""
