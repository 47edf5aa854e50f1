"""Shared by all benchmarks: the URLs, the libraries that are compared, timing, figures and tables."""
