"""The version of this distribution: what is kept for other processes counts for the same version alone."""

__all__ = ["__version__"]

__version__ = "0.1.0"
