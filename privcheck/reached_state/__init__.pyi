from ._calls_apart import applied_apart as applied_apart
from ._kept import LOCK as LOCK
from ._kept import Kept as Kept
from ._kept import KnownCode as KnownCode
from ._kept import apart as apart
from ._kept import own_classes as own_classes
from ._separate_draws import Coins as Coins
from ._walk import keep_as as keep_as
