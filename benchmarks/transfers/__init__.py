"""The cost of large transfers over loopback."""
