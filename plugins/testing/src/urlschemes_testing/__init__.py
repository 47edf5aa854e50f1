"""For tests of URL schemes: dialogues replayed without a socket, loopback servers, and servers that misbehave.

Nothing is imported from here by itself: take what a test needs from `replay`, `servers` or `rogue`.
"""
