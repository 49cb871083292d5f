"""Diagnostics as a C compiler prints them: `file:line:col: error: text`, the source line, and a caret."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field
from pathlib import Path
from typing import Any

from ..dialect.records import dataclass

_FILE_LOCATION = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+):(\d+)')
STANDARD_INPUT = "-"


@dataclass(frozen=True)
class Diagnostic:
    """One message about a place in a file; line 0 stands for no known place."""

    severity: str
    file: str
    line: int
    column: int
    message: str
    notes: tuple[Diagnostic, ...] = ()

    def walk(self) -> Iterator[Diagnostic]:
        """The diagnostic and its notes."""
        yield self
        for note in self.notes:
            yield from note.walk()


def _convert(raw: Any, input_name: str) -> Diagnostic:
    """Read MLIR's diagnostic; a chain of call sites counts as its first file location."""
    file, line, column = input_name, 0, 0
    if match := _FILE_LOCATION.search(str(raw.location)):
        file, line, column = match[1], int(match[2]), int(match[3])
    notes = tuple(_convert(note, input_name) for note in raw.notes)
    severity = raw.severity.name.lower()
    return Diagnostic(
        severity, input_name if file == STANDARD_INPUT else file, line, column, _message(raw), notes
    )


def _message(raw: Any) -> str:
    """The message, which may quote texts of bytecode that nobody has checked."""
    try:
        return str(raw.message)
    except UnicodeDecodeError as error:
        return bytes(error.object).decode("utf-8", "backslashreplace")


@dataclass
class Collector:
    """Receives the diagnostics of a context while one input is worked on."""

    input_name: str
    diagnostics: list[Diagnostic] = field(default_factory=list)

    @property
    def has_errors(self) -> bool:
        """Whether an error was reported."""
        return any(diagnostic.severity == "error" for diagnostic in self.diagnostics)

    def error(self, message: str, line: int = 0, column: int = 0) -> None:
        """Report an error of our own."""
        self.diagnostics.append(Diagnostic("error", self.input_name, line, column, message))

    @contextmanager
    def attached(self, context: Any) -> Iterator[None]:
        """Receive what MLIR reports in the context, errors included."""

        def receive(raw: Any) -> bool:
            self.diagnostics.append(_convert(raw, self.input_name))
            return True

        before = context.emit_error_diagnostics
        context.emit_error_diagnostics = True
        handler = context.attach_diagnostic_handler(receive)
        try:
            yield
        finally:
            handler.detach()
            context.emit_error_diagnostics = before


@dataclass
class Renderer:
    """Formats diagnostics, with source lines from the texts that were read or from the files they name."""

    sources: dict[str, str]

    def render(self, diagnostic: Diagnostic) -> str:
        """The text of a diagnostic and its notes."""
        return "".join(self._render_one(d) for d in diagnostic.walk())

    def _render_one(self, diagnostic: Diagnostic) -> str:
        place = diagnostic.file
        if diagnostic.line:
            place += f":{diagnostic.line}:{diagnostic.column}"
        text = f"{place}: {diagnostic.severity}: {diagnostic.message}\n"
        line = self._source_line(diagnostic)
        if line is not None:
            # The caret keeps the tabs of the line, so that it stands below the right column.
            margin = "".join(
                "\t" if character == "\t" else " " for character in line[: diagnostic.column - 1]
            )
            text += f"{line}\n{margin}^\n"
        return text

    def _source_line(self, diagnostic: Diagnostic) -> str | None:
        if not diagnostic.line:
            return None
        if diagnostic.file not in self.sources:
            try:
                self.sources[diagnostic.file] = Path(diagnostic.file).read_text(encoding="utf-8")
            except (OSError, ValueError):
                self.sources[diagnostic.file] = ""
        lines = self.sources[diagnostic.file].splitlines()
        return lines[diagnostic.line - 1] if diagnostic.line <= len(lines) else None
