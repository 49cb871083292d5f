"""What weft-opt shows of a run: IR before and after passes, times, statistics."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..dialect.mlir import Module
from ..passes.base import Statistics
from ..passes.pipeline import Code, Observer, Step
from ..passes.timing import CompileTimes
from .options import Options


def print_module(module: Module, options: Options, name: str = "-") -> str:
    """The text of a module in the form that the options ask for."""
    text: str = module.operation.get_asm(
        print_generic_op_form=options.mlir_print_op_generic,
        enable_debug_info=options.mlir_print_debuginfo,
        large_elements_limit=options.mlir_elide_elementsattrs_if_larger,
    )
    # Texts are parsed from memory, so their locations are named "-".
    text = text.rstrip("\n") + "\n"
    return text.replace('loc("-":', f'loc("{name}":') if options.mlir_print_debuginfo else text


def pass_names(values: list[str]) -> set[str]:
    """The names in the values of an option, several of which may be separated by commas."""
    return {name for value in values for name in value.split(",")}


@dataclass
class PrintIR(Observer):
    """Prints the module, or the text that LLVM reads, around passes, under a banner as mlir-opt has it."""

    options: Options
    text_before: str = ""

    def before(self, step: Step, code: Code) -> None:
        """Print when asked to, and remember the text when only changes are of interest."""
        options = self.options
        if options.mlir_print_ir_before_all or step.name in pass_names(options.mlir_print_ir_before):
            self._print("Before", step, code)
        if options.mlir_print_ir_after_change:
            self.text_before = str(code)

    def after(self, step: Step, code: Code, seconds: float, statistics: Statistics) -> None:
        """Print when asked to."""
        options = self.options
        wanted = options.mlir_print_ir_after_all or step.name in pass_names(options.mlir_print_ir_after)
        changed = options.mlir_print_ir_after_change and str(code) != self.text_before
        if changed or (wanted and not options.mlir_print_ir_after_change):
            self._print("After", step, code)

    def failed(self, step: Step, code: Code) -> None:
        """Print when asked to; the module may be invalid, so in the generic form."""
        if self.options.mlir_print_ir_after_failure or self.options.mlir_print_ir_after_all:
            self._print("After Failed", step, code)

    def _print(self, when: str, step: Step, code: Code) -> None:
        mark = ";" if isinstance(code, str) else "//"
        sys.stderr.write(f"{mark} -----// IR Dump {when} {step.name} //----- //\n")
        sys.stderr.write(code if isinstance(code, str) else print_module(code, self.options))


def timing_report(times: CompileTimes) -> str:
    """The table that --mlir-timing prints: what a pass or pipeline runs stands indented below it."""
    total = times.total
    lines = [_banner("Execution time report"), f"  Total Execution Time: {total:.4f} seconds", ""]
    lines.append("  ----Wall Time----  ----Name----")
    for depth, name, seconds in [*times.rows(), (0, "Total", total)]:
        share = 100.0 * seconds / total if total else 0.0
        lines.append(f"  {seconds:8.4f} ({share:5.1f}%)  {'  ' * depth}{name}")
    return "\n".join(lines) + "\n"


@dataclass
class PassStatistics(Observer):
    """Adds up what weft passes count."""

    counts: dict[str, Counter[str]] = field(default_factory=dict)

    def after(self, step: Step, code: Code, seconds: float, statistics: Statistics) -> None:
        """Note the counts."""
        self.counts.setdefault(step.name, Counter()).update(statistics)

    def report(self) -> str:
        """The table that --mlir-pass-statistics prints."""
        lines = [_banner("Pass statistics report")]
        for name, counts in self.counts.items():
            lines.append(name)
            lines += [f"  (S) {count:6} {what}" for what, count in sorted(counts.items())]
        return "\n".join(lines) + "\n"


def _banner(title: str) -> str:
    rule = "===" + "-" * 73 + "==="
    return f"{rule}\n{f'... {title} ...':^79}".rstrip() + f"\n{rule}"


def make_observers(options: Options) -> list[Observer]:
    """The observers that the options ask for."""
    observers: list[Observer] = []
    prints = (
        options.mlir_print_ir_before,
        options.mlir_print_ir_after,
        options.mlir_print_ir_before_all,
        options.mlir_print_ir_after_all,
        options.mlir_print_ir_after_change,
        options.mlir_print_ir_after_failure,
    )
    if any(prints):
        observers.append(PrintIR(options))
    if options.mlir_pass_statistics:
        observers.append(PassStatistics())
    return observers


def report(observers: Sequence[Observer], times: CompileTimes | None) -> str:
    """The tables to print at the end of a run: times, where they were asked for, and statistics."""
    tables = [] if times is None else [timing_report(times)]
    return "\n".join(tables + [o.report() for o in observers if isinstance(o, PassStatistics)])
