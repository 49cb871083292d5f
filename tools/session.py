"""One run of weft-opt: read, parse, run the pipeline, print; every part of a split input on its own."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..dialect.errors import PassError, WeftError, WeftValueError
from ..dialect.mlir import ir
from ..dialect.register import context
from ..passes.pipeline import Observer, Step, check_steps, parse_pipeline, pipeline_text, run_pipeline
from .catalogue import all_passes, all_pipelines
from .diagnostics import Collector, Renderer
from .inputs import SPLIT_MARKER, STANDARD_INPUT, Source, read_source
from .instrumentation import make_observers, print_module, report
from .native_output import captured_stderr
from .options import Options


def requested_steps(options: Options) -> list[Step]:
    """The steps that the command line asks for, checked: `--pass-pipeline` or one flag per pass."""
    if options.pass_pipeline and options.steps:
        raise WeftValueError(f"--{options.steps[0].name} and --pass-pipeline exclude each other")
    text = options.pass_pipeline or pipeline_text(options.steps)
    steps = parse_pipeline(text, passes=all_passes(), pipelines=all_pipelines())
    with captured_stderr() as captured:
        try:
            check_steps(steps, all_passes())
        except WeftValueError as error:
            # MLIR prints what is wrong with an option's value itself.
            detail = captured().strip().removeprefix(": ")
            raise WeftValueError(f"{error}{': ' if detail else ''}{detail}") from error
    return steps


@dataclass
class Session:
    """Works through the input with the options of one command line."""

    options: Options
    steps: list[Step] = field(default_factory=list)
    renderer: Renderer = field(default_factory=lambda: Renderer({}))

    def run(self) -> int:
        """Run on the whole input, write the output, return the exit status."""
        with context():
            context().allow_unregistered_dialects = self.options.allow_unregistered_dialect
            try:
                return self._run()
            finally:
                context().allow_unregistered_dialects = False

    def _run(self) -> int:
        self.steps = requested_steps(self.options)
        if self.options.dump_pass_pipeline:
            sys.stderr.write(pipeline_text(self.steps) + "\n")
        source = read_source(self.options.source)
        self.renderer.sources[source.name] = source.text
        observers = make_observers(self.options)
        parts = list(source.split()) if self.options.split_input_file else [source]
        outputs = [self._work(part, observers) for part in parts]
        if all(output is None for output in outputs):
            return 1
        texts = [output for output in outputs if output is not None]
        self._write(f"{SPLIT_MARKER}\n".join(texts))
        sys.stderr.write(report(observers))
        return 0 if len(texts) == len(outputs) else 1

    def _work(self, source: Source, observers: Sequence[Observer]) -> str | None:
        """Parse a text, run the pipeline on it and return what to print, or None after an error."""
        collector = Collector(source.name)
        with collector.attached(context()):
            text = self._transform(source, collector, observers)
        for diagnostic in collector.diagnostics:
            sys.stderr.write(self.renderer.render(diagnostic))
        return None if collector.has_errors else text

    def _transform(self, source: Source, collector: Collector, observers: Sequence[Observer]) -> str | None:
        try:
            module = ir.Module.parse(source.text)
            run_pipeline(
                module,
                self.steps,
                passes=all_passes(),
                observers=observers,
                verify=self.options.verify_each,
            )
            return print_module(module, self.options, source.name)
        except ir.MLIRError:
            if not collector.has_errors:
                collector.error("the input cannot be parsed")
        except WeftError as error:
            if not isinstance(error, PassError) or not collector.has_errors:
                collector.error(str(error))
        return None

    def _write(self, text: str) -> None:
        if self.options.o == STANDARD_INPUT:
            sys.stdout.write(text)
        else:
            Path(self.options.o).write_text(text, encoding="utf-8")
