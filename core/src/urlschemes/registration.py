"""The registration of a scheme: a record in a file, readable without importing the plugin that carries it.

It holds what RFC 1738 section 4 demands and what a template for IANA's registry asks (RFC 4395 section 5.4, RFC 7595
section 7.4). What of it reads URLs is there at once; of a record that was compiled before
(`urlschemes.cached_records`), the rest is read when somebody asks for it.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Mapping
    from typing import Any, Final, Self

    from urlschemes.records import Caution, Example, Option
    from urlschemes.syntax import Syntax

__all__ = ["API", "FILE", "Registration"]

API: "Final" = 1
"""The version of the record's format that this core reads."""

FILE: "Final" = "registration.toml"
"""The name of the file, in the package of the plugin."""


class Registration:
    """The record of one scheme. The attributes bear the names of the file's fields.

    `default_port` is None for a scheme without one; `ports` are others that its protocol uses. `operations` are those
    of section 2 that the scheme offers, and its own; `options`, by name, what its accesses can be told beside the URL.
    `redirects` are the schemes that an access may be redirected to; `local` says that it reads this machine's files.
    `cautions` are what `check` reports beyond the rules; `source` names the file.
    """

    __slots__ = (
        "_text",
        "cautions",
        "change_controller",
        "contact",
        "default_port",
        "encoding_considerations",
        "examples",
        "interoperability_considerations",
        "local",
        "operations",
        "options",
        "ports",
        "redirects",
        "reference",
        "scheme",
        "security_considerations",
        "source",
        "status",
        "syntax",
        "title",
    )

    cautions: "tuple[Caution, ...]"
    change_controller: str
    contact: str
    default_port: int | None
    encoding_considerations: str
    examples: "tuple[Example, ...]"
    interoperability_considerations: str
    local: bool
    operations: tuple[str, ...]
    options: "Mapping[str, Option]"
    ports: tuple[int, ...]
    redirects: tuple[str, ...]
    reference: str
    scheme: str
    security_considerations: str
    source: str
    status: str
    syntax: "Syntax"
    title: str

    def __init__(self, record: "Mapping[str, Any]", *, source: str = "") -> None:
        """Read a record that was parsed from TOML. Raises RegistrationError, GrammarError, PluginContractError."""
        from urlschemes.records import fields_of

        _set(self, _text="", **fields_of(record, source, API))

    @classmethod
    def restored(cls, scheme: str, default_port: int | None, syntax: "Syntax", text: str, source: str) -> "Self":
        """The record of the TOML `text`, which was found right before; only what reads URLs is there at once."""
        registration = cls.__new__(cls)
        _set(registration, scheme=scheme, default_port=default_port, syntax=syntax, source=source, _text=text)
        return registration

    def __getattr__(self, name: str) -> "Any":
        # Only a field that is not there yet is asked for here.
        if name == "_text" or name not in Registration.__slots__ or not self._text:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        from urlschemes.records import fields_of, parsed

        fields = fields_of(parsed(self._text, self.source), self.source, API, self.syntax)
        # What is there already stays: another thread may hold it.
        _set(self, **{field: value for field, value in fields.items() if field not in _AT_ONCE})
        return fields[name]

    def __setattr__(self, name: str, _: object) -> None:
        raise AttributeError(f"a registration does not change: its {name} is the record's")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a registration does not change: its {name} is the record's")

    def __copy__(self) -> "Self":
        return self

    def __deepcopy__(self, _: object) -> "Self":
        return self

    @property
    def is_restored(self) -> bool:
        """Whether it was made of what was kept: its text was found right before, by this version of the core."""
        return bool(self._text)

    def __repr__(self) -> str:
        return f"<Registration {self.scheme}>"

    @classmethod
    def from_text(cls, text: str, *, source: str = "") -> "Self":
        """The record that the TOML `text` holds. Raises as the constructor does."""
        from urlschemes.records import parsed

        return cls(parsed(text, source), source=source)

    @classmethod
    def from_file(cls, path: "str | os.PathLike[str]") -> "Self":
        """The record in the file `path`.

        Raises as the constructor does, and RegistrationError for a file that cannot be read.
        """
        try:
            with open(path, encoding="utf-8") as file:  # noqa: PTH123  pathlib would be imported for this alone
                text = file.read()
        except (OSError, ValueError) as error:
            from urlschemes.errors import RegistrationError

            raise RegistrationError(f"{path} cannot be read: {error}", source=str(path)) from None
        return cls.from_text(text, source=str(path))

    @classmethod
    def of(cls, package: str) -> "Self":
        """The record that lies in `package`, which is being imported: what a plugin calls with its `__name__`."""
        from urlschemes.beside import read_of

        spec = sys.modules[package].__spec__
        try:
            if spec is None:
                raise FileNotFoundError(f"the package {package} has no place")
            text, path = read_of(spec, FILE)
        except (OSError, UnicodeDecodeError) as error:
            from urlschemes.errors import RegistrationError

            raise RegistrationError(f"the record of {package} cannot be read: {error}") from None
        return cls.installed(text, source=path)

    @classmethod
    def installed(cls, text: str, *, source: str) -> "Self":
        """The record of an installed plugin: as `from_text`, and what was made of it is kept for other processes."""
        from urlschemes.cached_records import keep, kept

        found = kept(text)
        if found is not None:
            return cls.restored(*found, text, source)
        registration = cls.from_text(text, source=source)
        keep(registration.scheme, registration.default_port, registration.syntax, text)
        return registration


_AT_ONCE = frozenset({"scheme", "default_port", "syntax", "source"})


def _set(registration: Registration, **fields: "Any") -> None:
    for name, value in fields.items():
        object.__setattr__(registration, name, value)
