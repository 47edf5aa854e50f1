"""What it costs to parse: time, memory, hostile and running text, columns, and the start of a process."""
