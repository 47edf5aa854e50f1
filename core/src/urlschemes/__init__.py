"""The system of RFC 1738: URL schemes, each a registration, a syntax and an access algorithm.

Importing this package imports nothing else: every name comes from its room when it is first used.
"""

TYPE_CHECKING = False
__version__ = "0.1.0"
