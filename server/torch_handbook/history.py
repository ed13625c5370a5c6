"""Earlier benchmarks of the same code, kept in one SQLite file in the user's data folder."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from platformdirs import user_data_path
from torch_handbook_worker.protocol import BenchmarkResult, Machine

T = TypeVar("T")

SCHEMA = """
create table if not exists run (
    at real not null, path text not null, code text not null, title text not null,
    median real not null, low real not null, high real not null, runs integer not null, memory integer,
    device text not null, threads integer not null, torch text not null, python text not null
);
create index if not exists run_of_code on run (path, code, at);
"""
KEPT = 5000  # rows; a run is a few hundred bytes
WAIT_SECONDS = 2.0  # for another server that is writing


@dataclass(frozen=True)
class Past:
    """One earlier measurement."""

    at: float  # seconds since 1970
    median: float
    low: float
    high: float
    torch: str


@dataclass(frozen=True)
class History:
    """The file; it is opened for each use, so that several editors can share it. What cannot be read or written is left out."""

    path: Path

    @staticmethod
    def of_user() -> History:
        """The one in the user's data folder."""
        return History(user_data_path("torch-handbook", appauthor=False) / "benchmarks.sqlite")

    def add(self, path: str, result: BenchmarkResult) -> None:
        """Keep the timings of a benchmark of a file."""
        if result.machine is None or not result.timings:
            return
        now, where = time.time(), machine_key(result.machine)
        rows = [
            (now, path, item.code, item.title, item.median, item.low, item.high, item.runs, item.peak_memory, *where)
            for item in result.timings
        ]

        def insert(database: sqlite3.Connection) -> None:
            database.executemany(f"insert into run values ({', '.join('?' * 13)})", rows)
            database.execute("delete from run where rowid not in (select rowid from run order by at desc limit ?)", (KEPT,))

        self.within(insert)

    def last(self, path: str, code: str, machine: Machine) -> Past | None:
        """The latest measurement of the same code of a file on the same device with as many threads, whatever the torch."""
        query = (
            "select at, median, low, high, torch from run where path = ? and code = ? and device = ? and threads = ? "
            "order by at desc limit 1"
        )
        device, threads, *_ = machine_key(machine)
        row = self.within(lambda database: database.execute(query, (path, code, device, threads)).fetchone())
        return Past(*row) if row else None

    def within(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        """Do something in a transaction; None where the folder cannot be written to, or the file is not a database."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.path, timeout=WAIT_SECONDS)) as database, database:
                database.executescript(SCHEMA)
                return work(database)
        except (OSError, sqlite3.Error):
            return None


def machine_key(machine: Machine) -> tuple[str, int, str, str]:
    return f"{machine.device}: {machine.device_name}", machine.threads, machine.torch, machine.python
