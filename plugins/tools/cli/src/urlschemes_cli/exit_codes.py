"""The exit codes of the command, and those of errors."""

from urlschemes import errors

__all__ = ["FAILED", "HELP", "INTERRUPTED", "INVALID", "PIPE_CLOSED", "REFUSED", "UNKNOWN", "USAGE", "exit_code"]

INVALID, USAGE, FAILED, REFUSED, UNKNOWN, INTERRUPTED, PIPE_CLOSED = 1, 2, 3, 4, 5, 130, 141

HELP = f"""\
Exit codes:
  0    success
  {INVALID}    the URL is invalid (check: a finding is an error; extract --invalid: a URL in the text is;
       fix: or a password was hidden in a file or a pipe)
  {USAGE}    wrong arguments or a wrong configuration
  {FAILED}    the access failed after it began, or the output could not be written
  {REFUSED}    refused, at first or after a redirect: unsafe, not allowed, or not supported
  {UNKNOWN}    unknown scheme, or a faulty plugin
  {INTERRUPTED}  interrupted (Ctrl-C)
  {PIPE_CLOSED}  the program that read the output closed the pipe"""

_OF_CLASSES: tuple[tuple[int, tuple[type[errors.URLError], ...]], ...] = (
    (INVALID, (errors.InvalidURL, errors.NotHierarchical)),
    (REFUSED, (errors.UnsafeURL, errors.UnsupportedOperation)),
    (UNKNOWN, (errors.UnknownScheme, errors.PluginError, errors.RegistrationError)),
    (USAGE, (errors.ConfigurationError,)),
)
_OF_CODES = {"not-repairable": INVALID, "policy-denied": REFUSED}  # of lint and access, which are not imported for this


def exit_code(error: errors.URLError) -> int:
    """Return the exit code for an error."""
    codes = (code for code, classes in _OF_CLASSES if isinstance(error, classes))
    return next(codes, _OF_CODES.get(error.code, FAILED))
