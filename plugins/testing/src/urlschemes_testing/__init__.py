"""For tests of URL schemes: dialogues replayed without a socket, loopback servers, servers that misbehave, and URLs.

    from urlschemes_testing import near_misses, urls

`urls("gopher")` are texts that are URLs of a scheme, `near_misses("gopher")` texts that are almost; `Coverage` says
what of a grammar such texts reach. Importing this package imports nothing else: these names come from their rooms when
they are first used, and all the rest from `replay`, `servers`, `rogue` and `recognizer`.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from urlschemes_testing.coverage import Coverage
    from urlschemes_testing.strategies import near_misses, urls

__all__ = ["Coverage", "near_misses", "urls"]

_HOME = {"Coverage": "coverage", "near_misses": "strategies", "urls": "strategies"}


def __getattr__(name: str) -> object:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # the import machinery has loaded it already

    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
