"""The output of the commands.

    text            lines that are safe on a terminal; notes on standard error
    hints           hints of errors, in terms of the command line
    json_output     JSON, also of errors
    console         rich consoles and tables
    documents       documents: in a file, a pipe or on a terminal
    listings        listings of entries
    target          the file of `--output`
    attributes      attributes of a resource
    drawing         the drawings of `explain`, in colour
    trace           the dialogue with a server
    progress        the progress bar of a long transfer

Only `console`, `drawing` and `trace` import rich at once: a command that draws nothing does without it.
"""
