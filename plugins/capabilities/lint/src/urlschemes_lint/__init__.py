"""Check, fix and explain URLs.

    from urlschemes_lint import check, explain, fix

    check("http://h/~a b")      errors and warnings
    fix("http://h/~a b")        the nearest valid URL, with the list of changes
    explain("http://h/a")       a drawing of the URL with the names of its parts, or of the error in it

Each takes `registry=`, by default the registry of the process, or `profile=`, such as "rfc3986".

    checking            check: every error of an invalid URL, or the warnings about a valid one
    warning_checks      what is legal in a URL, but unwise
    findings            Finding: an error or a warning; the codes of findings
    fixing              fix
    source_text         the text given to `fix`: brackets, white space and fragment are separated from the URL
    repair              encodes the characters that the rules of a scheme do not allow, if they can only be data
    explaining          explain
    advice              what to do about an invalid URL
    part_places         where parts and hosts are in a URL
"""

from urlschemes_lint.checking import check
from urlschemes_lint.explaining import explain
from urlschemes_lint.findings import Finding
from urlschemes_lint.fixing import Fixed, NotRepairable, fix
from urlschemes_lint.source_text import Change

__all__ = ["Change", "Finding", "Fixed", "NotRepairable", "check", "explain", "fix"]
