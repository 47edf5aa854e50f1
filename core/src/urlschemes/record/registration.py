"""The registration of a scheme: a record in a file, readable without importing the plugin that carries it.

It holds what RFC 1738 section 4 demands and what a template for IANA's registry asks for (RFC 4395 section 5.4,
RFC 7595 section 7.4).
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NoReturn

from urlschemes.errors import RegistrationError, require_type
from urlschemes.grammar.profile import Profile
from urlschemes.grammar.syntax import Syntax
from urlschemes.record.record_fields import Caution, Example, Option, fields_of
from urlschemes.record.record_table import first_record, full_table, in_profile
from urlschemes.rfc1738 import RFC1738
from urlschemes.storage.package_data import locate, read_from

_TAKES_FROM_OTHERS = re.compile(r"""same_as|\buses["']?\s*=|\\[uU][^"\n]*"\s*=""")


class Registration:
    """The record of one scheme. It is immutable, and its attributes have the names of the file's fields.

    `default_port` is None for a scheme without one; `ports` are others that its protocol uses. `operations` are those
    of section 2 that the scheme offers, and its own; `options` are their parameters besides the URL, by name.
    `redirects` are the schemes that an access may be redirected to; `local` says that it reads this machine's files.
    `cautions` are legal texts that a check reports; `source` names the file.
    """

    scheme: str
    status: str
    title: str
    reference: str
    contact: str
    change_controller: str
    encoding_considerations: str
    interoperability_considerations: str
    security_considerations: str
    default_port: int | None
    ports: tuple[int, ...]
    operations: tuple[str, ...]
    options: Mapping[str, Option]
    redirects: tuple[str, ...]
    local: bool
    syntax: Syntax
    cautions: tuple[Caution, ...]
    examples: tuple[Example, ...]
    source: str

    __slots__ = tuple(__annotations__)

    # A dataclass would do the same, and cost a process 10 ms until its first URL.
    def __init__(self, **fields: Any) -> None:
        if fields.keys() != {*self.__slots__}:
            raise TypeError(f"Registration() takes each of {', '.join(self.__slots__)}; from_text reads a record")
        for name in self.__slots__:
            object.__setattr__(self, name, fields[name])

    def __setattr__(self, name: str, *_: object) -> NoReturn:
        raise AttributeError(f"{self!r} is immutable")

    __delattr__ = __setattr__

    def __copy__(self, _: object = None) -> Registration:
        return self

    __deepcopy__ = __copy__

    def __repr__(self) -> str:
        return f"<Registration {self.scheme}>"

    @property
    def profile(self) -> Profile:
        """The profile of its URLs."""
        return self.syntax.profile

    @classmethod
    def from_text(
        cls, text: str, *, source: str = "", profile: Profile = RFC1738, first: str | None = None
    ) -> Registration:
        """Make the registration of a record: the TOML `text`.

        `first` is the text of a record that says what this one leaves out, apart from syntax and examples: by default
        that of RFC 1738 in the folder of the `source`, if this is a plugin's record of another profile.

        Raises RegistrationError (GrammarError for its BNF), PluginContractError for a record of another API version.
        """
        require_type("text", text, str)
        require_type("profile", profile, Profile)
        require_type("first", first, str, type(None))
        first = first_record(source, profile) if first is None else first
        # What a record takes from another changes without its text.
        make = _from_text.__wrapped__ if _TAKES_FROM_OTHERS.search(text + first) else _from_text
        return make(text, source, profile, first)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], profile: Profile = RFC1738) -> Registration:
        """Read the registration in the file `path`.

        Raises as `from_text` does, and RegistrationError for a file that cannot be read.
        """
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        except (OSError, ValueError) as error:
            raise RegistrationError(f"{path} cannot be read: {error}", source=str(path)) from None
        return cls.from_text(text, source=str(path), profile=profile)

    @classmethod
    def of(cls, package: str, profile: Profile = RFC1738, scheme: str | None = None) -> Registration:
        """Read the registration in `package`: a plugin calls it with its `__name__` while it is imported.

        The module of another `profile` in that package calls it with its `__package__`. With the name of a `scheme`,
        the package is that of a ledger. Nothing is imported. Raises as `from_file` does.
        """
        name = profile.record if scheme is None else f"{scheme}.toml"
        try:
            text, path = read_from(getattr(sys.modules.get(package), "__spec__", None) or locate(package), name)
        except (OSError, UnicodeDecodeError, ModuleNotFoundError) as error:
            raise RegistrationError(f"the record of {scheme or package} cannot be read: {error}") from None
        return cls.from_text(text, source=path, profile=profile)

    @classmethod
    def from_table(cls, table: Mapping[str, Any], *, source: str = "", profile: Profile = RFC1738) -> Registration:
        """Make the registration of a record whose TOML has been read. Raises as `from_text` does."""
        require_type("table", table, Mapping)
        require_type("profile", profile, Profile)
        return cls(**fields_of(table, cls.__slots__, profile, source))


@lru_cache(maxsize=256)  # the registry reads a record before the plugin is imported, which reads it again
def _from_text(text: str, source: str, profile: Profile, first: str) -> Registration:
    place = os.path.join(os.path.dirname(source), RFC1738.record)
    taken = full_table(first, place)
    own = in_profile(full_table(text, source), profile.name, source)
    table = {name: each for name, each in taken.items() if name not in {"syntax", "examples"}} | own
    try:
        return Registration(**fields_of(table, Registration.__slots__, profile, source, text))
    except RegistrationError as error:
        if re.split(r"[.\[]", error.field)[0] in taken.keys() - own.keys():
            _from_text(first, place, RFC1738, "")  # raises the error about the other record
        raise
