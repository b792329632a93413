"""Tests of data frames. Those with pandas are skipped where it is not installed."""

import ctypes
import importlib.util
import struct
import unittest

from loadbay.frames import rows_of

INT, BOOL, STRING, DATETIME = 0, 20, 21, 22
NON_NULLABLE, BITMASK = 0, 3


class Buffer:
    """Memory of a column."""

    def __init__(self, content):
        self._kept = ctypes.create_string_buffer(content, len(content))
        self.ptr, self.bufsize = ctypes.addressof(self._kept), len(content)


class Column:
    """A column as Arrow and polars store it: with an offset, a bit for each valid value, and 32-bit ends of texts."""

    def __init__(self, dtype, size, data, *, offset=0, valid=None, ends=None):
        self.dtype, self.offset, self._size = dtype, offset, size
        self._buffers = {
            "data": (Buffer(data), dtype),
            "validity": valid and (Buffer(valid), (BOOL, 1, "b", "=")),
            "offsets": ends and (Buffer(struct.pack(f"{len(ends)}i", *ends)), (INT, 32, "i", "=")),
        }
        self.describe_null = (BITMASK, 0) if valid else (NON_NULLABLE, None)

    def size(self):
        return self._size

    def get_buffers(self):
        return self._buffers


class Frame:
    def __init__(self, *chunks):
        self._chunks = chunks

    def __dataframe__(self):
        return self

    def get_chunks(self):
        return (Chunk(columns) for columns in self._chunks)


class Chunk:
    def __init__(self, columns):
        self._columns = columns

    def column_names(self):
        return list(self._columns)

    def get_column_by_name(self, name):
        return self._columns[name]


class ProtocolTest(unittest.TestCase):
    def test_columns_of_arrow(self):
        texts = Column((STRING, 8, "u", "="), 2, "aé€".encode(), offset=1, valid=b"\x05", ends=[0, 1, 1, 6])
        flags = Column((BOOL, 1, "b", "="), 2, b"\x02")
        days = Column((DATETIME, 32, "tdD", "="), 2, struct.pack("2i", 0, 20605))
        times = Column((DATETIME, 64, "tsm:Europe/Paris", "="), 2, struct.pack("2q", 0, 1500))
        rows = list(rows_of(Frame({"text": texts, "flag": flags, "day": days, "time": times})))
        self.assertEqual(rows[0], {"text": None, "flag": False, "day": "1970-01-01", "time": "1970-01-01T00:00:00+00:00"})
        self.assertEqual(rows[1], {"text": "é€", "flag": True, "day": "2026-06-01", "time": "1970-01-01T00:00:01.500000+00:00"})

    def test_chunks_follow_each_other(self):
        chunks = [{"n": Column((INT, 64, "l", "="), 1, struct.pack("q", n))} for n in (1, 2)]
        self.assertEqual(list(rows_of(Frame(*chunks))), [{"n": 1}, {"n": 2}])

    def test_unknown_columns_are_named(self):
        with self.assertRaisesRegex(TypeError, "column x cannot be read"):
            list(rows_of(Frame({"x": Column((INT, 128, "?", "="), 1, b"")})))
        with self.assertRaisesRegex(TypeError, "no data frame"):
            list(rows_of([{"a": 1}]))


@unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed")
class PandasTest(unittest.TestCase):
    def test_values_and_missing_values(self):
        import pandas

        frame = pandas.DataFrame(
            {
                "email": ["a@x.org", None, "é@x.org"],
                "count": [1, 2, 3],
                "weight": [1.5, None, 2.0],
                "paid": [True, False, True],
                "at": pandas.to_datetime(["2026-01-02", "2026-03-04T05:06:07", None]),
                "kind": pandas.Categorical(["x", None, "y"]),
            }
        )
        last = {"email": "é@x.org", "count": 3, "weight": 2.0, "paid": True, "at": None, "kind": "y"}
        rows = list(rows_of(frame))
        self.assertEqual(rows[0], {"email": "a@x.org", "count": 1, "weight": 1.5, "paid": True, "at": "2026-01-02T00:00:00", "kind": "x"})
        self.assertEqual(rows[1], {"email": None, "count": 2, "weight": None, "paid": False, "at": "2026-03-04T05:06:07", "kind": None})
        self.assertEqual(rows[2], last)
        self.assertEqual(list(rows_of(frame[2:])), [last])

    def test_columns_of_objects_are_refused(self):
        import pandas

        with self.assertRaisesRegex(TypeError, "column mixed cannot be read"):
            list(rows_of(pandas.DataFrame({"mixed": [1, "a"]})))
