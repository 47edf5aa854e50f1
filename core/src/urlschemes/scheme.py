"""A scheme: a registration, a syntax, and an access algorithm (RFC 1738 section 4)."""

import sys

from urlschemes.url import URL, InternetURL, LoginURL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from urlschemes.part import Value
    from urlschemes.registration import Registration
    from urlschemes.wire import Algorithm

__all__ = ["Scheme", "folded"]


def folded(name: str) -> str:
    """A scheme's name in lower case, as section 2.1 says. Of other alphabets no letter becomes one of ours."""
    return name.lower() if name.isascii() else name


class Scheme:
    """A scheme as the registry holds it.

    `url_type` is the type of its URLs; without one, a type is made from the record, whose parts are attributes by
    their names. `access` names the module of its algorithms, one function for each operation (`access`,
    `find_attributes`, ...), imported when an operation is first asked for; without one, the scheme can be parsed and
    not accessed.
    """

    __slots__ = ("_access", "registration", "url_type")

    def __init__(
        self, registration: "Registration", url_type: type[URL] | None = None, access: str | None = None
    ) -> None:
        prefix = f"{registration.scheme}:"
        if not registration.is_restored and registration.syntax.automaton.reach(prefix)[0] < len(prefix):
            from urlschemes.errors import RegistrationError

            raise RegistrationError(
                f"no URL of the rule {registration.syntax.rule!r} begins with {prefix!r}",
                scheme=registration.scheme,
                source=registration.source,
                field="syntax.rule",
                hint="begin the rule with the scheme's own name and a colon, as a literal",
            )
        self.registration = registration
        self.url_type = url_type or _type_of(registration)
        self._access = access
        if self.url_type.registration is not registration:
            from urlschemes.errors import PluginContractError

            raise PluginContractError(
                f"the type {self.url_type.__name__} is not made for the registration of {registration.scheme!r}",
                scheme=registration.scheme,
                wants="class MyURL(URL, registration=registration)",
                has=repr(self.url_type.registration),
            )

    @property
    def name(self) -> str:
        """The scheme's name."""
        return self.registration.scheme

    def __repr__(self) -> str:
        return f"<Scheme {self.name}>"

    def algorithm(self, operation: str) -> "Callable[..., Algorithm[None]]":
        """The algorithm of `operation`.

        Raises UnsupportedOperation, PluginContractError; an import error passes through.
        """
        offered = self.registration.operations if self._access else ()
        if operation not in offered:
            from urlschemes.errors import UnsupportedOperation

            raise UnsupportedOperation(
                f"{self.name} does not offer the operation {operation!r}",
                scheme=self.name,
                section="RFC 1738 section 2",
                hint=self._offer(offered) if offered else "it is registered for parsing only",
            )
        import importlib

        module = importlib.import_module(str(self._access))
        function: Any = getattr(module, operation.replace(" ", "_"), None)
        if not callable(function):
            from urlschemes.errors import PluginContractError

            raise PluginContractError(
                f"{self._access} has no function {operation.replace(' ', '_')!r}",
                scheme=self.name,
                wants=f"a generator function for the operation {operation!r}",
                has=repr(function),
            )
        algorithm: Callable[..., Algorithm[None]] = function
        return algorithm

    def _offer(self, offered: tuple[str, ...]) -> str:
        """What it offers, and the function of the plugin for what only this scheme has."""
        package = str(self._access).rpartition(".")[0]
        functions = ((each, each.replace(" ", "_")) for each in offered)
        known = sys.modules.get(package)
        return "it offers " + ", ".join(
            f"{each}: {package}.{function}" if function in getattr(known, "__all__", ()) else each
            for each, function in functions
        )


def _type_of(registration: "Registration") -> type[URL]:
    import types
    from functools import partial

    parts = registration.syntax.parts
    base = (LoginURL if "user" in parts else InternetURL) if "host" in parts else URL
    attributes: dict[str, Any] = {
        "__module__": __name__,
        "__slots__": (),
        "__doc__": f"A URL of the scheme {registration.scheme}.",
        "build": classmethod(_build),
        "replace": _replace,
    }
    for name in parts:
        if not any(name in vars(each) for each in base.__mro__):
            attributes[name] = property(partial(_read_value, name=name))
        elif name in vars(URL):
            from urlschemes.errors import PluginContractError

            raise PluginContractError(
                f"a part of {registration.scheme} bears the name {name!r}, which every URL has",
                scheme=registration.scheme,
                part=name,
                wants="another name for the part",
                has=name,
            )
    letters = "".join(each if each.isalnum() else " " for each in registration.scheme).title().replace(" ", "") + "URL"
    name = letters if letters.isidentifier() else f"Scheme{letters}"
    made: type[URL] = types.new_class(
        name, (base,), {"registration": registration}, lambda body: body.update(attributes)
    )
    return made


def _build(cls: type[URL], /, **parts: "Any") -> URL:
    """The URL of `parts`, each encoded as it must be. Raises InvalidURL where a part cannot be what it should."""
    return cls._build(**parts)


def _replace(self: URL, /, **parts: "Any") -> URL:
    """The URL with the raw text of `parts` replaced and nothing else changed. Raises InvalidURL."""
    return self._replace(**parts)


def _read_value(url: URL, name: str) -> "Value | None":
    return url._value(name)
