"""Bytes of a Python file to text, in the encoding that it declares."""

from __future__ import annotations

import io
import tokenize


def decode(data: bytes) -> str:
    """The text, line ends kept, by a byte order mark, PEP 263, else as UTF-8.

    Raises SyntaxError, LookupError or UnicodeDecodeError.
    """
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    return data.decode(encoding)
