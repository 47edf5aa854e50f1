"""CPU time of requests through guarded clients."""
