"""Runs an algorithm request by request, and contains its failures."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Any

from urlschemes.errors import PluginContractError, PluginError, URLError
from urlschemes.redaction import described
from urlschemes_access.dialogue.context import Context, DialoguePart
from urlschemes_access.dialogue.transfers import Transfers
from urlschemes_access.errors import AccessError
from urlschemes_access.protocol import requests
from urlschemes_access.protocol.requests import Algorithm


@dataclass(slots=True)
class Finished:
    """The end of an algorithm, and its return value."""

    value: Any


_PAUSES = (requests.Open, requests.Deliver, Finished)


class AlgorithmRunner(DialoguePart):
    """Runs the algorithms of one operation: that of the operation, and those of the calls of a session.

    `handlers` carry out requests. A single step that takes longer than the deadline is logged: it cannot be
    interrupted. `terminated` is False once an algorithm has yielded
    Unterminated; `stopped` is set when the operation is closed.
    """

    def __init__(
        self, context: Context, handlers: Mapping[type[Any], Callable[[Any], Awaitable[Any]]], transfers: Transfers
    ) -> None:
        super().__init__(context)
        self._handlers = handlers
        self._transfers = transfers
        self._patience = self._limits.deadline or self._limits.idle
        self.stopped = False
        self.terminated = True

    async def advance(self, algorithm: Algorithm[Any]) -> requests.Open | requests.Deliver | Finished:
        """Run `algorithm` and carry out its requests, until it opens, delivers or ends."""
        answer: Any = None
        error: URLError | None = None
        while True:
            await self._context.backend.take_turn()
            if self.stopped:  # by a tracer, by another thread
                self._transfers.close_all()
                raise AccessError("the operation was closed while it was running", scheme=self._scheme) from None
            request = self._step(algorithm, answer, error)
            answer = error = None
            handler = self._handlers.get(type(request))
            if handler is None and isinstance(request, _PAUSES):
                return request
            try:
                if handler is not None:
                    answer = await handler(request)
                elif isinstance(request, requests.Close):
                    self._transfers.close(request)
                elif isinstance(request, requests.Unterminated):
                    self.terminated = False
                else:
                    raise self._breach("a request, by `yield from`", request)
            except PluginContractError:
                raise
            except URLError as refusal:
                error = refusal

    def abandon(self, algorithm: Algorithm[Any]) -> None:
        """End an algorithm early. Its `finally` blocks may yield only Close."""
        try:
            request: object = algorithm.throw(GeneratorExit)
            while isinstance(request, requests.Close):
                self._transfers.close(request)
                request = algorithm.send(None)
            algorithm.close()
        except (StopIteration, GeneratorExit, URLError):
            return
        except MemoryError:
            raise
        except Exception as failure:  # noqa: BLE001  a plugin's mistake
            raise self.plugin_error(failure)  # noqa: B904  its cause is set, unless it holds a secret
        raise self._breach("Close and no other request while an operation is abandoned", request)

    def plugin_error(self, failure: Exception) -> PluginError:
        """Return the error for an exception of the plugin's own. It is the cause, unless it holds a secret."""
        text = described(failure)
        clean = self._trace.hide_in_text(text)
        error = PluginError(
            f"the algorithm of scheme {self._scheme!r} failed: {clean}",
            scheme=self._scheme,
            distribution=self._provider,
        )
        error.__cause__ = failure if clean == text else None
        return error

    @property
    def _provider(self) -> str:
        provider = self._context.operation.provider
        return (provider and provider()) or f"the algorithm of scheme {self._scheme!r}"

    def _step(self, algorithm: Algorithm[Any], answer: Any, error: URLError | None) -> object:
        began = monotonic()
        try:
            return algorithm.send(answer) if error is None else algorithm.throw(error)
        except StopIteration as end:
            return Finished(end.value)
        except URLError as raised:
            if raised is not error:  # raised by the algorithm itself
                raised.origin = self._provider
            raise
        except MemoryError:
            raise
        except Exception as failure:  # noqa: BLE001  a plugin's mistake
            raise self.plugin_error(failure)  # noqa: B904  its cause is set, unless it holds a secret
        finally:
            if monotonic() - began > self._patience:
                self._log_delay(monotonic() - began)

    def _log_delay(self, seconds: float) -> None:
        from logging import getLogger  # rarely needed

        getLogger("urlschemes").warning(
            "%s took %.1f s for one step of %s; the deadline is %.3g s",
            self._provider,
            seconds,
            self._scheme,
            self._patience,
        )
