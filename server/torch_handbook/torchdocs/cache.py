"""The cache file of one torch: everything that is said of it, as JSON, so that it is read in milliseconds."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from torch_handbook.torchdocs.describe import Doc, Outline
from torch_handbook.torchdocs.signature import Parameter

FORMAT = 3  # raised when what is stored changes
ABANDONED = 600.0  # seconds after which a half-written file has no writer any more


class Store:
    """One cache file. A missing, damaged or stale one is as good as none."""

    def __init__(self, folder: Path, torch_path: Path, version: str | None) -> None:
        self.stamp = [FORMAT, version or "", str(torch_path), stamp_of(torch_path)]
        digest = hashlib.sha256(str(torch_path).encode("utf-8", "surrogatepass")).hexdigest()[:12]
        self.marks_path = folder / f"marks-{version or 'unknown'}-{digest}.json"
        self.path = folder / f"torch-{version or 'unknown'}-{digest}.json"
        self._read: dict[str, Any] | None = None

    @property
    def data(self) -> dict[str, Any]:
        """What the file holds; empty where it does not hold."""
        if self._read is None:
            self._read = self.load()
        return self._read

    @property
    def is_fresh(self) -> bool:
        return bool(self.data)

    def load(self) -> dict[str, Any]:
        try:
            found = json.loads(self.path.read_text("utf-8"))
            whole = found["stamp"] == self.stamp and isinstance(found["docs"], dict) and isinstance(found["members"], dict)
        except (OSError, ValueError, KeyError, TypeError):
            return {}
        return found if whole else {}

    def doc(self, name: str) -> Doc | None:
        row = self.data.get("docs", {}).get(name)
        try:
            doc = unpacked(row) if row else None
        except (TypeError, ValueError):
            return None
        target = self.doc(doc.see) if doc and doc.see and doc.see != name else None
        return replace(doc, docstring=f"{doc.docstring}\n\n{target.docstring}") if doc and target else doc

    def outline(self, name: str) -> Outline | None:
        """What a list shows of a name, without reading the rest."""
        row = self.data.get("docs", {}).get(name)
        return Outline(row[1], row[5] is not None, row[2]) if row else None

    def members(self, name: str) -> list[str] | None:
        found: list[str] | None = self.data.get("members", {}).get(name)
        return found

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
        rows = {name: packed(doc, docs.get(doc.see or "")) for name, doc in docs.items()}
        self.put(self.path, {"stamp": self.stamp, "docs": rows, "members": dict(members)})

    def put(self, path: Path, whole: dict[str, Any]) -> None:
        text = json.dumps(whole, ensure_ascii=False, separators=(",", ":"))
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
    return [doc.name, doc.kind, doc.signature, own, parameters, doc.deprecated, list(doc.overloads), see]


def unpacked(row: list[Any]) -> Doc:
    name, kind, signature, docstring, parameters, deprecated, overloads, see = row
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
