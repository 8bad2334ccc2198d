"""Arrays of numpy that share their numbers with a private array."""
