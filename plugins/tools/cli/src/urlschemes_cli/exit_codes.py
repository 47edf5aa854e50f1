"""The exit codes of the command."""

__all__ = ["FAILED", "HELP", "INTERRUPTED", "INVALID", "PIPE_CLOSED", "REFUSED", "UNKNOWN", "USAGE"]

INVALID, USAGE, FAILED, REFUSED, UNKNOWN, INTERRUPTED, PIPE_CLOSED = 1, 2, 3, 4, 5, 130, 141

HELP = f"""\
Exit codes:
  0    success
  {INVALID}    the URL is invalid (check: a finding is an error; extract --invalid: a URL in the text is)
  {USAGE}    wrong arguments or a wrong configuration
  {FAILED}    the access failed after it began, or the output could not be written
  {REFUSED}    refused before anything was sent: unsafe, not allowed, or not supported
  {UNKNOWN}    unknown scheme, or a faulty plugin
  {INTERRUPTED}  interrupted (Ctrl-C)
  {PIPE_CLOSED}  the program that read the output closed the pipe"""
