"""Fast engines for shipped algorithms, and the `simulate` function."""
