"""The errors that every room of a dialogue raises: a broken contract, a limit exceeded; and the system's reasons."""

from __future__ import annotations

import errno

from urlschemes.errors import PluginContractError
from urlschemes_access.errors import LimitExceeded, RemoteError

__all__ = ["are", "breach", "exceeded", "reason", "system_refusal"]


def breach(scheme: str, wants: str, has: object) -> PluginContractError:
    """The error of an algorithm that owes what `wants` says and gave `has`, which text describes, else its type."""
    shown = has if isinstance(has, str) else type(has).__name__
    return PluginContractError(
        f"the algorithm of scheme {scheme!r} owes {wants}, and gave {shown}", scheme=scheme, wants=wants, has=shown
    )


def exceeded(limit: str, value: int, what: str) -> LimitExceeded:
    """The error of going over the field `limit` of Limits, whose value is `value`."""
    return LimitExceeded(f"{what} {value}", limit=limit, value=value, hint=f"Limits.{limit} can be raised")


def are(kind: type, *values: object) -> bool:
    """Whether a request holds what its types say: a stranger's algorithm was perhaps never type-checked."""
    return all(type(value) is kind for value in values)


def reason(fault: BaseException) -> str:
    """Why the system refused, in its own words."""
    return getattr(fault, "strerror", None) or str(fault) or type(fault).__name__


def system_refusal(fault: BaseException, what: str) -> RemoteError:
    """The error of what the file system refused: `what` names the file, `status` is the system's name for the fault."""
    text = reason(fault)
    status = errno.errorcode.get(getattr(fault, "errno", None) or 0)
    return RemoteError(f"{what}: {text}", status=status, text=text, part="path")
