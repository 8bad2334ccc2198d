"""From a finding to a certified patch: edits of a bandit's source, and the search for those that hold."""

import lazy_loader

__getattr__, __dir__, _ = lazy_loader.attach_stub(__name__, __file__)
