"""The default registry of the process, and its methods as functions: what `urlschemes.parse` and its sisters are."""

from urlschemes.registry import Registry

registry = Registry()
"""The registry that the functions of this package use. It looks for plugins when it is first needed."""

parse = registry.parse
parse_generic = registry.parse_generic
is_valid = registry.is_valid
fix = registry.fix
check = registry.check
explain = registry.explain
access = registry.access
find_attributes = registry.find_attributes
replace = registry.replace
update = registry.update
delete = registry.delete
operate = registry.operate
