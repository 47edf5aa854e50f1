"""The output of the commands.

text            lines that are safe on a terminal; notes on standard error
hints           hints of errors, in terms of the command line
json_output     JSON
console         lines, tables and sections for people
documents       documents and listings: in a file, a pipe or on a terminal; attributes
trace           the dialogue with a server
progress        the progress bar of a long transfer
"""
