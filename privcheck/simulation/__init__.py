"""The `simulate` function, and the fast engines of the shipped algorithms."""
