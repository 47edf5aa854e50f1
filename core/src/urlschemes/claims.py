"""Claims: the wish of a distribution to provide a name, and what became of it.

A distribution makes a claim by an entry point of one of the groups here; how they are found is in
`urlschemes.discovery`, which of them count in `urlschemes.choice`.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal, Self, TypeAlias

    State: TypeAlias = Literal[
        "active", "shadowed", "conflict", "reserved", "disabled", "malformed", "broken", "ignored"
    ]

__all__ = [
    "COMMANDS",
    "DEMOS",
    "GROUPS",
    "HOOKS",
    "HOOK_NAMES",
    "HOOK_PREFIX",
    "SCHEMES",
    "Claim",
    "distribution_key",
    "hook_of",
    "object_reference",
]

SCHEMES = "urlschemes.schemes"
"""The entry-point group of schemes: the entry's name is the scheme's."""
HOOKS = "urlschemes"
"""The entry-point group of modules that implement hooks (`urlschemes.hooks`): the entry's name is the hook's."""
HOOK_NAMES = ("credentials", "gateway", "ledger", "observe", "veto")
"""The hooks, as entries name them: without what their functions' names begin with."""
HOOK_PREFIX = "urlschemes_"
"""What the names of the functions begin with that implement hooks."""
COMMANDS = "urlschemes.commands"
"""The entry-point group of commands that belong to one scheme."""
DEMOS = "urlschemes.demos"
"""The entry-point group of demonstrations (`urlschemes.demonstration`): the entry's name is the scheme's."""

GROUPS = frozenset({SCHEMES, HOOKS, COMMANDS, DEMOS})

_KINDS = {SCHEMES: "scheme", HOOKS: "hook", COMMANDS: "command", DEMOS: "demonstration of"}
_TROUBLE = frozenset({"conflict", "reserved", "malformed", "broken"})
_FIELDS = ("name", "distribution", "version", "origin", "module", "attribute", "group", "state", "reason")
NAME, DISTRIBUTION, GROUP, STATE = map(_FIELDS.index, ("name", "distribution", "group", "state"))
"""The places of some fields, for whoever looks at a thousand claims: `claim[NAME]` takes a third of `claim.name`."""


class Claim(tuple[str, ...]):
    """One entry point of one distribution: its wish to provide `name`.

    `origin` is the folder or archive in which the distribution was found. `module` and `attribute` say where the object
    is; without `attribute` there is only a record. `state` and `reason` say what became of the wish. `name` is empty
    where the whole distribution is malformed.

    `active`: it counts. `shadowed`: it gave way to a pin, or to what the program registered. `conflict`: another
    distribution claims the name too. `reserved`: the name belongs to another distribution. `disabled`: switched off by
    the user. `malformed`: the distribution's metadata is wrong. `broken`: it failed when it was used. `ignored`: it was
    found through the current directory.
    """

    __slots__ = ()

    # A named tuple, but for what importing `typing` or `collections` would cost.

    def __new__(
        cls,
        name: str,
        distribution: str,
        version: str,
        origin: str,
        module: str = "",
        attribute: str = "",
        group: str = SCHEMES,
        state: "State" = "active",
        reason: str = "",
    ) -> "Self":
        """Make one of its nine fields."""
        fields = (name, distribution, version, origin, module, attribute, group, state, reason)
        return tuple.__new__(cls, fields)

    @classmethod
    def all_of(cls, columns: "list[list[str]]") -> "tuple[Self, ...]":
        """The claims of which `columns` are the nine fields. Raises ValueError where they are not, or of many lengths.

        A thousand of them are made in the time of two hundred calls.
        """
        if columns and len(columns) != len(_FIELDS):
            raise ValueError(f"a claim has {len(_FIELDS)} fields, not {len(columns)}")
        new = tuple.__new__
        return tuple([new(cls, fields) for fields in zip(*columns, strict=True)])

    @property
    def name(self) -> str:
        """The name that is claimed."""
        return self[0]

    @property
    def distribution(self) -> str:
        """The distribution's name, as its metadata spells it."""
        return self[1]

    @property
    def version(self) -> str:
        """The distribution's version."""
        return self[2]

    @property
    def origin(self) -> str:
        """The folder or archive in which the distribution was found."""
        return self[3]

    @property
    def module(self) -> str:
        """The module or package that holds the object, or the record."""
        return self[4]

    @property
    def attribute(self) -> str:
        """The object within the module; "" where there is only a record."""
        return self[5]

    @property
    def group(self) -> str:
        """The entry-point group."""
        return self[6]

    @property
    def state(self) -> "State":
        """What became of the wish."""
        return self[7]  # type: ignore[return-value]  # as the constructor takes it

    @property
    def reason(self) -> str:
        """Why, in words; "" for one that is active."""
        return self[8]

    @property
    def in_trouble(self) -> bool:
        """Whether somebody has to do something about it."""
        return self.state in _TROUBLE

    @property
    def kind(self) -> str:
        """What the name is that of, as it stands before it: "scheme", "hook", "command", "demonstration of"."""
        return _KINDS.get(self.group, self.group)

    @property
    def provider(self) -> str:
        """The distribution with its version, as people write it."""
        return f"{self.distribution} {self.version}".rstrip()

    def _replace(self, **changes: str) -> "Self":
        """The claim with other values in some of its fields."""
        fields = {**dict(zip(_FIELDS, self, strict=True)), **changes}
        if len(fields) != len(_FIELDS):
            raise TypeError(f"a claim has no field {', '.join(changes.keys() - set(_FIELDS))}")
        return tuple.__new__(type(self), fields.values())

    def _asdict(self) -> dict[str, str]:
        """The fields by name."""
        return dict(zip(_FIELDS, self, strict=True))

    def __getnewargs__(self) -> "tuple[Any, ...]":
        return tuple(self)

    def __repr__(self) -> str:
        return f"Claim({', '.join(f'{field}={value!r}' for field, value in self._asdict().items())})"

    def __str__(self) -> str:
        from urlschemes.display import one_line

        place = f"{self.module}:{self.attribute}" if self.attribute else self.module
        words = f"{self.name or '(no name)'}: {self.provider} [{self.state}] {place} in {self.origin}"
        return one_line(f"{words}: {self.reason}" if self.reason else words, 1000)


def distribution_key(name: str) -> str:
    """The form in which two spellings of one distribution's name are equal (PEP 503)."""
    key = name.lower().replace("_", "-").replace(".", "-")
    while "--" in key:
        key = key.replace("--", "-")
    return key


def hook_of(name: str) -> str:
    """The function that is to implement the hook `name`."""
    return f"{HOOK_PREFIX}{name}"


def object_reference(value: str) -> tuple[str, str] | None:
    """The module and the attribute that the value of an entry point names, "" for none; None where it names neither.

    What stands in brackets behind them, the extras of the distribution, does not count.
    """
    module, colon, attribute = (part.strip() for part in value.partition("[")[0].partition(":"))
    names = [*module.split("."), *(attribute.split(".") if colon else ())]
    return (module, attribute) if all(name.isidentifier() for name in names) else None
