"""The scaffold of a new scheme: a distribution that works from the start, to be changed into one's own.

    plan("foo").write(Path("x-foo"))        # as `urlschemes new foo` does

| module | content |
| --- | --- |
| `naming` | the names of the scheme, its distribution and its package; what is known of the name |
| `plan` | the files and their texts; which of them still are those of the templates |
| `command` | the command `urlschemes new` |
| `templates/` | the texts, as `string.Template` reads them; the lines of a false condition, `${code}`, are left out |
"""

from urlschemes_conformance.scaffold.naming import Naming, name_notes, naming_of, registered_name
from urlschemes_conformance.scaffold.plan import Plan, has_template_syntax, plan, profile_named, template_leftovers

__all__ = [
    "Naming",
    "Plan",
    "has_template_syntax",
    "name_notes",
    "naming_of",
    "plan",
    "profile_named",
    "registered_name",
    "template_leftovers",
]
