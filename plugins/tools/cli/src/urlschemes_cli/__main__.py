"""`python -m urlschemes_cli`."""

from urlschemes_cli import main

if __name__ == "__main__":
    main()
