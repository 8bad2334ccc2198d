"""`python -m privcheck` is the command line."""

from privcheck.cli import main

if __name__ == "__main__":
    main()
