"""On what terms an operation is carried out: what its caller allows, answers, watches and sends."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from urlschemes_access.policy import Policy

if TYPE_CHECKING:
    import ssl

    from urlschemes_access.credentials import Asker, Authenticator
    from urlschemes_access.trace_event import Tracer

__all__ = ["Content", "Terms"]

Content: TypeAlias = bytes | Iterable[bytes]
"""What an operation sends: octets, whole or in pieces."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """The arguments of `Registry.operate` that hold for every scheme.

    `policy` says what is allowed. `deadline`, in seconds, takes the place of the policy's. `credentials` answers
    Authenticate, `ask` a Form; both may take their time, which is not counted. `trace` is told what happens.
    `ssl_context` takes the place of the default trust in the system's certificates. `content` is what Pull gives.
    """

    policy: Policy = field(default_factory=Policy.untrusted)
    deadline: float | None = None
    credentials: Authenticator | None = None
    ask: Asker | None = None
    trace: Tracer | None = None
    ssl_context: ssl.SSLContext | None = None
    content: Content | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.policy, Policy):
            raise TypeError(f"policy is a Policy, such as Policy.interactive(), not {type(self.policy).__name__}")
        for name, given in (("credentials", self.credentials), ("ask", self.ask), ("trace", self.trace)):
            if given is not None and not callable(given):
                raise TypeError(f"{name} is a function, which is called when it is needed, not {type(given).__name__}")
        if isinstance(self.content, str):
            raise TypeError("content is octets, or an iterable of octets, not text")
