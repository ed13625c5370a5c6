"""Bytes of a Python file to text, in the encoding that it declares."""

from __future__ import annotations

import io
import tokenize


def decode(data: bytes) -> str:
    """The text, line ends kept, by a byte order mark, PEP 263, else as UTF-8.

    Raises SyntaxError, LookupError or UnicodeDecodeError.
    """
    return data.decode(encoding_of(data))


def encoding_of(data: bytes) -> str:
    """The encoding that a file declares, for reading and for writing it back. Raises SyntaxError or LookupError."""
    return tokenize.detect_encoding(io.BytesIO(data).readline)[0]
