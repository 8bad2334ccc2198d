from privcheck.claims._causes import Cause

CAUSES: tuple[Cause, ...] = ()
