"""The sparse vector technique."""

from privcheck.mechanisms import AboveThreshold

from . import above_threshold_oracles as sparse
from .case import Case

CASES = {
    "above-threshold": Case(
        AboveThreshold,
        sparse.VALUE,
        sparse.BAD,
        sparse.worst_loss,
        sparse.change,
        sparse.p_value,
        None,
        {"answers": 2},
        pair=([0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0], [0.0, 2.0, 2.0, 2.0, 2.0, 0.0, 0.0], 1.0),
    ),
}
