"""A scheme: a registration, a syntax, and an access algorithm (RFC 1738 section 4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import NoneType
from typing import Any

from urlschemes.errors import PluginContractError, RegistrationError, UnsupportedOperation, URLError, require_type
from urlschemes.grammar.profile import Profile
from urlschemes.record.registration import Registration
from urlschemes.rfc1738 import RFC1738
from urlschemes.storage.named_objects import named
from urlschemes.url.value import LIMIT, URL, InternetURL, LoginURL, URLType, type_failed

# What a URL prints as, what it is equal to, and what may reach a protocol line is the same for all types.
_FINAL = (
    "__eq__", "__hash__", "__reduce__", "__repr__", "__str__", "_key", "check_line", "line", "parts",
    "raw", "redacted", "schemepart",
)  # fmt: skip


def lower_case(name: str) -> str:
    """Return a scheme's name in lower case. Letters of other alphabets do not become ASCII letters."""
    require_type("the name of a scheme", name, str)
    return name.lower() if name.isascii() else name


class Scheme:
    """A scheme as the registry holds it.

    `url_type` is the type of its URLs; without one, a type is made from the record, with its parts as attributes.
    `access` names the module of its algorithms, which has one function for each operation (`access`, `find_attributes`,
    ...) and is imported when one is first used; without it, URLs of the scheme can be parsed but not accessed.

    Raises RegistrationError if no URL of the record's rule begins with the scheme's name, PluginContractError if the
    type was made for another registration.
    """

    __slots__ = ("access", "registration", "url_type")

    def __init__(
        self, registration: Registration, url_type: type[URL] | None = None, access: str | None = None
    ) -> None:
        require_type("registration", registration, Registration)
        require_type("url_type", url_type, type(URL), NoneType)
        require_type("access", access, str, NoneType)
        if not registration.syntax.has_scheme(registration.scheme):
            name, rule, source = registration.scheme, registration.syntax.rule, registration.source
            message = f"{source or 'the record'}: syntax.rule: no URL of the rule {rule!r} begins with '{name}:'"
            own = (each.name for each in registration.syntax.own_rules.values() if f' = "{name}:' in str(each))
            hint = "begin the rule with the scheme's own name and a colon, as a literal"
            hint = next((f'write `rule = "{each}"`, or put `{each}` first' for each in own), hint)
            raise RegistrationError(message, source=source, field="syntax.rule", hint=hint)
        self.registration = registration
        self.url_type = url_type or _type_of(registration)
        self.access = access
        if self.url_type.registration is not registration:
            problem = f"the type {self.url_type.__name__} is not made for the registration of {registration.scheme!r}"
            wants, has = "class MyURL(URL, registration=registration)", repr(self.url_type.registration)
            raise PluginContractError(problem, scheme=registration.scheme, wants=wants, has=has)

    @classmethod
    def of(
        cls, name: str, bnf: str, /, *, profile: Profile | str = RFC1738, **parts: str | Mapping[str, Any]
    ) -> Scheme:
        """Make a scheme for an experiment, whose name begins with `x-`, from its rules (RFC 1738 section 4).

        Its URLs derive from the first rule of `bnf`; each of the `parts` names its rule, or is the table of a record:
        `Scheme.of("x-note", 'noteurl = "x-note://" hostport "/" *uchar', host="host", port="port")`.

        Raises RegistrationError, GrammarError, PluginError for the name of a profile that is not installed.
        """
        require_type("the name of a scheme", name, str)
        if not name.startswith("x-"):
            problem = f"the name {name!r} does not begin with x-: only an experiment can do without a record"
            raise RegistrationError(problem, field="scheme")
        table = {"scheme": name, "syntax": {"bnf": bnf, "parts": parts}}
        known = named("urlschemes.registry.registry", "registry_or_default")(None, profile).profile
        return cls(Registration.from_table(table, source=f"the scheme {name}", profile=known))

    @property
    def name(self) -> str:
        """The scheme's name."""
        return self.registration.scheme

    def __repr__(self) -> str:
        return f"<Scheme {self.name}>"

    def algorithm(self, operation: str) -> Callable[..., Any]:
        """Import and return the algorithm of `operation`, a generator function.

        Raises UnsupportedOperation if the scheme does not offer it, PluginContractError if the module has no such
        function; an error of the import passes through.
        """
        offered = self.registration.operations if self.access else ()
        if operation not in offered:
            problem = f"{self.name} does not offer the operation {operation!r}"
            hint = f"it offers {', '.join(offered)}" if offered else "it is registered for parsing only"
            section = self.registration.profile.section("operations")
            raise UnsupportedOperation(problem, scheme=self.name, section=section, hint=hint)
        function_name = operation.replace(" ", "_")
        function = getattr(named(str(self.access)), function_name, None)
        if not callable(function):
            wants = f"a generator function for the operation {operation!r}"
            problem = f"{self.access} has no function {function_name!r}"
            raise PluginContractError(problem, scheme=self.name, wants=wants, has=repr(function))
        algorithm: Callable[..., Any] = function
        return algorithm


def _type_of(registration: Registration) -> type[URL]:
    """Return a URL type with an attribute for each part of the record."""
    parts = registration.syntax.parts
    base = (LoginURL if "user" in parts else InternetURL) if "host" in parts else URL
    letters = "".join(each if each.isalnum() else " " for each in registration.scheme).title().replace(" ", "") + "URL"
    name = letters if letters.isidentifier() else f"Scheme{letters}"
    attributes: dict[str, Any] = {"__module__": __name__, "__doc__": f"A URL of the scheme {registration.scheme}."}
    if "host" in parts:  # the rules say if it can be absent
        attributes["host"] = InternetURL._fields["host"]._replace(default=None)
    made: Any = URLType(name, (base,), attributes, registration=registration)
    return made  # type: ignore[no-any-return]  # a type[URL], as its base is


def check_type(kind: type[URL], name: str) -> None:
    """Raise PluginContractError if the type of the scheme `name` changes what all URLs share."""
    for attribute in _FINAL:
        if getattr(kind, attribute) is not getattr(URL, attribute):
            problem = f"the type {kind.__name__} overrides {attribute}, which is the same for all URLs"
            wants, has = f"{attribute} as urlschemes.URL has it", f"{kind.__name__}.{attribute}"
            raise PluginContractError(problem, scheme=name, wants=wants, has=has)


def read_as(kind: type[URL], text: str, limit: int = LIMIT) -> URL:
    """Return the URL of the type `kind` that `text` is; the type may parse in its own way.

    Raises InvalidURL; PluginError if the type fails, PluginContractError if it returns something else.
    """
    try:
        url = kind.parse(text, limit=limit)
        if not isinstance(url, kind):
            has, wants = f"a {type(url).__name__}", f"parsing gives a {kind.__name__}"
            problem = f"the type {kind.__name__} breaks the plugin contract: it returned {has}"
            raise PluginContractError(problem, scheme=kind._scheme or None, wants=wants, has=has)
    except URLError:
        raise
    except Exception as error:
        raise type_failed(kind, error, "it cannot parse") from error
    return url
