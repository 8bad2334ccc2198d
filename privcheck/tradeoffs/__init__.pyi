from ._frontier import frontier as frontier
