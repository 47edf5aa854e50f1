"""URLs of chosen schemes, read with the options of fields and columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from urlschemes import InvalidURL, UnknownScheme
from urlschemes.errors import invalid_url
from urlschemes_bridges.chosen_schemes import ChosenSchemes
from urlschemes_lint import NotRepairable, check, fix

if TYPE_CHECKING:
    from urlschemes import URL, Registry

__all__ = ["Reader"]


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
        if warnings not in {"error", "ignore"}:
            raise ValueError(f'warnings must be "error" or "ignore", not {warnings!r}')
        super().__init__(*names, registry=registry)
        self.fix, self.normalize, self.warnings = fix, normalize, warnings

    def accept(self, value: object) -> URL:
        """Return the URL that `read` returns, with the options.

        Raises InvalidURL, for a warning with its code; UnknownScheme; PluginError; NotRepairable from the error of
        `read`.
        """
        try:
            url = self.read(value)
        except (InvalidURL, UnknownScheme) as error:
            if not self.fix:
                raise
            self.check(str(value).strip())
            try:
                url = self.read(fix(str(value), registry=self.registry).url)
            except NotRepairable as reason:
                raise reason from error
        if self.normalize:
            url = url.normalized()
        if self.warnings == "error":
            for found in check(str(url), registry=self.registry.in_profile(url.syntax.profile)):
                details = {"scheme": url.scheme, "section": found.section, "hint": found.hint}
                raise invalid_url(str(url), found.message, code=found.code, part=found.part, span=found.span, **details)
        return url
