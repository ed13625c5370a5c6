"""Writes `source/torch_releases.json`: which names each release of torch has, and which of them it calls deprecated.

    python -m torch_handbook.torchdocs.history FOLDER/torch FOLDER/torch …

One folder a release, each holding the Python files of its wheel. The file is made anew when a release comes out.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from torch_handbook.torchdocs import listing
from torch_handbook.torchdocs.library import Library
from torch_handbook.torchdocs.marks import Mark, marks

VERSION = re.compile(r"""^__version__\s*(?::[^=]+)?=\s*["'](\d+)\.(\d+)""", re.MULTILINE)
# The modules whose names are told completely, so that a name that none of them has is a mistake.
OWNERS = listing.words(
    "torch torch.nn torch.nn.functional torch.nn.init torch.nn.utils torch.nn.utils.rnn torch.nn.utils.parametrizations"
    " torch.optim torch.optim.lr_scheduler torch.optim.swa_utils torch.utils.data torch.autograd torch.amp torch.cuda"
    " torch.cuda.amp torch.linalg torch.fft torch.special torch.distributions torch.func torch.jit torch.Tensor"
)

Release = tuple[int, int]


def release_of(root: Path) -> Release:
    """The release of the torch in a folder: (2, 13)."""
    found = VERSION.search((root / "version.py").read_text("utf-8"))
    if found is None:
        raise ValueError(f"{root}: version.py states no version")
    return int(found[1]), int(found[2])


def history(roots: Sequence[Path]) -> dict[str, Any]:
    """All of the file. A name is followed by `+` and the release that brought it, `-` and the first one without it."""
    ordered = sorted(roots, key=release_of)
    releases = [written(release_of(root)) for root in ordered]
    marked = [{(mark.name, mark.keyword, mark.state): mark for mark in marks(root)} for root in ordered]
    names = [{owner: set(known(Library(root), owner)) for owner in OWNERS} for root in ordered]
    rows = told(releases, marked)
    wanted = sorted({row[5] for row in rows if row[5] and not row[1]} | SUCCESSORS)
    libraries = [Library(root) for root in ordered]
    return {
        "releases": releases,
        "names": {owner: " ".join(spans(releases, [release[owner] for release in names])) for owner in OWNERS},
        "marks": rows,
        "added": dict(zip(wanted, (first(releases, libraries, name) for name in wanted), strict=True)),
    }


# What our own words advise, beside what torch's do.
SUCCESSORS = set(
    listing.words(
        "torch.amp.autocast torch.amp.GradScaler torch.amp.custom_fwd torch.amp.custom_bwd torch.linalg.qr torch.linalg.svd"
        " torch.linalg.cholesky torch.linalg.lu_factor torch.linalg.lu_solve torch.linalg.solve_triangular torch.outer"
        " torch.linalg.multi_dot torch.linalg.vector_norm torch.arange torch.nn.attention.sdpa_kernel torch.compile"
        " torch.export.export torch.nn.utils.parametrizations.weight_norm torch.nn.functional.interpolate torch.func.vmap"
        " torch.set_default_device torch.utils.data.default_collate torch.utils.data.default_convert torch.nn.Upsample"
        " torch.testing.assert_close torch.log1p torch.expm1 torch.logsumexp"
    )
)


def written(release: Release) -> str:
    return f"{release[0]}.{release[1]}"


def known(library: Library, owner: str) -> Iterator[str]:
    """Every name that a module has, be it meant for others or not; of a class its public members."""
    definition = library.find(owner)
    if definition is None:
        return
    if definition.kind == "class":
        yield from listing.of_class(library, definition)
        return
    yield from everything(library, definition.module, 0)
    yield from listing.submodules(library, definition.module)


def everything(library: Library, module: str, depth: int) -> Iterator[str]:
    source = library.source(module)
    if source is None or depth > 4:
        return
    yield from (name for name in (*source.names, *source.texts, *(source.exported or ())) if not name.startswith("_"))
    for star in source.stars:
        yield from everything(library, star, depth + 1)
    if module == "torch":
        yield from everything(library, "torch._C._VariableFunctions", depth + 1)
        yield from everything(library, "torch._C", depth + 1)


def spans(releases: Sequence[str], found: Sequence[set[str]]) -> Iterator[str]:
    """Each name with the releases that it came and went with, where it was not always there."""
    for name in sorted(set[str]().union(*found)):
        there = [name in names for names in found]
        start, end = there.index(True), len(there) - there[::-1].index(True)
        came = f"+{releases[start]}" if start else ""
        yield f"{name}{came}{f'-{releases[end]}' if end < len(releases) else ''}"


def told(releases: Sequence[str], marked: Sequence[Mapping[tuple[str, str, str], Mark]]) -> list[list[str]]:
    """The marks, each with the release that it came with and the one that it went with; in the words of the last that has it."""
    rows: list[list[str]] = []
    for key in sorted(set[tuple[str, str, str]]().union(*marked)):
        there = [key in release for release in marked]
        start, end = there.index(True), len(there) - there[::-1].index(True)
        mark = marked[end - 1][key]
        since, until = releases[start] if start else "", releases[end] if end < len(releases) else ""
        rows.append([mark.name, mark.keyword, mark.state, since, until, mark.instead, mark.text])
    return rows


def first(releases: Sequence[str], libraries: Sequence[Library], name: str) -> str:
    """The first of the releases that has a name; "" if it was there before all of them."""
    start = next((index for index, library in enumerate(libraries) if library.find(name)), None)
    return "" if start is None else releases[start] if start else ""


def laid_out(made: Mapping[str, Any]) -> str:
    """As JSON with a line for each mark and each module, so that a new release is a small difference."""
    marked = ",\n".join(json.dumps(row, ensure_ascii=False) for row in made["marks"])
    named = ",\n".join(f"{json.dumps(owner)}: {json.dumps(names)}" for owner, names in made["names"].items())
    head = f'"releases": {json.dumps(made["releases"])},\n"added": {json.dumps(made["added"])}'
    return f'{{\n{head},\n"names": {{\n{named}\n}},\n"marks": [\n{marked}\n]\n}}\n'


if __name__ == "__main__":
    target = Path(__file__).parents[1] / "source" / "torch_releases.json"
    made = history([Path(argument) for argument in sys.argv[1:]])
    target.write_text(laid_out(made), "utf-8")
