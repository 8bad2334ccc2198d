"""How each kind of result is shown: one module for each."""
