"""What test_programs.py is told of the programs in programs_*.py: options, and those that are refused today."""

CONTEXTUAL = {"feedback": "contextual", "neighbours": "context-reward"}

OPTIONS = {
    "LocalNoise": {"horizon": 4},
    "LocalClipped": {"horizon": 4},
    "WarnerByWhere": {"horizon": 4},
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
}
"""Beside two arms, eight rounds and one run, in which every line runs."""

REFUSED_TODAY = {
    "AlphaBeta": (">=", "if reward >= 0.5:"),
    "BernoulliOfAReward": ("float()", "self.votes[action] += 2 * self.rng.binomial(1, chance) - 1"),
    "BestOfBlock": (">", "self.arm = int(max(self.block) + self.rng.laplace(0, 1 / self.epsilon) < 0.5)"),
    "BlockMeans": ("float()", "self.sums[action] += reward"),
    "ClampedInside": (">", "self.pair.append(min(0.9, max(0.1, reward)))"),
    "ClampedOutside": ("<", "r = max(0.0, min(1.0, reward))"),
    "ConvertedRewards": ("float()", "self.total += float(reward)"),
    "CountedSuccesses": (">", "if reward > self.threshold:"),
    "ExactSum": ("float()", "self.arm = int(math.fsum(self.batch) + self.rng.laplace(0, 1 / self.epsilon) < 2)"),
    "FloatOfAComparison": (">=", "return float(reward >= 0.25)"),
    "ForgettingSums": ("float()", "self.discounted[action] += reward"),
    "HedgeInPlace": ("writing into a float array", "self.gains += rewards"),
    "Hinge": (">", "return max(0.0, reward - 0.5)"),
    "HistogramByDigitize": ("numpy.digitize", "self.counts[np.digitize(reward, [0.25, 0.5, 0.75])] += 1"),
    "HistogramOfAList": ("int()", "counts, edges = np.histogram(self.rewards, bins=4, range=(0.0, 1.0))"),
    "IncrementalMeanInAnArray": ("float()", "self.values[chosen_arm] = ((n - 1) / n) * value + (1 / n) * reward"),
    "IntegerOfAComparison": (">", "return int(reward > 0.5)"),
    "LevelFromATable": ("int()", "return self.table[int(4 * reward)]"),
    "MeanAndVariance": (
        "numpy.var",
        "self.variance = np.var(self.seen) + self.rng.laplace(0, 2 * (self.n - 1) / self.n**2 / self.epsilon)",
    ),
    "MedianOfBlock": ("<", "self.arm = int(np.median(self.block) + self.rng.laplace(0, 1 / self.epsilon) < 0.5)"),
    "PerArmContextualSums": ("index", "self.sums[action] += reward"),
    "Quantised": ("math.floor()", "return math.floor(reward * 4) / 4"),
    "RoundedReward": ("round()", "return round(reward)"),
    "SquareRoot": ("float()", "return math.sqrt(reward)"),
    "StandardDeviation": (
        "numpy.std",
        "noisy = np.std(self.block) + self.rng.laplace(0, math.sqrt(2) / 3 / self.epsilon)",
    ),
    "StatisticsMean": (
        ".as_integer_ratio()",
        "self.arm = int(statistics.mean(self.batch) + self.rng.laplace(0, 1 / (4 * self.epsilon)) < 0.5)",
    ),
    "SumsByHour": ("float()", "self.table[self.hour, action] += reward"),
    "Ternary": (">", "return 1 if reward > 0.5 else 0"),
    "ThreeLevels": (">", "return 2 if reward > 0.8 else 1 if reward > 0.4 else 0"),
    "TrimmedMean": ("<", "middle = sorted(self.block)[1:-1]"),
    "WarnerByBranches": (">", "bit = 1 if reward > 0.5 else 0"),
    "Welford": ("product of private values: got factors that depend on rounds 1-2", ""),
    "Winsorised": ("<", "return sorted((0.1, reward, 0.9))[1]"),
}
"""The reason, in words of the refusal, and the line that it names; without a line, `certify` itself refuses."""
