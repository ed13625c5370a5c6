"""What one call of `check` has to do, and doing it: read, check, mend, report."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from torch_handbook.cli import fixing, output
from torch_handbook.cli.baseline import Baseline
from torch_handbook.cli.discovery import python_files
from torch_handbook.cli.examination import Examined, How, Task, examined
from torch_handbook.cli.files import STANDARD_INPUT, Misuse, SourceFile
from torch_handbook.cli.inspection import python_for
from torch_handbook.cli.project import Project, Projects
from torch_handbook.cli.reading import read, readable
from torch_handbook.cli.report import Report
from torch_handbook.cli.target import target_of
from torch_handbook.engine.baseline import Known, entries_of
from torch_handbook.engine.target import Target
from torch_handbook.source.text import Text


@dataclass
class Work:
    """One call: what was typed, and the files with what holds for each."""

    options: argparse.Namespace
    projects: Projects
    started: float = field(default_factory=time.perf_counter)
    baselines: dict[Path, Baseline] = field(default_factory=dict[Path, Baseline])
    pythons: dict[Path, str | None] = field(default_factory=dict["Path", "str | None"])
    targets: dict[Path, Target] = field(default_factory=dict[Path, Target])
    tasks: list[Task] = field(default_factory=list[Task])
    unread: bool = False  # whether a file that was named could not be read

    @staticmethod
    def of(options: argparse.Namespace) -> Work:
        """Raises Misuse."""
        if options.stdin_filename is not None:
            options.paths = [STANDARD_INPUT]
        work = Work(options, Projects.under(options))
        if options.baseline is not None:
            work.baselines[options.baseline] = Baseline.read(options.baseline)
        paths = python_files(options.paths, work.projects.filter_of)
        sources = [(path, read(path, sys.stdin.buffer, work.name_of(path))) for path in paths]
        work.unread = any(source.problem is not None and path in options.paths for path, source in sources)
        found = [(path, source) for path, source in sources for source in readable([source])]
        for path, source in found:
            work.tasks.append(work.task(path, source))
        return work

    def name_of(self, path: Path) -> str:
        return self.options.stdin_filename or "-" if path == STANDARD_INPUT else str(path)

    def task(self, path: Path, source: SourceFile) -> Task:
        project = self.projects.of(path)
        baseline = self.baseline_of(project)
        known: Known = baseline.known(source.path) if baseline else {}
        python = self.python_of(project) if project.settings.facts and "torch" in source.content else None
        return Task(source, project.settings_of(Path(source.path)), project.root, python, known, self.target_for(project))

    def target_for(self, project: Project) -> Target:
        if project.root not in self.targets:
            self.targets[project.root] = target_of(project.settings, self.options.python, project.root)
        return self.targets[project.root]

    def python_of(self, project: Project) -> str | None:
        if project.root not in self.pythons:
            self.pythons[project.root] = python_for(self.options.python, project.settings.python, project.root)
        return self.pythons[project.root]

    def baseline_of(self, project: Project) -> Baseline | None:
        """The baseline that was typed, else that of the project, whose path is relative to where it is set."""
        if self.options.write_baseline:
            return None
        path = self.options.baseline or (project.home / project.settings.baseline if project.settings.baseline else None)
        if path is None:
            return None
        if path not in self.baselines:
            self.baselines[path] = Baseline.read(path)
        return self.baselines[path]

    # What comes out

    def outcomes(self, how: How) -> Iterator[tuple[Examined, Report]]:
        """Each file in its order; what stands in the way is said at once."""
        for task, done in zip(self.tasks, examined(self.tasks, how, self.options.jobs), strict=True):
            for complaint in done.complaints:
                print(f"torch-handbook: {complaint}", file=sys.stderr)
            yield done, Report(task.source, Text(done.content), done.all, done.fixed)

    def report(self) -> int:
        """Check, mend what is to be mended, and say what is left; the exit status comes back. Raises Misuse."""
        options = self.options
        how = How(options.hints, options.fix or options.diff, options.unsafe_fixes)
        out = self.output()
        streamed = options.output_format == "text" and not options.statistics and not options.diff
        reports: list[Report] = []
        written, stale = True, 0
        for done, report in self.outcomes(how):
            reports.append(report)
            stale += sum(baseline.stale(report.path, done.again, done.looked) for baseline in self.baselines.values())
            written = self.keep(report) and written
            if streamed:
                output.print_text(report, out)
        if options.statistics:
            print(output.statistics(reports, options.output_format), file=out)
        elif not streamed and not options.diff:
            print(output.whole(options.output_format, reports), file=out)
        self.close(reports, out, stale)
        return self.status(reports) if written and not self.unread else 2

    def output(self) -> TextIO:
        """Where the report goes: not to standard output if the mended code goes there."""
        if self.options.output_file is not None:
            try:
                return self.options.output_file.open("w", encoding="utf-8", newline="\n")
            except OSError as error:
                raise Misuse(f"{self.options.output_file} cannot be written: {error.strerror or error}") from error
        return sys.stderr if self.reads_input and self.options.fix else output.standard_output()

    @property
    def reads_input(self) -> bool:
        return STANDARD_INPUT in self.options.paths

    def keep(self, report: Report) -> bool:
        """Write, print or show what the fixes made of a file; False where that cannot be."""
        if self.options.diff:
            fixing.print_bytes(fixing.difference(report).encode("utf-8", "replace"))
        elif self.options.fix and self.reads_input:
            fixing.print_bytes(report.source.form.data(report.text.content))
        elif self.options.fix and report.changed:
            problem = fixing.save(report)
            if problem:
                print(f"torch-handbook: {problem}", file=sys.stderr)
            return problem is None
        return True

    def close(self, reports: list[Report], out: TextIO, stale: int) -> None:
        """The last lines."""
        options = self.options
        if options.diff:
            print(fixing.outlook(reports), file=sys.stderr)
        elif options.fix:
            text = options.output_format == "text"
            print(fixing.summary(reports), file=out if text else sys.stderr)
        elif out.isatty() and options.output_format == "text" and not options.statistics:
            print(output.closing(reports, time.perf_counter() - self.started), file=out)
        stale += sum(baseline.lost() for baseline in self.baselines.values())
        if stale:
            names = " and ".join(map(str, self.baselines))
            words = "entry is" if stale == 1 else "entries are"
            print(f"torch-handbook: {stale} {words} in {names} in vain: --write-baseline writes it anew", file=sys.stderr)
        if options.output_file is not None:
            out.close()

    def status(self, reports: list[Report]) -> int:
        options = self.options
        if options.exit_zero:
            return 0
        if options.diff:
            return int(any(report.changed for report in reports))
        mended = options.exit_non_zero_on_fix and any(report.fixed for report in reports)
        return int(mended or any(report.findings for report in reports))

    def write_baseline(self) -> int:
        """Write down what is found now. Raises Misuse where that cannot be."""
        path: Path = self.options.write_baseline
        baseline = Baseline.read(path).without_lost() if path.exists() else Baseline(path)
        count = 0
        for done, report in self.outcomes(How(hints=True)):
            if done.broken:
                print(f"torch-handbook: {report.where(done.broken.span)}: {done.broken.message}", file=sys.stderr)
            baseline = baseline.with_file(report.path, entries_of(done.findings, report.text), done.looked)
            count += len(done.findings)
        baseline.save()
        print(f"{count} finding{'' if count == 1 else 's'} in {len(self.tasks)} files are known now: {path}", file=sys.stderr)
        return 2 if self.unread else 0
