"""What privacy means here: neighbouring reward tables, and the sensitivity of statistics to one datum."""

import lazy_loader

__getattr__, __dir__, _ = lazy_loader.attach_stub(__name__, __file__)

__all__ = [
    "ADD_REMOVE",
    "RELATIONS",
    "Contexts",
    "Relation",
    "as_table",
    "block_mean_sensitivity",
    "block_sum_sensitivity",
    "check_contexts",
    "check_rewards",
    "check_rewards_range",
    "refuse_adding",
    "relation",
    "removed_row",
    "score_range",
]
