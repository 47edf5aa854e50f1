"""New schemes: a distribution that works from its first minute, to be changed into one's own.

    plan("foo").write(Path("x-foo"))        # what `urlschemes new foo` does

| room | what it has |
| --- | --- |
| `naming` | what a scheme, its distribution, its package are called; what is known of the name |
| `plan` | the files and their texts; what of them somebody has not changed yet |
| `command` | `urlschemes new` |
| `templates/` | the texts, as `string.Template` reads them: of both kinds, of a scheme, of a record alone |
"""

from urlschemes_conformance.scaffold.naming import Naming, naming_of, registered_as, remarks
from urlschemes_conformance.scaffold.plan import Plan, has_new_syntax, left_over, plan

__all__ = ["Naming", "Plan", "has_new_syntax", "left_over", "naming_of", "plan", "registered_as", "remarks"]
