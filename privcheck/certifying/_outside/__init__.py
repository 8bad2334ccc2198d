"""What a policy reaches outside of itself: put back, looked at in a fresh process, and listed."""
