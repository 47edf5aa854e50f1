"""The version of this distribution. A cache counts only for the version that wrote it."""

__all__ = ["__version__"]

__version__ = "0.1.0"
