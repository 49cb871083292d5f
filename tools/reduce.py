"""`weft-reduce`: make IR on which a script fails as small as it gets, while the script fails on it."""

from __future__ import annotations

import argparse
import faulthandler
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ..dialect.errors import WeftError, WeftValueError
from .arguments import Parser
from .scripts import Script, Verdict

if TYPE_CHECKING:
    from .shrinking import Edit

_DESCRIPTION = """Makes MLIR on which a script fails as small as it gets.

The script is run as `script input.mlir`. It ends with a status other than 0 where the IR has the fault: it fails on the
input, and on all that weft-reduce keeps."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run weft-reduce; returns the exit status."""
    wanted = _parser().parse_args(arguments)
    try:
        return _run(wanted)
    except (WeftError, OSError) as error:
        sys.stderr.write(f"weft-reduce: error: {error}\n")
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="weft-reduce", description=_DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", nargs="?", default="-", help="the IR; - or nothing is standard input")
    parser.add_argument(
        "--test", required=True, metavar="SCRIPT", help="the script, with its first arguments"
    )
    parser.add_argument(
        "--message", metavar="TEXT", help="what the script prints, too, where the fault is the one meant"
    )
    parser.add_argument(
        "-o", metavar="FILE", default="-", help="where the result goes (default standard output)"
    )
    parser.add_argument(
        "--timeout", type=float, default=60.0, metavar="SECONDS", help="what the script may take (default 60)"
    )
    parser.add_argument(
        "--trials",
        type=int,
        default=10_000,
        metavar="COUNT",
        help="how often it is run at most (default 10000)",
    )
    parser.add_argument(
        "--allow-unregistered-dialect", action="store_true", help="accept ops of unknown dialects"
    )
    parser.add_argument(
        "--load-pass-plugin", action="append", default=[], metavar="MODULE", help="a module that defines ops"
    )
    parser.add_argument("--quiet", action="store_true", help="do not tell what was done")
    return parser


def _run(wanted: argparse.Namespace) -> int:
    from ..dialect.mlir import ir
    from ..dialect.register import context
    from .catalogue import all_passes, all_pipelines
    from .diagnostics import Collector, Renderer
    from .inputs import read_source
    from .parsing import Parser
    from .plugins import load_plugins

    load_plugins(wanted.load_pass_plugin, {*all_passes(), *all_pipelines()})
    source = read_source(wanted.file)
    context().allow_unregistered_dialects = wanted.allow_unregistered_dialect
    collector = Collector(source.name)
    with context(), ir.Location.unknown():
        with collector.attached(context()):
            try:
                module = Parser().parse(source, collector)
            except (ir.MLIRError, WeftError) as error:
                if not collector.has_errors:
                    collector.error(str(error))
        if collector.has_errors:
            renderer = Renderer({source.name: source.text})
            sys.stderr.write("".join(map(renderer.render, collector.diagnostics)))
            return 1
        context().emit_error_diagnostics = False
        reduction = Reduction(Script(wanted.test, wanted.timeout), wanted.message, wanted.trials)
        text = reduction.reduced(str(module), module.operation.get_asm(enable_debug_info=True))
        if not wanted.quiet:
            sys.stderr.write("".join(f"weft-reduce: {line}\n" for line in reduction.report()))
    if wanted.o == "-":
        sys.stdout.write(text)
    else:
        Path(wanted.o).write_text(text, encoding="utf-8")
    return 0


@dataclass
class Reduction:
    """One search: a script, what its output is to hold, and how often it may be run."""

    script: Script
    message: str | None = None
    most_trials: int = 10_000
    trials: int = 0
    has_locations: bool = False
    at_first: Verdict = field(init=False)
    done: dict[str, int] = field(default_factory=dict)
    sizes: list[int] = field(default_factory=list)
    """The number of ops, before and after."""

    def reduced(self, text: str, text_with_locations: str) -> str:
        """The smallest text that was found.

        Raises `WeftValueError` where the script does not fail on the input.
        """
        from .shrinking import EDITS

        text = self._start(text, text_with_locations)
        self.sizes.append(_count_ops(text))
        before = ""
        while text != before:
            before = text
            for name, edit in EDITS.items():
                text = self._shrink(text, name, edit)
        self.sizes.append(_count_ops(text))
        return text.rstrip("\n") + "\n"

    def _start(self, text: str, text_with_locations: str) -> str:
        self.at_first = self.script.judge(text)
        if not self.at_first.fails:
            self.at_first = self.script.judge(text_with_locations)
            text, self.has_locations = text_with_locations, True
        if not self.at_first.fails:
            raise WeftValueError(
                f"{self.script.command} passes on the input; it is to end with a status other than 0 "
                f"where the IR has the fault"
            )
        if self.message is not None and self.message not in self.at_first.output:
            raise WeftValueError(
                f"{self.script.command} fails on the input ({self.at_first}), but does not print "
                f"{self.message!r}: {self.at_first.output.strip()[-500:]}"
            )
        return text

    def _shrink(self, text: str, name: str, edit: Edit) -> str:
        """Try an edit at all places, at halves of them, and so on down to single places."""
        count = _count_places(text, edit)
        chunk = count
        while chunk:
            last = count
            while last > 0 and self.trials < self.most_trials:
                first = max(0, last - chunk)
                smaller = _edited(text, edit, range(first, last), self.has_locations)
                if smaller is not None and _is_simpler(smaller, text) and self._fails(smaller):
                    text = smaller
                    self.done[name] = self.done.get(name, 0) + (last - first)
                    count = _count_places(text, edit)
                    last = min(first, count)
                else:
                    last = first
            chunk //= 2
        return text

    def _fails(self, text: str) -> bool:
        """Whether the script fails as it did on the input: by itself, or because its time was over."""
        self.trials += 1
        found = self.script.judge(text)
        is_same = found.fails and (found.status is None) == (self.at_first.status is None)
        return is_same and (self.message is None or self.message in found.output)

    def report(self) -> Iterator[str]:
        """What was done, in lines."""
        yield f"{self.sizes[0]} ops became {self.sizes[1]} in {self.trials} trials"
        for name, count in self.done.items():
            yield f"  {count:5} {name}"
        if self.trials >= self.most_trials:
            yield f"stopped after {self.trials} trials (--trials)"


def _is_simpler(new: str, old: str) -> bool:
    """Whether a text is to be preferred: fewer lines, or fewer characters, or smaller extents."""
    from .shrinking_types import total_of_extents

    return (new.count("\n"), len(new), total_of_extents(new)) < (
        old.count("\n"),
        len(old),
        total_of_extents(old),
    )


def _count_ops(text: str) -> int:
    from ..dialect.mlir import ir
    from ..passes.rewriting import operations_of

    return len(operations_of(ir.Module.parse(text).operation))


def _count_places(text: str, edit: Edit) -> int:
    from ..dialect.mlir import ir

    return edit(ir.Module.parse(text), frozenset())


def _edited(text: str, edit: Edit, places: range, has_locations: bool) -> str | None:
    """The IR after an edit, where that is valid."""
    from ..dialect.mlir import ir

    def work() -> str | None:
        module = ir.Module.parse(text)
        try:
            edit(module, frozenset(places))
            module.operation.verify()
            found = str(module.operation.get_asm(enable_debug_info=has_locations))
            ir.Module.parse(found)
        except (ir.MLIRError, WeftError, ValueError, TypeError, IndexError):
            return None
        return found

    return _in_fork(work)


def _in_fork(work: Callable[[], str | None]) -> str | None:
    """What a function returns that runs in a process of its own: IR that is half edited may end it."""
    if not hasattr(os, "fork"):
        return work()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(reading)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # what native code says as it ends
            faulthandler.disable()
            found = work()
            if found is not None:
                with os.fdopen(writing, "w", encoding="utf-8") as pipe:
                    pipe.write(found)
                status = 0
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as pipe:
        found = pipe.read()
    _, status = os.waitpid(child, 0)
    return found if status == 0 else None


if __name__ == "__main__":
    sys.exit(main())
