"""The command line of weft-opt: every option is a field of `Options`; every other flag names a pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import Field, field, fields
from typing import TYPE_CHECKING, Any

from ..dialect.errors import WeftValueError
from ..dialect.records import dataclass

if TYPE_CHECKING:
    from ..passes.pipeline import Step

SPLIT_MARKER = "// -----"
_BOOLEANS = {"1": True, "true": True, "0": False, "false": False}


def option(
    default: Any,
    value: str,
    text: str,
    *,
    choices: tuple[str, ...] = (),
    alone: str = "",
    beside: str = "as mlir-opt",
) -> Any:
    """A field of `Options`: how its value is called, what it does, and what it is `beside` mlir-opt's.

    `alone` is what it is without a value, where one need not be given.
    """
    facts = {"value": value, "text": text, "choices": choices, "alone": alone, "beside": beside}
    return field(default=default, metadata=facts)


_OWN = "weft's own"


@dataclass
class Options:
    """The options of one run; field `split_input_file` is the flag `--split-input-file`, and so on."""

    o: str = option("-", "file", "write the result to a file")
    pass_pipeline: str = option(
        "", "text", "run a pipeline, as in 'builtin.module(func.func(cse),weft-fold)'"
    )
    load_pass_plugin: tuple[str, ...] = option(
        (),
        "module",
        "import a Python module, by name or as a file, that has passes or ops of its own",
        beside="a Python module in place of a shared library",
    )
    load_dialect_plugin: tuple[str, ...] = option(
        (), "module", "the same as --load-pass-plugin", beside="a Python module in place of a shared library"
    )
    irdl_file: str = option("", "file", "define the dialects that a file describes in IRDL")
    split_input_file: str = option(
        "",
        "marker",
        f"take the parts between lines `{SPLIT_MARKER}`, or this marker, as inputs of their own",
        alone=SPLIT_MARKER,
    )
    output_split_marker: str = option(SPLIT_MARKER, "marker", "what stands between the results of the parts")
    no_implicit_module: bool = option(
        False, "", "take the one op of the input as it is, without a module around it"
    )
    emit: str = option(
        "mlir",
        "mlir|llvm|asm|obj|placed|gpu|nvvm|ptx|sass",
        "what to write: MLIR, or what it is translated to",
        choices=("mlir", "llvm", "asm", "obj", "placed", "gpu", "nvvm", "ptx", "sass"),
        beside="`mlir-translate --mlir-to-llvmir`, llc and more",
    )
    emit_bytecode: bool = option(False, "", "write MLIR as bytecode, which is read as input, too")
    spec: tuple[str, ...] = option(
        (),
        "type",
        "type of the next argument of the Python function, as in f32[?,3], or a constant, as in 3",
        beside=_OWN,
    )
    stage: str = option(
        "",
        "name",
        "print a Python function at a stage: weft, optimized, linalg, kernels, buffers, loops, llvm, asm; of GPUs ptx",
        beside=_OWN,
    )
    run: str = option(
        "",
        "function",
        "call a function of the module, and print what it returns in place of the module",
        beside="mlir-runner",
    )
    args: tuple[str, ...] = option(
        (),
        "value",
        "the next argument of the function that is run: a .npy file, or numbers as in [1, 2.5]",
        beside="mlir-runner takes none",
    )
    target: str = option(
        "native",
        "name",
        "the machine to generate code for, as in x86-64-v3, aarch64 or sm_90a (default native)",
        beside=_OWN,
    )
    schedules: tuple[str, ...] = option(
        (),
        "[line:]name",
        "write what a line computes, or all, by a schedule of docs/schedules.md where that matches",
        beside=_OWN,
    )
    verify_each: bool = option(True, "0|1", "verify the module after every pass (default 1)")
    verify_roundtrip: bool = option(
        False, "", "check that the input is read again as it is printed, as text and bytecode"
    )
    remarks_filter: str = option(
        "",
        "regex",
        "show as remarks what passes decided, and why, of the kinds that are found: vector, threads, copy, .*",
        beside="what `explain()` tells; of MLIR's own passes nothing",
    )
    verify_diagnostics: str = option(
        "",
        "all|only-expected",
        "compare diagnostics with `expected-error {{text}}` comments; only-expected lets others be",
        choices=("all", "only-expected"),
        alone="all",
        beside="as mlir-opt; notes need no comment",
    )
    allow_unregistered_dialect: bool = option(False, "", "accept ops of unknown dialects")
    bisect: str = option(
        "",
        "script",
        "find the pass, and the rewrite in it, after which a script that gets the IR as a file fails",
        beside="`--debug-counter`, by hand",
    )
    mlir_print_ir_before: tuple[str, ...] = option((), "passes", "print the module before these passes")
    mlir_print_ir_after: tuple[str, ...] = option((), "passes", "print the module after these passes")
    mlir_print_ir_before_all: bool = option(False, "", "print the module before every pass")
    mlir_print_ir_after_all: bool = option(False, "", "print the module after every pass")
    mlir_print_ir_after_change: bool = option(False, "", "print the module after passes that changed it")
    mlir_print_ir_after_failure: bool = option(False, "", "print the module after a pass that failed")
    mlir_print_ir_module_scope: bool = option(
        False, "", "print the whole module around passes that run on each function"
    )
    mlir_print_ir_tree_dir: str = option(
        "", "folder", "print around passes to files of a folder, in a tree by op, and not to stderr"
    )
    mlir_print_op_generic: bool = option(False, "", "print ops in their generic form")
    mlir_print_local_scope: bool = option(
        False, "", "print attributes and locations in full, without aliases"
    )
    mlir_print_debuginfo: bool = option(False, "", "print locations")
    mlir_pretty_debuginfo: bool = option(
        False, "", "print locations in a short form, which cannot be read again"
    )
    mlir_use_nameloc_as_prefix: bool = option(
        False, "", "name values after their locations, where these are names"
    )
    mlir_print_skip_regions: bool = option(False, "", "leave out the regions of ops")
    mlir_print_assume_verified: bool = option(
        False, "", "print in the short form without a look whether ops are valid"
    )
    mlir_elide_elementsattrs_if_larger: int | None = option(
        None, "count", "leave out constants of more elements"
    )
    mlir_elide_resource_strings_if_larger: int | None = option(
        None, "count", "leave out resources of more characters"
    )
    mlir_disable_threading: bool = option(
        False, "", "work in one thread, which weft-opt always does", beside="accepted: there is one thread"
    )
    mlir_timing: bool = option(False, "", "report the time of every pass")
    mlir_timing_display: str = option(
        "tree",
        "tree|list",
        "report times as a tree, or as a list with the longest first (default tree)",
        choices=("tree", "list"),
    )
    mlir_pass_statistics: bool = option(
        False, "", "report what every pass counted", beside="as mlir-opt, of weft's passes"
    )
    mlir_pass_pipeline_crash_reproducer: str = option(
        "", "file", "keep input and pipeline when a pass fails or crashes"
    )
    mlir_generate_reproducer: str = option("", "file", "keep input and pipeline, whether a pass fails or not")
    run_reproducer: bool = option(False, "", "run the pipeline that the input, a reproducer, holds")
    mlir_print_stacktrace_on_diagnostic: bool = option(
        False, "", "print Python's traceback of internal errors", beside="Python's stack, not MLIR's"
    )
    dump_pass_pipeline: bool = option(False, "", "print the pipeline that is run")
    show_dialects: bool = option(
        False, "", "list the dialects there are", beside="as mlir-opt, and the ops of weft"
    )
    list_passes: bool = option(
        False,
        "",
        "list the passes and pipelines of weft and of upstream",
        beside="as mlir-opt; of upstream's the names alone",
    )
    version: bool = option(False, "", "print the versions of weft, MLIR and LLVM")
    help: bool = option(False, "", "print this text")

    source: str = "-"
    """The positional argument: a file, - or package.module:function."""
    steps: list[Step] = field(default_factory=list)
    """One step per flag that is not an option: `--cse`, `--weft-fold=max-elements=8`."""


OPTIONS: dict[str, Field[Any]] = {
    each.name.replace("_", "-"): each for each in fields(Options) if each.metadata
}
"""The flags, by what is written behind the dashes."""

ALIASES = {"p": "pass-pipeline", "mlir-unsafe-print-assume-verified": "mlir-print-assume-verified"}
"""Other spellings that mlir-opt has, too."""

NOT_HERE = (
    "emit-bytecode-version",
    "log-actions-to",
    "mlir-debug-counter",
    "mlir-pass-pipeline-local-reproducer",
    "mlir-print-elementsattrs-with-hex-if-larger",
    "mlir-print-unique-ssa-ids",
    "mlir-print-value-users",
    "profile-actions-to",
)
"""Options of mlir-opt that the bindings of MLIR do not reach."""


def parse_arguments(arguments: Sequence[str]) -> Options:
    """Read a command line; one dash or two, values after `=` or as the next argument (flags: only after `=`).

    Raises `WeftValueError` on a missing or malformed value. Flags that are no options become steps of the
    pipeline in their order.

    >>> options = parse_arguments(["-cse", "--verify-each=0", "--weft-fold=max-elements=8", "b.mlir"])
    >>> [step.text for step in options.steps], options.verify_each, options.source
    (['cse', 'weft-fold{max-elements=8}'], False, 'b.mlir')
    """
    from ..passes.pipeline import Step  # with MLIR, which the help need not wait for

    options = Options()
    positional: list[str] = []
    remaining = iter(arguments)
    for argument in remaining:
        if argument == "-" or not argument.startswith("-"):
            positional.append(argument)
            continue
        name, equals, value = argument.lstrip("-").partition("=")
        name = ALIASES.get(name, name)
        known = OPTIONS.get(name)
        if known is None:
            options.steps.append(Step(name, value))
            continue
        if not equals and known.type == "bool":
            value = "1"
        elif not equals:
            value = known.metadata["alone"] or next(remaining, "")
        _set(options, known, name, value)
    if len(positional) > 1:
        raise WeftValueError(f"one input at a time: {' and '.join(positional)} were given")
    options.source = positional[0] if positional else "-"
    return options


def _set(options: Options, known: Field[Any], name: str, text: str) -> None:
    """Read the value of an option and store it; options of type tuple may be repeated."""
    choices = known.metadata["choices"]
    if choices and text not in choices:
        raise WeftValueError(f"--{name} takes one of {', '.join(choices)}, not {text!r}")
    if known.type == "bool":
        if text.lower() not in _BOOLEANS:
            raise WeftValueError(f"--{name} takes 0 or 1, not {text!r}")
        setattr(options, known.name, _BOOLEANS[text.lower()])
    elif not text:
        raise WeftValueError(f"{flag(name)} needs a value: {flag(name)}={known.metadata['value']}")
    elif known.type == "tuple[str, ...]":
        setattr(options, known.name, (*getattr(options, known.name), text))
    elif known.type == "str":
        setattr(options, known.name, text)
    elif text.isdecimal():
        setattr(options, known.name, int(text))
    else:
        raise WeftValueError(f"--{name} takes a number, not {text!r}")


def flag(name: str) -> str:
    """How an option is spelled: one letter takes one dash."""
    return f"{'-' if len(name) == 1 else '--'}{name}"


def usage(name: str) -> str:
    """An option with what its value is called: in brackets, where it may be left out."""
    facts = OPTIONS[name].metadata
    value = f"={facts['value']}" if facts["value"] else ""
    return f"{flag(name)}[{value}]" if facts["alone"] else f"{flag(name)}{value}"


def help_text() -> str:
    """What --help prints."""
    lines = [
        "usage: weft-opt [file | - | package.module:function] [options] [--pass[=pass-options]]...",
        "",
        "Runs passes on MLIR text, or on what a Python function is compiled to. Every pass (of weft or",
        "upstream) and every named pipeline is a flag; they run in the order of the command line.",
        "",
    ]
    lines += [f"  {usage(name):44} {known.metadata['text']}" for name, known in OPTIONS.items()]
    return "\n".join(lines) + "\n"
