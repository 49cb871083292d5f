"""One run of weft-opt: read, parse, run the pipeline, print; every part of a split input on its own."""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import field
from pathlib import Path
from typing import TypeAlias

from ..dialect.errors import PassError, WeftError, WeftValueError
from ..dialect.mlir import ir
from ..dialect.records import dataclass
from ..dialect.register import context
from ..frontend.artifacts.foreign_ir import require_known_form
from ..passes.pipeline import ROOT, Observer, Step, pipeline_text, run_pipeline
from ..passes.timing import CompileTimes, phase
from .catalogue import all_passes, all_pipelines, all_schedules, dialects_text, passes_text
from .diagnostics import Collector, Diagnostic, Renderer
from .expectations import unmet
from .guard import CrashNote
from .inputs import STANDARD_INPUT, Source, near_misses, read_source
from .instrumentation import make_observers, report
from .ir_printing import print_module
from .options import Options
from .parsing import Parser, define_dialects, require_root, require_roundtrip, rooted_anywhere
from .plugins import add_all_ops, add_all_passes, load_plugins, outside_of
from .python_functions import is_function_reference, trace_function
from .remarks import remarking
from .reproducer import Reproducer, read_reproducer
from .requested import requested_steps, require_known_passes

Output: TypeAlias = "str | bytes"


_PLACE = re.compile(r'loc\("-":(\d+):(\d+)\)')
"""The text of a location in the input."""


@dataclass
class Session:
    """Works through the input with the options of one command line."""

    options: Options
    note: CrashNote = field(default_factory=CrashNote)
    renderer: Renderer = field(default_factory=lambda: Renderer({}))
    steps: list[Step] = field(default_factory=list)
    observers: list[Observer] = field(default_factory=list)
    times: CompileTimes = field(default_factory=CompileTimes)
    root: str = ROOT
    parser: Parser = field(init=False)
    reproducer: Reproducer = field(init=False)

    def run(self) -> int:
        """Run on the whole input, write the output, return the exit status."""
        options = self.options
        load_plugins(
            [*options.load_pass_plugin, *options.load_dialect_plugin], {*all_passes(), *all_pipelines()}
        )
        if options.show_dialects or options.list_passes:
            add_all_passes(all_passes())
            add_all_ops()
            self._write([dialects_text() if options.show_dialects else passes_text()])
            return 0
        context().allow_unregistered_dialects = options.allow_unregistered_dialect
        try:
            with context(), ir.Location.unknown():
                defined = self._define_dialects()
                return 1 if defined is None else self._run_on_input(defined)
        finally:
            context().allow_unregistered_dialects = False

    def _define_dialects(self) -> list[str] | None:
        """The dialects of `--irdl-file`, defined; None if there was an error, which has been shown."""
        if not self.options.irdl_file:
            return []
        source = read_source(self.options.irdl_file)
        self.renderer.sources[source.name] = source.text
        collector = Collector(source.name)
        with collector.attached(context()):
            defined = define_dialects(source, collector)
        for diagnostic in collector.diagnostics:
            sys.stderr.write(self.renderer.render(diagnostic))
        return None if collector.has_errors else defined

    def _run_on_input(self, defined: Sequence[str]) -> int:
        options = self.options
        source = self._read()
        self.parser = Parser(defined, implicit_module=not options.no_implicit_module)
        if options.run_reproducer:
            source, options.pass_pipeline = read_reproducer(source)
        if options.emit_bytecode and options.emit != "mlir":
            raise WeftValueError(f"--emit-bytecode and --emit={options.emit} exclude each other")
        if options.args and not options.run:
            raise WeftValueError("--args are for the function that --run names")
        if options.stage:
            self._write([source.text])
            return 0
        if options.no_implicit_module and options.pass_pipeline:
            self.root, options.pass_pipeline = rooted_anywhere(options.pass_pipeline)
        self.steps = requested_steps(options)
        require_known_passes(options)
        if options.dump_pass_pipeline:
            sys.stderr.write(pipeline_text(self.steps) + "\n")
        self.renderer.sources[source.name] = source.text
        if options.bisect:
            return self._bisect(source)
        self.observers = [self.note, *make_observers(options)]
        with Reproducer(
            options.mlir_generate_reproducer or options.mlir_pass_pipeline_crash_reproducer,
            source,
            self.steps,
            options.verify_each,
            stays=bool(options.mlir_generate_reproducer),
        ) as self.reproducer:
            marker = options.split_input_file
            parts = list(source.split(marker)) if marker else [source]
            for line, column in near_misses(source, marker) if marker else ():
                warning = Diagnostic(
                    "warning", source.name, line, column, f"near miss of the marker {marker}"
                )
                sys.stderr.write(self.renderer.render(warning))
            if options.emit_bytecode and len(parts) > 1:
                raise WeftValueError("--emit-bytecode writes one module, and the input has several parts")
            with self._target(), self._schedules(), self.times.recording():
                outcomes = [self._work(part) for part in parts]
            self.reproducer.failed = not all(passed for passed, _ in outcomes)
        self._write([output for _, output in outcomes if output is not None])
        sys.stderr.write(
            report(self.observers, self.times if options.mlir_timing else None, options.mlir_timing_display)
        )
        return 1 if self.reproducer.failed else 0

    def _bisect(self, source: Source) -> int:
        """Tell which pass makes the script of `--bisect` fail; `-o` gets the IR before it."""
        from .bisect import Bisection
        from .scripts import Script

        collector = Collector(source.name)
        bisection = Bisection(Script(self.options.bisect), self.options, print_module)
        lines: list[str] = []
        with collector.attached(context()):
            try:
                self.note.write("while looking for the pass")
                module = self.parser.parse(source, collector)
                require_known_form(module)
                lines += bisection.report(module, self.steps)
            except (ir.MLIRError, PassError) as error:
                if not collector.has_errors:
                    collector.error(str(error))
        for diagnostic in collector.diagnostics:
            sys.stderr.write(self.renderer.render(diagnostic))
        sys.stdout.write("".join(f"{line}\n" for line in lines))
        if lines and self.options.o != STANDARD_INPUT:
            Path(self.options.o).write_text(bisection.before, encoding="utf-8")
        return 1 if collector.has_errors else 0

    def _schedules(self) -> AbstractContextManager[object]:
        """The schedules that are forced; their tables are read for no other reason."""
        if not self.options.schedules:
            return nullcontext()
        from ..backend.schedules.schedule import forcing

        known = {kind.name for table in all_schedules().values() for kind in table}
        return forcing(self.options.schedules, known)

    def _target(self) -> AbstractContextManager[object]:
        """The machine to make code for; this one is found out by who asks for it first, as that takes a while."""
        if self.options.target == "native":
            return nullcontext()
        from ..backend.target import compiling_for

        return compiling_for(self.options.target)

    def _read(self) -> Source:
        """The text to work on: of a file, of standard input, or of what a Python function is traced to."""
        options = self.options
        if is_function_reference(options.source):
            with self._schedules() if options.stage else nullcontext():
                return trace_function(
                    options.source,
                    options.spec,
                    options.stage or "weft",
                    options.target,
                    has_locations=options.mlir_print_debuginfo,
                    keeps_code=not (options.stage and options.schedules),
                )
        if options.spec or options.stage:
            raise WeftValueError(
                f"--spec and --stage are for Python functions, which {options.source} is not"
            )
        return read_source(options.source)

    def _work(self, source: Source) -> tuple[bool, Output | None]:
        """Work on one text: whether all went as it should, and what to print unless there were errors."""
        collector = Collector(source.name)
        with collector.attached(context()), remarking(self.options.remarks_filter, collector):
            output = self._transform(source, collector)
        diagnostics = collector.diagnostics
        if self.options.verify_diagnostics:
            only_expected = self.options.verify_diagnostics == "only-expected"
            diagnostics = unmet(source, diagnostics, only_expected=only_expected)
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
                module = self.parser.parse(source, collector)
            require_known_form(module)
            if self.options.verify_roundtrip:
                require_roundtrip(module)
            require_root(module, self.root, self.steps)
            run_pipeline(
                module,
                self.steps,
                passes=all_passes(),
                observers=self.observers,
                verify=self.options.verify_each,
            )
            if self.options.run:
                from .running import run_function

                self.note.write(f"while running {self.options.run}")
                return run_function(str(module), self.options.run, self.options.args)
            if self.options.emit == "mlir" and not self.options.emit_bytecode:
                return print_module(module, self.options, source.name)
            from .emission import bytecode_of, emission_pipelines, emit  # with all of the backend

            self.note.write(f"while emitting {self.options.emit}")
            if self.options.emit_bytecode:
                return bytecode_of(module)
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
                collector.error(str(error).replace('loc("-":', f'loc("{source.name}":'))
        except Exception as error:  # a mistake in weft itself must not end in a traceback
            if self.options.mlir_print_stacktrace_on_diagnostic:
                traceback.print_exc()
            whose = outside_of(self.note.read())
            collector.error(f"{whose} {self.note.read()}: {type(error).__name__}: {error}")
        return None

    def _diagnose_at_its_op(self, source: Source, error: WeftError) -> bool:
        """Show what a pass says of an op at the line of the op; False where the error names none of the input."""
        said = error.__cause__ if isinstance(error, PassError) and error.__cause__ is not None else error
        place = _PLACE.fullmatch(getattr(said, "at", ""))
        if place is None:
            return False
        ir.Location.file(source.name, int(place[1]), int(place[2])).emit_error(str(said))
        return True

    def _write(self, outputs: Sequence[Output]) -> None:
        """Write the results, with the marker of `--split-input-file` between them."""
        marker = f"{self.options.output_split_marker}\n".encode()
        content = marker.join(o.encode() if isinstance(o, str) else o for o in outputs)
        if not outputs:
            return
        if self.options.o != STANDARD_INPUT:
            Path(self.options.o).write_bytes(content)
        elif isinstance(outputs[0], bytes):
            sys.stdout.buffer.write(content)
        else:
            sys.stdout.write(content.decode())
