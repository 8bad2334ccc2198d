"""The two other mechanisms for single data: one bit of a vector, and subset selection."""

from hypothesis import strategies as st

from privcheck.mechanisms import OneBit, SubsetSelection

from . import local_oracles as local
from .bad_values import BAD_INTEGERS
from .case import Case

CASES = {
    "one-bit": Case(
        OneBit,
        local.ONE_BIT_VALUE,
        local.ONE_BIT_BAD,
        local.one_bit_worst_loss,
        local.one_bit_change,
        local.one_bit_p_value,
        None,
        {"radius": 2.0},
        st.just(1),
        pair=([-2.0], [2.0], 1),
    ),
    "subset-selection": Case(
        SubsetSelection,
        local.SUBSET_VALUE,
        (*BAD_INTEGERS, 5, -1),
        local.subset_worst_loss,
        local.subset_change,
        local.subset_p_value,
        None,
        {"categories": 5, "size": 2},
        st.just(1),
        pair=([0.0], [2.0], 1),
    ),
}
