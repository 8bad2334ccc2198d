"""One night of an audit that goes on: a pair of streams, events, and pairs of runs that are bet on."""
