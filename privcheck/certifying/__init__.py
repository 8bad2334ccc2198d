"""White-box checks: private values whose sensitivity is computed, guarded runs, certificates."""
