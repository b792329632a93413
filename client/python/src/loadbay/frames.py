"""Reads data frames by the interchange protocol, which pandas and polars have, without importing either."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from datetime import date, datetime, timedelta, timezone
from typing import Any

# Kinds of columns (DtypeKind of the protocol).
_INT, _UINT, _FLOAT, _BOOL, _STRING, _DATETIME, _CATEGORICAL = 0, 1, 2, 20, 21, 22, 23
# Representations of missing values (ColumnNullType).
_NON_NULLABLE, _NAN, _SENTINEL, _BITMASK, _BYTEMASK = range(5)

_CODES = {(_INT, 8): "b", (_INT, 16): "h", (_INT, 32): "i", (_INT, 64): "q"}
_CODES |= {(_UINT, 8): "B", (_UINT, 16): "H", (_UINT, 32): "I", (_UINT, 64): "Q"}
_CODES |= {(_FLOAT, 32): "f", (_FLOAT, 64): "d", (_BOOL, 8): "B", (_DATETIME, 64): "q", (_DATETIME, 32): "i"}
_UNITS = {"s": 1, "m": 10**3, "u": 10**6, "n": 10**9}  # a second in each


def rows_of(frame: Any) -> Iterator[dict[str, Any]]:
    """Iterates over the rows of a data frame. None is a missing value, and times are in ISO 8601.

    Raises TypeError for columns with values other than numbers, texts, booleans, dates, times and categories.
    """
    if not hasattr(frame, "__dataframe__"):
        raise TypeError("the object is no data frame: it has no method __dataframe__")
    for chunk in frame.__dataframe__().get_chunks():
        names = list(chunk.column_names())
        for values in zip(*(_column(chunk, name) for name in names), strict=True):
            yield dict(zip(names, values, strict=True))


def _column(chunk: Any, name: str) -> list[Any]:
    """Returns the values of a column by its name."""
    try:
        return _values(chunk.get_column_by_name(name))
    except (NotImplementedError, TypeError, ValueError) as error:
        raise TypeError(f"the column {name} cannot be read, so convert it to text first: {error}") from error


def _values(column: Any) -> list[Any]:
    """Returns the values of a column."""
    kind, bits, form, _ = column.dtype
    buffers = column.get_buffers()
    if kind == _STRING:
        values: list[Any] = _texts(column, buffers)
    elif kind == _BOOL and bits == 1:
        values = _bits(column, *buffers["data"])
    else:
        values = _numbers(column, buffers["data"])
    values = _without_missing(column, values, buffers["validity"])
    if kind == _CATEGORICAL:
        categories = column.describe_categorical["categories"]
        if categories is None:
            raise TypeError("a column of categories has no names of them")
        names = _values(categories)
        return [None if value is None or value < 0 else names[value] for value in values]
    if kind == _DATETIME:
        return [None if value is None else _time(value, form) for value in values]
    if kind == _BOOL:
        return [None if value is None else bool(value) for value in values]
    return values


def _numbers(column: Any, data: tuple[Any, Any]) -> list[Any]:
    buffer, (kind, bits, _, _) = data
    if (kind, bits) not in _CODES:
        raise TypeError(f"a column has values of the kind {kind} with {bits} bits, which cannot be imported")
    start = column.offset
    return _memory(buffer).cast(_CODES[kind, bits])[start : start + column.size()].tolist()


def _texts(column: Any, buffers: Any) -> list[str]:
    offsets, (_, bits, _, _) = buffers["offsets"]
    ends = _memory(offsets).cast("q" if bits == 64 else "i")
    text, start = _memory(buffers["data"][0]), column.offset
    return [bytes(text[ends[i] : ends[i + 1]]).decode() for i in range(start, start + column.size())]


def _bits(column: Any, buffer: Any, _dtype: Any = None) -> list[int]:
    memory, start = _memory(buffer), column.offset
    return [memory[i >> 3] >> (i & 7) & 1 for i in range(start, start + column.size())]


def _without_missing(column: Any, values: list[Any], validity: tuple[Any, Any] | None) -> list[Any]:
    """Returns the values with None in place of missing ones."""
    null, marker = column.describe_null
    if null == _NAN:
        return [None if value != value else value for value in values]
    if null == _SENTINEL:
        return [None if value == marker else value for value in values]
    if null in (_BITMASK, _BYTEMASK) and validity:
        # marker is the state that means missing.
        states = _bits(column, *validity) if null == _BITMASK else _memory(validity[0])[column.offset : column.offset + column.size()].tolist()
        return [None if state == marker else value for value, state in zip(values, states, strict=True)]
    return values


def _time(value: int, form: str) -> str:
    """Returns a date or a time of the Arrow format form, such as tdD or tsn:Europe/Paris, in ISO 8601."""
    if form.startswith("td"):
        return (date(1970, 1, 1) + timedelta(days=value if form == "tdD" else value // 86_400_000)).isoformat()
    if not form.startswith("ts"):
        raise TypeError(f"a column has times of the format {form}, which cannot be imported")
    seconds, rest = divmod(value, _UNITS[form[2]])
    moment = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=seconds, microseconds=rest * 10**6 // _UNITS[form[2]])
    return (moment if form[4:] else moment.replace(tzinfo=None)).isoformat()


def _memory(buffer: Any) -> memoryview:
    """Returns the bytes of a buffer. They are copied: the frame may free them."""
    return memoryview(ctypes.string_at(buffer.ptr, buffer.bufsize) if buffer.bufsize else b"")
