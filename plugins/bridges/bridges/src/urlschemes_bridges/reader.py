"""URLs of chosen schemes, read with the options of fields and columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from urlschemes import InvalidURL, UnknownScheme
from urlschemes.errors import Hint, Remedy, URLError, invalid_url
from urlschemes_bridges.chosen_schemes import ChosenSchemes
from urlschemes_lint import NotRepairable, check, fix

if TYPE_CHECKING:
    from urlschemes import URL, Registry

__all__ = ["Reader", "check_warnings", "message_for_users"]


def check_warnings(value: object) -> None:
    """Raise ValueError for an invalid value of the option `warnings`."""
    if value not in ("error", "ignore"):
        raise ValueError(f'warnings must be "error" or "ignore", not {value!r}')


def message_for_users(error: InvalidURL | UnknownScheme) -> str:
    """Return the text of the error without the remedies of its hint, which only the program can apply."""
    parts = error.hint.parts if isinstance(error.hint, Hint) else (error.hint,)
    return str(URLError(error.message, hint=Hint(*(part for part in parts if not isinstance(part, Remedy)))))


class Reader(ChosenSchemes):
    """Chosen schemes, and what is done with a value of a field or a column before it is accepted.

    With `fix`, text is repaired as by `urlschemes_lint.fix`; with `normalize`, the URL is in its normal form; with
    `warnings="error"`, a URL that `urlschemes_lint.check` warns of is invalid. Raises UnknownScheme, ValueError.
    """

    def __init__(
        self,
        *names: str,
        registry: Registry | None = None,
        fix: bool = False,
        normalize: bool = False,
        warnings: Literal["error", "ignore"] = "ignore",
    ) -> None:
        check_warnings(warnings)
        super().__init__(*names, registry=registry)
        self.fix, self.normalize, self.warnings = fix, normalize, warnings

    def accept(self, value: object) -> URL:
        """Return the URL that `read` returns, with the options.

        Raises InvalidURL, for a warning with its code; UnknownScheme; PluginError. If the text has no repair, that is
        the error of `read`, from NotRepairable.
        """
        try:
            url = self.read(value)
        except (InvalidURL, UnknownScheme) as error:
            if not self.fix or error.code == "url-too-long":
                raise
            self.check(str(value).strip())
            try:
                url = self.read(fix(str(value), registry=self.registry).url)
            except NotRepairable as reason:
                raise error from reason
        if self.normalize:
            url = url.normalized()
        if self.warnings == "error":
            for found in check(str(url), registry=self.registry.in_profile(url.syntax.profile)):
                raise invalid_url(
                    str(value),
                    found.message,
                    code=found.code,
                    part=found.part,
                    span=found.span if str(url) == str(value) else None,
                    scheme=url.scheme,
                    section=found.section,
                    hint=found.hint,
                )
        return url
