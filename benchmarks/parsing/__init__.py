"""The cost of parsing: time, memory, hostile and running text, columns, and the start of a process."""
