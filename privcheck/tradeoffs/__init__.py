"""What privacy costs: the regret of policies at several budgets, with what is known of their true epsilon."""
