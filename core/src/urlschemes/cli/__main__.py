"""`python -m urlschemes.cli`."""

from urlschemes.cli import main

if __name__ == "__main__":
    main()
