"""Evidence over time: nights of runs whose evidence against a claim adds up, whatever the code was changed to."""

import lazy_loader

__getattr__, __dir__, _ = lazy_loader.attach_stub(__name__, __file__)
