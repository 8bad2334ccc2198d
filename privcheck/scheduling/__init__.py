"""Where chunks of runs are played: in this process, in its threads, or in processes of their own."""

import lazy_loader

__getattr__, __dir__, _ = lazy_loader.attach_stub(__name__, __file__)
