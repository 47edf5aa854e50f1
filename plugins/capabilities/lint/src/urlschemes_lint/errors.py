"""The error of `fix`."""

from urlschemes.errors import URLError

__all__ = ["NotRepairable"]


class NotRepairable(URLError):
    """`fix` found no repair, or several that mean different things."""

    code = "not-repairable"
