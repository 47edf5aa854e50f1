"""Tools for the authors of schemes: review one, or make a new one.

| module | content |
| --- | --- |
| `review` | checks whether a scheme satisfies RFC 1738 section 4 and RFC 7595; the command `urlschemes review` |
| `scaffold` | a working distribution for a new scheme; the command `urlschemes new` |
| `pytest_plugin` | each check of the review as a test of pytest |
| `url_table` | tests of the URLs of a scheme, as a table |
| `laws` | the laws that hold for the URLs of every scheme, as functions |
| `recognizer` | a slow, independent recognizer of a BNF, to compare the fast pattern with |
| `derivatives` | the derivatives of rules by characters, also of rules in ABNF |
| `agreement` | pattern, table and recognizer on single texts |
| `proof` | pattern, table and recognizer, or two sets of rules, on all texts at once |
| `characters` | the characters that rules tell apart |
| `grammar_coverage` | the parts of a grammar that a set of texts reaches |
| `import_probe` | the changes that importing a plugin makes to a process |
| `audit` | the files, sockets and programs that code opens, as Python's audit events report them |
| `subprocesses` | another Python process, bounded in time |
"""
