"""Hu, Huang, Mehta and Hegde (arXiv 2102.07929): why printed forms fail."""

from __future__ import annotations

from privcheck.claims._causes import cause

CAUSES = (
    cause(
        "hu-2021/noisy-maximum",
        "The cited result on reporting a noisy maximum is about counts that all move the same way; replacing a reward "
        "vector moves sums in opposite directions, and the loss is up to 2 epsilon.",
        "arg max_j (Phi_j + Lap(1/epsilon))",
        statement="thm8",
        remains=(
            "Algorithm 4 is 2 epsilon-differentially private, and epsilon-differentially private with noise "
            "Lap(2/epsilon); with that noise Theorem 9 keeps its printed constants."
        ),
        rests=(
            "That the bounds of Theorem 9 and its corollaries are attained with epsilon: with 2 epsilon, or twice the "
            "noise, the orders are the same."
        ),
    ),
    cause(
        "hu-2021/lower-tail", "A sign of inequality: the lower tail is meant.", "X >= mu - lambda", misprint="fact17b"
    ),
    cause("hu-2021/epoch-index", "d_j for d_j + 1.", "<= omega^(d_j) + sum_s", misprint="eq24"),
    cause("hu-2021/quarter", "A sign of inequality.", "requires Delta_min > 1/4", misprint="thm12-condition"),
    cause("hu-2021/one-action", "A bracket with one action.", "r_0 = ceil(log(8 ln|J_l|/min{", reading="thm9-tuning"),
    cause(
        "hu-2021/logarithm-of-one",
        "A logarithm in an order stands for one plus it.",
        "log(K) log(Delta_max/max{Delta_min, epsilon, 1/T})/epsilon",
        reading="thm9",
    ),
    cause(
        "hu-2021/at-most",
        "An upper bound is said to be of an order.",
        "our upper bound is of order",
        reading="conclusion",
    ),
)
