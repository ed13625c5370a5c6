"""The cache file of one torch: everything that is said of it, as JSON, so that it is read in milliseconds."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from torch_handbook.torchdocs.doc import Doc, Outline, Parameter

FORMAT = 6  # raised when what is stored changes
ABANDONED = 600.0  # seconds after which a half-written file has no writer any more
Rows = dict[bytes, bytes]  # the lines of the file by what they are about


class Store:
    """One cache file. A missing, damaged or stale one is as good as none.

    Each line is JSON. The first one says of which torch the file is, and how many lines follow; each of the others begins with
    the name that it is about, for the members of a class or module followed by a dot, and is read when it is asked for.
    """

    def __init__(self, folder: Path, torch_path: Path, version: str | None) -> None:
        self.stamp = [FORMAT, version or "", str(torch_path), stamp_of(torch_path)]
        digest = hashlib.sha256(str(torch_path).encode("utf-8", "surrogatepass")).hexdigest()[:12]
        self.marks_path = folder / f"marks-{version or 'unknown'}-{digest}.json"
        self.path = folder / f"torch-{version or 'unknown'}-{digest}.json"

    @cached_property
    def rows(self) -> Rows:
        """The lines of the file; none where it does not hold."""
        try:
            head, _, body = self.path.read_bytes().partition(b"\n")
            found = json.loads(head)
            lines = body.splitlines()
            if found != {"stamp": self.stamp, "rows": len(lines)}:
                return {}
            return {line.split(b'"', 2)[1]: line for line in lines}
        except (OSError, ValueError, IndexError):
            return {}

    @property
    def is_fresh(self) -> bool:
        return bool(self.rows)

    def row(self, key: str) -> list[Any] | None:
        """A line of the file, without its name."""
        line = self.rows.get(key.encode("utf-8", "surrogatepass"))
        try:
            return json.loads(line)[1:] if line and line.startswith(b"[") else None
        except ValueError:
            return None

    def doc(self, name: str) -> Doc | None:
        row = self.row(name)
        try:
            doc = unpacked(name, row) if row else None
        except (TypeError, ValueError):
            return None
        target = self.doc(doc.see) if doc and doc.see and doc.see != name else None
        return replace(doc, docstring=f"{doc.docstring}\n\n{target.docstring}") if doc and target else doc

    def outline(self, name: str) -> Outline | None:
        """What a list shows of a name, without making a doc of it."""
        row = self.row(name)
        return Outline(row[0], row[1] is not None, row[2]) if row and len(row) > 2 else None

    def members(self, name: str) -> list[str] | None:
        """The names below a class or module; None of one that is not in the file."""
        return self.row(f"{name}.")

    def marks(self) -> list[list[str]] | None:
        """The names that this torch calls deprecated, if they were read before."""
        try:
            found = json.loads(self.marks_path.read_text("utf-8"))
            rows: list[list[str]] = [[str(word) for word in row] for row in found["rows"]]
            return rows if found["stamp"] == self.stamp and all(len(row) == 7 for row in rows) else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def write_marks(self, rows: list[list[str]]) -> None:
        self.put(self.marks_path, {"stamp": self.stamp, "rows": rows})

    def write(self, docs: Mapping[str, Doc], members: Mapping[str, list[str]]) -> None:
        """Replace the file at once, so that no reader ever sees a half; a folder that cannot be written to is left alone."""
        rows = [[name, *packed(doc, docs.get(doc.see or ""))] for name, doc in docs.items()]
        rows += [[f"{name}.", *names] for name, names in members.items()]
        self.put(self.path, {"stamp": self.stamp, "rows": len(rows)}, *rows)

    def put(self, path: Path, *rows: Any) -> None:
        import tempfile  # with all that it takes to invent names, which readers do without

        text = "\n".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self.tidy(path.stem)
            handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.stem, suffix=".tmp")
        except OSError:
            return
        try:
            with os.fdopen(handle, "w", encoding="utf-8", errors="surrogatepass") as file:
                file.write(text)
            Path(name).replace(path)
        except OSError:
            Path(name).unlink(missing_ok=True)

    def tidy(self, stem: str) -> None:
        """Remove what was left of a writer that was ended in the middle."""
        for half in self.path.parent.glob(f"{stem}*.tmp"):
            if time.time() - half.stat().st_mtime > ABANDONED:
                half.unlink(missing_ok=True)


def packed(doc: Doc, target: Doc | None) -> list[Any]:
    """A doc as a row of JSON, without the docstring of another name that follows its own."""
    parameters = [[item.name, item.default, item.annotation, item.kind] for item in doc.parameters]
    own = doc.docstring.removesuffix(target.docstring).rstrip() if target else doc.docstring
    see = doc.see if target else None
    return [doc.kind, doc.deprecated, doc.signature, own, parameters, list(doc.overloads), see]


def unpacked(name: str, row: list[Any]) -> Doc:
    kind, deprecated, signature, docstring, parameters, overloads, see = row
    return Doc(
        name, kind, signature, docstring, tuple(Parameter(*item) for item in parameters), deprecated, tuple(overloads), see
    )


def stamp_of(torch_path: Path) -> str:
    """What changes when another torch is put into the same folder."""
    parts: list[str] = []
    for name in ("version.py", "_torch_docs.py", "__init__.py"):
        try:
            found = (torch_path / name).stat()
        except OSError:
            continue
        parts.append(f"{found.st_size}:{found.st_mtime_ns}")
    return " ".join(parts)
