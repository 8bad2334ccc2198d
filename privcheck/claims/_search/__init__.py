"""The search for a counterexample: edges of the domain and random points, then climbing, then rounder numbers."""
