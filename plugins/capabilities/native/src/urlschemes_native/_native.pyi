import builtins
import re
from collections.abc import Callable
from typing import Any, Literal, Self, SupportsIndex, TypeAlias

Buffer: TypeAlias = bytes | bytearray | memoryview
Form: TypeAlias = Literal["text", "raw", "lower", "number", "all", "all but the last", "last", "other"]
Column: TypeAlias = tuple[bytes | None, Any, bytes]  # offsets, data (a buffer), validity
Part: TypeAlias = tuple[str, str, Form, str, object]

class Table:
    def __new__(cls, blob: bytes, marks: tuple[str, ...]) -> Self: ...
    def spans(self, text: str, /) -> tuple[int, ...] | int: ...
    def fault(self, text: object, /) -> tuple[str, int] | None: ...
    def learn(
        self,
        name: str,
        kinds: bytes,
        ends: str,
        text: str,
        states: list[Any],
        code: str,
        position: int,
        /,
    ) -> None: ...

class Base:
    _match: re.Match[str]
    @property
    def _text(self) -> str: ...

def part_reader(
    table: Table,
    mark: str,
    form: Form,
    separator: str,
    absent: object,
    decode: Callable[[str], object],
    slow: Callable[[Any], object],
) -> Callable[[Any], Any]: ...

class Reader:
    def __new__(
        cls,
        owner: object,
        slow: Callable[..., Any],
        error: builtins.type[Exception],
        any_url: builtins.type[Any],
        limit: SupportsIndex,
    ) -> Self: ...
    def parse(self, text: str, type: builtins.type[Any] = ..., limit: int = ...) -> Any: ...  # noqa: A002  as Registry.parse
    def set(self, name: str, table: Table, kind: builtins.type[Base], parts: tuple[Part, ...], /) -> None: ...
    def remove(self, name: str, /) -> None: ...
    def unknown(
        self, offsets: Buffer, data: Buffer, validity: Buffer | None, validity_offset: int
    ) -> builtins.set[str]: ...
    def columns(
        self,
        offsets: Buffer,
        data: Buffer,
        validity: Buffer | None,
        validity_offset: int,
        parts: tuple[tuple[str, Literal["text", "raw", "number"]], ...],
        explain: Callable[[str], tuple[str, int]],
        limit: int = ...,
    ) -> tuple[
        tuple[str, ...],
        bytes,
        Column,
        Column,
        Column,
        tuple[Column, ...],
        list[int],
    ]: ...
