"""The registry of the process, and its functions: `urlschemes.parse`, `parse_generic` and `is_valid`."""

from urlschemes.registry.registry import Registry

__all__ = ["default_registry", "is_valid", "parse", "parse_generic"]

default_registry = Registry()
"""The registry of the functions that are not given another. It looks for plugins when it is first needed."""

parse = default_registry.parse
parse_generic = default_registry.parse_generic
is_valid = default_registry.is_valid
