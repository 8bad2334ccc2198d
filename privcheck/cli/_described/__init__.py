"""What describes objects of Python on the command line, commands in their help, and a class in its written test."""
