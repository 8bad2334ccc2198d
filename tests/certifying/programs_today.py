"""What test_programs.py is told of the programs in programs_*.py: options, and those that are refused today."""

CONTEXTUAL = {"feedback": "contextual", "neighbours": "context-reward"}

OPTIONS = {
    "LocalNoise": {"horizon": 4},
    "LocalClipped": {"horizon": 4},
    "WarnerByWhere": {"horizon": 4},
    "WarnerByBranches": {"horizon": 4},
    "ImportanceWeights": {"horizon": 4},
    "ChecksItsInput": {"horizon": 4},
    "SecondMoment": {"horizon": 5},
    "ThresholdCounts": {"horizon": 5},
    "HandMadeTree": {"horizon": 9},
    "CountsItsBudget": {"horizon": 9},
    "EpsilonGreedy": {"runs": 4},  # it explores by a coin
    "FollowTheNoisyLeader": {"feedback": "full", "neighbours": "reward"},
    "Hedge": {"feedback": "full", "neighbours": "reward", "horizon": 4},
    "HedgeInPlace": {"feedback": "full", "neighbours": "reward"},
    "BatchLearner": {"feedback": "batch"},
    "BatchesPerArm": {"feedback": "batch"},
    "ClustersOfContexts": CONTEXTUAL | {"horizon": 5},
    "PerArmContextualSums": CONTEXTUAL,
    "LinearTarget": CONTEXTUAL | {"horizon": 5},
    "TwoVisits": {"neighbours": "group:2"},
    "IncrementalAgent": {"runs": 8},  # it explores by a coin
}
"""Beside two arms, eight rounds and one run, in which every line runs."""

NEVER_READ = {"HistogramByDigitize"}
"""What it publishes nobody reads, so that nothing is released and nothing charged."""

REFUSED_TODAY = {
    "BernoulliOfAReward": ("float()", "self.votes[action] += 2 * self.rng.binomial(1, chance) - 1"),
    "HistogramOfAList": ("int()", "counts, edges = np.histogram(self.rewards, bins=4, range=(0.0, 1.0))"),
    "LevelFromATable": ("int()", "return self.table[int(4 * reward)]"),
    "Welford": ("a product of two data", "self.m2 += delta * (reward - self.mean)"),
}
"""The reason, in words of the refusal, and the line that it names."""

OVERCHARGED_TODAY = {"TrimmedMean": 2.0}
"""Refused at their budgets, too, because they are charged this: each of the order statistics as if it moved alone."""

UNREACHED_TODAY = {"LocalExp3": "trusts[~np.isfinite(trusts)] = 0", "BookSoftmax": "return len(probs) - 1"}
"""Charged exactly, but inconclusive: this line, which deals with public numbers, runs in no run of theirs."""
