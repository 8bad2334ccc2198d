"""What privacy means here: neighbouring reward tables, and the sensitivity of statistics to one datum."""

from privcheck.privacy.adding_and_removing import ADD_REMOVE, removed_row
from privcheck.privacy.contexts import Contexts, check_contexts
from privcheck.privacy.neighbours import RELATIONS, Relation, refuse_adding, relation
from privcheck.privacy.sensitivity import block_mean_sensitivity, block_sum_sensitivity, score_range
from privcheck.privacy.stream_tables import as_table, check_rewards, check_rewards_range

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
