"""The environments: reward models, and the instances of the papers' experiments."""

import lazy_loader

__getattr__, __dir__, _ = lazy_loader.attach_stub(__name__, __file__)

__all__ = [
    "ENVIRONMENTS",
    "Bernoulli",
    "Beta",
    "Combinatorial",
    "ContextualEnvironment",
    "CoverageArms",
    "Environment",
    "FiniteSupport",
    "Gaussian",
    "LinearContexts",
    "LoggedContexts",
    "LoggedFeedback",
    "Replay",
    "RewardTable",
    "SemiBandit",
    "ShortestPathArms",
    "SpanningTreeArms",
    "TopKArms",
    "TruncatedGaussian",
    "TwoPoint",
    "environment",
]
