"""Check, fix and explain URLs.

    from urlschemes_lint import check, explain, fix

    check("http://h/~a b")      what is wrong with a text as a URL, and what is legal but unwise
    fix("http://h/~a b")        the nearest valid URL, with the list of changes
    explain("http://h/a")       the URL with its parts named underneath; or where and why it is not one

Each takes `registry=`, by default the registry of the process.
"""

from urlschemes_lint.checking import check
from urlschemes_lint.errors import NotRepairable
from urlschemes_lint.explaining import explain
from urlschemes_lint.findings import Finding
from urlschemes_lint.fixing import Change, Fixed, fix

__all__ = ["Change", "Finding", "Fixed", "NotRepairable", "check", "explain", "fix"]
