"""One run of weft-opt: read, parse, run the pipeline, print; every part of a split input on its own."""

from __future__ import annotations

import difflib
import re
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from ..backend.target import compiling_for
from ..dialect.errors import PassError, WeftError, WeftValueError
from ..dialect.mlir import Module, ir
from ..dialect.parsing import first_unquoted_op
from ..dialect.register import context
from ..frontend.artifacts.foreign_ir import place_that_is_no_text, require_known_form
from ..passes.pipeline import Observer, Step, check_steps, parse_pipeline, pipeline_text, run_pipeline
from ..passes.timing import CompileTimes, phase
from .catalogue import all_passes, all_pipelines, all_text_passes, dialects_text, passes_text
from .diagnostics import Collector, Renderer
from .emission import bytecode_of, emission_pipelines, emit
from .expectations import unmet
from .guard import CrashNote
from .inputs import SPLIT_MARKER, STANDARD_INPUT, Source, read_source
from .instrumentation import make_observers, pass_names, print_module, report
from .native_output import captured_stderr
from .options import HELP, Options
from .python_functions import is_function_reference, trace_function
from .reproducer import Reproducer, read_reproducer
from .running import run_function

Output: TypeAlias = "str | bytes"


_PLACE = re.compile(r'loc\("-":(\d+):(\d+)\)')
"""The text of a location in the input."""


def requested_steps(options: Options) -> list[Step]:
    """The steps that the command line asks for, checked: `--pass-pipeline` or one flag per pass."""
    if options.pass_pipeline and options.steps:
        raise WeftValueError(f"--{options.steps[0].name} and --pass-pipeline exclude each other")
    text = options.pass_pipeline or pipeline_text(options.steps)
    flags = {} if options.pass_pipeline else {step.name: step for step in options.steps}
    steps = parse_pipeline(text, passes=all_passes(), pipelines=all_pipelines())
    for step in steps:
        with captured_stderr() as captured:
            try:
                check_steps([step], all_passes())
            except WeftValueError as error:
                if step.name in flags and "does not refer to a registered pass" in str(error):
                    raise WeftValueError(_unknown_flag(step.name)) from error
                # What is wrong with the value of an option, MLIR prints itself.
                detail = captured().strip().removeprefix(": ")
                raise WeftValueError(f"{error}{': ' if detail else ''}{detail}") from error
    return steps


def require_known_passes(options: Options) -> None:
    """Raise `WeftValueError` unless the passes to print around are passes."""
    for option in ("mlir-print-ir-before", "mlir-print-ir-after"):
        for name in pass_names(getattr(options, option.replace("-", "_"))) - all_text_passes().keys():
            try:
                check_steps([Step(name)], all_passes())
            except WeftValueError:
                close = difflib.get_close_matches(name, all_passes(), n=1)
                hint = f"; did you mean {close[0]}?" if close else ""
                raise WeftValueError(f"--{option}: {name!r} is no pass{hint}") from None


def _unknown_flag(name: str) -> str:
    close = difflib.get_close_matches(name, [*HELP, *all_passes(), *all_pipelines()], n=1)
    return f"--{name} is no option and no pass" + (f"; did you mean --{close[0]}?" if close else "")


def _refuse_unquoted_op(source: Source) -> None:
    """Give a diagnostic at the op that MLIR could not read without one."""
    op = first_unquoted_op(source.text)
    if op is not None:
        ir.Location.file(source.name, op.line, op.column).emit_error(op.message)


@dataclass
class Session:
    """Works through the input with the options of one command line."""

    options: Options
    note: CrashNote = field(default_factory=CrashNote)
    renderer: Renderer = field(default_factory=lambda: Renderer({}))
    steps: list[Step] = field(default_factory=list)
    observers: list[Observer] = field(default_factory=list)
    times: CompileTimes = field(default_factory=CompileTimes)
    reproducer: Reproducer = field(init=False)

    def run(self) -> int:
        """Run on the whole input, write the output, return the exit status."""
        options = self.options
        if options.show_dialects or options.list_passes:
            self._write([dialects_text() if options.show_dialects else passes_text()])
            return 0
        context().allow_unregistered_dialects = options.allow_unregistered_dialect
        try:
            with context(), ir.Location.unknown():
                return self._run_on_input()
        finally:
            context().allow_unregistered_dialects = False

    def _run_on_input(self) -> int:
        options = self.options
        source = self._read()
        if options.run_reproducer:
            source, options.pass_pipeline = read_reproducer(source)
        if options.emit_bytecode and options.emit != "mlir":
            raise WeftValueError(f"--emit-bytecode and --emit={options.emit} exclude each other")
        if options.args and not options.run:
            raise WeftValueError("--args are for the function that --run names")
        if options.stage:
            self._write([source.text])
            return 0
        self.steps = requested_steps(options)
        require_known_passes(options)
        if options.dump_pass_pipeline:
            sys.stderr.write(pipeline_text(self.steps) + "\n")
        self.renderer.sources[source.name] = source.text
        self.observers = [self.note, *make_observers(options)]
        with Reproducer(
            options.mlir_pass_pipeline_crash_reproducer, source, self.steps, options.verify_each
        ) as self.reproducer:
            parts = list(source.split()) if options.split_input_file else [source]
            if options.emit_bytecode and len(parts) > 1:
                raise WeftValueError("--emit-bytecode writes one module, and the input has several parts")
            with compiling_for(options.target), self.times.recording():
                outcomes = [self._work(part) for part in parts]
            self.reproducer.failed = not all(passed for passed, _ in outcomes)
        self._write([output for _, output in outcomes if output is not None])
        sys.stderr.write(report(self.observers, self.times if options.mlir_timing else None))
        return 1 if self.reproducer.failed else 0

    def _read(self) -> Source:
        """The text to work on: of a file, of standard input, or of what a Python function is traced to."""
        options = self.options
        if is_function_reference(options.source):
            return trace_function(
                options.source,
                options.spec,
                options.stage or "weft",
                options.target,
                has_locations=options.mlir_print_debuginfo,
            )
        if options.spec or options.stage:
            raise WeftValueError(
                f"--spec and --stage are for Python functions, which {options.source} is not"
            )
        return read_source(options.source)

    def _work(self, source: Source) -> tuple[bool, Output | None]:
        """Work on one text: whether all went as it should, and what to print unless there were errors."""
        collector = Collector(source.name)
        with collector.attached(context()):
            output = self._transform(source, collector)
        diagnostics = collector.diagnostics
        if self.options.verify_diagnostics:
            diagnostics = unmet(source, diagnostics)
            passed = not diagnostics
        else:
            passed = not collector.has_errors
        for diagnostic in diagnostics:
            sys.stderr.write(self.renderer.render(diagnostic))
        return passed, None if collector.has_errors else output

    def _transform(self, source: Source, collector: Collector) -> Output | None:
        """Parse, run the pipeline, print; errors go to the collector, whatever they are."""
        try:
            self.note.write("while parsing the input")
            with phase("parse"):
                module = self._parse(source, collector)
            require_known_form(module)
            run_pipeline(
                module,
                self.steps,
                passes=all_passes(),
                observers=self.observers,
                verify=self.options.verify_each,
            )
            if self.options.run:
                self.note.write(f"while running {self.options.run}")
                return run_function(str(module), self.options.run, self.options.args)
            self.note.write(f"while emitting {self.options.emit}")
            if self.options.emit_bytecode:
                return bytecode_of(module)
            if self.options.emit == "mlir":
                return print_module(module, self.options, source.name)
            pipelines = emission_pipelines(module)
            self.reproducer.begin_emission(pipelines)
            return emit(
                module,
                self.options.emit,
                pipelines,
                verify=self.options.verify_each,
                observers=self.observers,
            )
        except ir.MLIRError as error:
            if not collector.has_errors:
                collector.error(str(error))
        except UnicodeDecodeError as error:  # of a diagnostic of the reader of bytecode
            collector.error(f"the input holds a text that is not UTF-8: {error.object[:40]!r}")
        except WeftError as error:
            is_told = isinstance(error, PassError) and collector.has_errors
            if not is_told and not self._diagnose_at_its_op(source, error):
                collector.error(str(error))
        except Exception as error:  # a mistake in weft itself must not end in a traceback
            if self.options.mlir_print_stacktrace_on_diagnostic:
                traceback.print_exc()
            collector.error(f"internal error {self.note.read()}: {type(error).__name__}: {error}")
        return None

    def _diagnose_at_its_op(self, source: Source, error: WeftError) -> bool:
        """Show what a pass says of an op at the line of the op; False where the error names none of the input."""
        said = error.__cause__ if isinstance(error, PassError) and error.__cause__ is not None else error
        place = _PLACE.fullmatch(getattr(said, "at", ""))
        if place is None:
            return False
        ir.Location.file(source.name, int(place[1]), int(place[2])).emit_error(str(said))
        return True

    def _parse(self, source: Source, collector: Collector) -> Module:
        """The module of a source all of whose names and strings are texts: the bindings end the process at others."""
        if source.bytecode is None:
            self._require_texts(source, source.text)
        try:
            module = ir.Module.parse(source.content)
        except ir.MLIRError:
            if source.bytecode is None and not collector.has_errors:
                _refuse_unquoted_op(source)
            raise
        if source.bytecode is not None:
            self._require_texts(source, module.operation.get_asm(enable_debug_info=True))
        return module

    def _require_texts(self, source: Source, text: str) -> None:
        place = place_that_is_no_text(text)
        if place is None:
            return
        message = f"a name or string is not UTF-8: {text[place : place + 12]}"
        if source.bytecode is None:
            line, column = text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place)
            ir.Location.file(source.name, line, column).emit_error(message)
        raise PassError(message)

    def _write(self, outputs: Sequence[Output]) -> None:
        """Write the results, with the marker of `--split-input-file` between them."""
        marker = f"{SPLIT_MARKER}\n".encode()
        content = marker.join(o.encode() if isinstance(o, str) else o for o in outputs)
        if not outputs:
            return
        if self.options.o != STANDARD_INPUT:
            Path(self.options.o).write_bytes(content)
        elif isinstance(outputs[0], bytes):
            sys.stdout.buffer.write(content)
        else:
            sys.stdout.write(content.decode())
