"""The command line of weft-opt: every option is a field of `Options`; every other flag names a pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import Field, dataclass, field, fields
from typing import Any

from ..dialect.errors import WeftValueError
from ..passes.pipeline import Step


@dataclass
class Options:
    """The options of one run; field `split_input_file` is the flag `--split-input-file`, and so on."""

    o: str = "-"
    pass_pipeline: str = ""
    split_input_file: bool = False
    emit: str = "mlir"
    emit_bytecode: bool = False
    spec: list[str] = field(default_factory=list)
    stage: str = ""
    run: str = ""
    args: list[str] = field(default_factory=list)
    target: str = "native"
    verify_each: bool = True
    verify_diagnostics: bool = False
    allow_unregistered_dialect: bool = False
    mlir_print_ir_before: list[str] = field(default_factory=list)
    mlir_print_ir_after: list[str] = field(default_factory=list)
    mlir_print_ir_before_all: bool = False
    mlir_print_ir_after_all: bool = False
    mlir_print_ir_after_change: bool = False
    mlir_print_ir_after_failure: bool = False
    mlir_print_op_generic: bool = False
    mlir_print_debuginfo: bool = False
    mlir_elide_elementsattrs_if_larger: int | None = None
    mlir_timing: bool = False
    mlir_pass_statistics: bool = False
    mlir_pass_pipeline_crash_reproducer: str = ""
    run_reproducer: bool = False
    mlir_print_stacktrace_on_diagnostic: bool = False
    dump_pass_pipeline: bool = False
    show_dialects: bool = False
    list_passes: bool = False
    help: bool = False

    source: str = "-"
    """The positional argument: a file, - or package.module:function."""
    steps: list[Step] = field(default_factory=list)
    """One step per flag that is not an option: `--cse`, `--weft-fold=max-elements=8`."""


CHOICES = {"emit": ("mlir", "llvm", "asm", "obj", "placed", "gpu", "nvvm", "ptx", "sass")}

HELP: dict[str, tuple[str, str]] = {
    "o": ("file", "write the result to a file"),
    "pass-pipeline": ("text", "run a pipeline, as in 'builtin.module(func.func(cse),weft-fold)'"),
    "split-input-file": ("", "take the parts between lines `// -----` as inputs of their own"),
    "emit": ("|".join(CHOICES["emit"]), "what to write: MLIR, or what it is translated to"),
    "emit-bytecode": ("", "write MLIR as bytecode, which is read as input, too"),
    "spec": ("type", "type of the next argument of the Python function, as in f32[?,3]"),
    "stage": (
        "name",
        "print a Python function at a stage: weft, optimized, linalg, llvm or asm, of GPUs ptx",
    ),
    "run": ("function", "call a function of the module, and print what it returns in place of the module"),
    "args": (
        "value",
        "the next argument of the function that is run: a .npy file, or numbers as in [1, 2.5]",
    ),
    "target": (
        "name",
        "the machine to generate code for, as in x86-64-v3, aarch64 or sm_90a (default native)",
    ),
    "verify-each": ("0|1", "verify the module after every pass (default 1)"),
    "verify-diagnostics": ("", "compare diagnostics with `expected-error {{text}}` comments"),
    "allow-unregistered-dialect": ("", "accept ops of unknown dialects"),
    "mlir-print-ir-before": ("passes", "print the module before these passes"),
    "mlir-print-ir-after": ("passes", "print the module after these passes"),
    "mlir-print-ir-before-all": ("", "print the module before every pass"),
    "mlir-print-ir-after-all": ("", "print the module after every pass"),
    "mlir-print-ir-after-change": ("", "print the module after passes that changed it"),
    "mlir-print-ir-after-failure": ("", "print the module after a pass that failed"),
    "mlir-print-op-generic": ("", "print ops in their generic form"),
    "mlir-print-debuginfo": ("", "print locations"),
    "mlir-elide-elementsattrs-if-larger": ("count", "leave out constants of more elements"),
    "mlir-timing": ("", "report the time of every pass"),
    "mlir-pass-statistics": ("", "report what every pass counted"),
    "mlir-pass-pipeline-crash-reproducer": ("file", "keep input and pipeline when a pass fails or crashes"),
    "run-reproducer": ("", "run the pipeline that the input, a reproducer, holds"),
    "mlir-print-stacktrace-on-diagnostic": ("", "print Python's traceback of internal errors"),
    "dump-pass-pipeline": ("", "print the pipeline that is run"),
    "show-dialects": ("", "list the dialects there are"),
    "list-passes": ("", "list the weft passes and the named pipelines"),
    "help": ("", "print this text"),
}
"""The flags: how their value is called, and what they do."""

_OPTIONS = {name: next(f for f in fields(Options) if f.name == name.replace("-", "_")) for name in HELP}
_BOOLEANS = {"1": True, "true": True, "0": False, "false": False}


def parse_arguments(arguments: Sequence[str]) -> Options:
    """Read a command line; one dash or two, values after `=` or as the next argument (flags: only after `=`).

    Raises `WeftValueError` on a missing or malformed value. Flags that are no options become steps of the
    pipeline in their order.

    >>> options = parse_arguments(["-cse", "--verify-each=0", "--weft-fold=max-elements=8", "b.mlir"])
    >>> [step.text for step in options.steps], options.verify_each, options.source
    (['cse', 'weft-fold{max-elements=8}'], False, 'b.mlir')
    """
    options = Options()
    positional: list[str] = []
    remaining = iter(arguments)
    for argument in remaining:
        if argument == "-" or not argument.startswith("-"):
            positional.append(argument)
            continue
        name, equals, value = argument.lstrip("-").partition("=")
        option = _OPTIONS.get(name)
        if option is None:
            options.steps.append(Step(name, value))
            continue
        if not equals and option.type == "bool":
            value = "1"
        elif not equals:
            value = next(remaining, "")
        _set(options, option, name, value)
    if len(positional) > 1:
        raise WeftValueError(f"one input at a time: {' and '.join(positional)} were given")
    options.source = positional[0] if positional else "-"
    return options


def _set(options: Options, option: Field[Any], name: str, text: str) -> None:
    """Read the value of an option and store it; options of type list may be repeated."""
    if name in CHOICES and text not in CHOICES[name]:
        raise WeftValueError(f"--{name} takes one of {', '.join(CHOICES[name])}, not {text!r}")
    if option.type == "bool":
        if text.lower() not in _BOOLEANS:
            raise WeftValueError(f"--{name} takes 0 or 1, not {text!r}")
        setattr(options, option.name, _BOOLEANS[text.lower()])
    elif not text:
        raise WeftValueError(f"{flag(name)} needs a value: {flag(name)}={HELP[name][0]}")
    elif option.type == "list[str]":
        getattr(options, option.name).append(text)
    elif option.type == "str":
        setattr(options, option.name, text)
    elif text.isdecimal():
        setattr(options, option.name, int(text))
    else:
        raise WeftValueError(f"--{name} takes a number, not {text!r}")


def flag(name: str) -> str:
    """How an option is spelled: one letter takes one dash."""
    return f"{'-' if len(name) == 1 else '--'}{name}"


def help_text() -> str:
    """What --help prints."""
    lines = [
        "usage: weft-opt [file | - | package.module:function] [options] [--pass[=pass-options]]...",
        "",
        "Runs passes on MLIR text, or on what a Python function is compiled to. Every pass (of weft or",
        "upstream) and every named pipeline is a flag; they run in the order of the command line.",
        "",
    ]
    for name, (value, text) in HELP.items():
        usage = f"{flag(name)}{'=' if value else ''}{value}"
        lines.append(f"  {usage:44} {text}")
    return "\n".join(lines) + "\n"
