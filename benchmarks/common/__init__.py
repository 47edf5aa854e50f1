"""What all benchmarks share: the URLs, the libraries that are compared, timing, figures and tables."""
