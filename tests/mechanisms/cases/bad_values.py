"""Values that several mechanisms refuse."""

import math

BAD_STREAMS = (1.0, [math.nan], [1.0, math.inf], "1", ["1"], [[1.0], [1.0, 2.0]], [], None, [True], [1j])
BAD_INTEGERS = (1.5, [math.nan], "1", [[1], [1, 2]], [], None, True, 1j)
