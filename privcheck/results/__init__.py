"""What audits, certificates and simulations return, written as JSON and read back."""
