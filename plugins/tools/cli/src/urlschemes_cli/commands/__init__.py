"""The built-in commands, each in the module of its name; `write` has replace, update and delete."""
