"""What privacy costs: the regret of policies at several budgets, with what is known of their true epsilon."""

import lazy_loader

__getattr__, __dir__, _ = lazy_loader.attach_stub(__name__, __file__)
