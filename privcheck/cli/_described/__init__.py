"""What describes an object of Python on the command line: a target, contexts, an environment, an instance."""
