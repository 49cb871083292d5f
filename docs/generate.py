"""Write the generated pages of docs/ from the sources; run with `make docs`, and a test checks they are current."""

from __future__ import annotations

import dataclasses
import importlib.util
import inspect
import pathlib
import re
import sys
import textwrap
from collections.abc import Callable
from typing import Any

import weft
from weft.dialect.op import OPS, VARIADIC, FieldKind, Op
from weft.dialect.ops import FAMILIES, load_families
from weft.frontend.settings import Settings
from weft.passes.base import Pass
from weft.passes.registry import load_pass
from weft.tools.catalogue import all_passes, all_pipelines, all_text_passes

DOCS = pathlib.Path(__file__).parent
TEMPLATES = DOCS / "templates"

OPS_INTRODUCTION = """# The ops of the weft dialect

Generated from the op classes in `dialect/ops/` by `make docs`. Operands and results are builtin
`tensor<...>` types (signless integers are signed, `ui8` to `ui64` are unsigned); elementwise ops broadcast as NumPy
does and take exactly the dtypes of one of the ufunc's loops, so conversions are explicit `weft.cast` ops.
A `shape` attribute has -1 where a run-time extent is given by an operand of `dims`.
"""

PASSES_INTRODUCTION = """# Passes and pipelines

Generated from the pass classes by `make docs`. Every pass, and every upstream MLIR pass, can be run by name with
`weft-opt`, as a flag or in `--pass-pipeline`; options go in braces: `weft-fold{max-elements=64}`.
"""

SETTINGS_INTRODUCTION = """# Settings

Generated from `frontend/settings.py` by `make docs`. Set them in the environment, assign to `weft.settings.name`, or
use `with weft.settings.scope(name=value):` for a while.
The number of threads is set by `WEFT_NUM_THREADS` and `weft.set_num_threads`, see [threads](threads.md).

| setting | environment | default | meaning |
|---|---|---|---|
"""


def op_row(op_class: type[Op]) -> str:
    """One line of the op table."""
    operands = ", ".join(
        f"{f.name}..." if f.kind is FieldKind.OPERANDS else f.name for f in op_class.operand_fields()
    )
    attributes = ", ".join(f"{f.name}: {f.kind.value}" for f in op_class.attribute_fields())
    effects = ", ".join(effect.value for effect in op_class.effects) or "pure"
    summary = op_class.summary().replace("|", "\\|")
    count = "any" if op_class.results == VARIADIC else op_class.results
    return f"| `weft.{op_class.name}` | {operands} | {attributes} | {count} | {effects} | {summary} |"


def ops_page() -> str:
    """The table of all ops, by family."""
    load_families()
    parts = [OPS_INTRODUCTION]
    families = {op_class.family for op_class in OPS.values()}
    for family in sorted(families, key=FAMILIES.index):
        parts.append(f"\n## {family.replace('_', ' ').capitalize()}\n")
        parts.append(
            "| op | operands | attributes | results | effects | meaning |\n|---|---|---|---|---|---|"
        )
        members = [op_class for op_class in OPS.values() if op_class.family == family]
        parts += map(op_row, sorted(members, key=_place_in_sources))
    return "\n".join(parts) + "\n"


def _place_in_sources(op_class: type[Op]) -> tuple[int, int]:
    """Where an op is defined: modules in the order of families, whichever was imported first."""
    module = op_class.__module__
    return FAMILIES.index(module.rpartition(".")[2]), list(vars(sys.modules[module])).index(op_class.__name__)


def pass_row(pass_class: type[Pass]) -> str:
    """One line of the pass table."""
    options = ", ".join(f"`{f.name.replace('_', '-')}={f.default}`" for f in dataclasses.fields(pass_class))
    return f"| `{pass_class.name}` | {options} | {pass_class.summary} |"


def passes_page() -> str:
    """The weft passes with their options, and what the named pipelines consist of."""
    table = all_passes()
    rows = "\n".join(pass_row(load_pass(name, table)) for name in sorted(table))
    pipelines = "\n".join(f"* `{name}`: `{text}`" for name, text in all_pipelines().items())
    header = "\n| pass | options | what it does |\n|---|---|---|\n"
    texts = "\n".join(f"* `{name}`: {summary}" for name, summary in all_text_passes().items())
    text_section = (
        f"## Passes on LLVM assembly\n\n`--emit` runs them behind the translation, in this order.\n\n{texts}"
    )
    return f"{PASSES_INTRODUCTION}{header}{rows}\n\n{text_section}\n\n## Named pipelines\n\n{pipelines}\n"


def shown_default(setting: dataclasses.Field[Any]) -> str:
    """The default of a setting, in words where machines differ in it."""
    words: str = setting.metadata["shown"]
    return words or f"`{setting.default}`"


def settings_page() -> str:
    """The table of settings."""
    rows = [
        f"| `{f.name}` | `{f.metadata['variable']}` | {shown_default(f)} | {f.metadata['help']} |"
        for f in dataclasses.fields(Settings)
    ]
    return SETTINGS_INTRODUCTION + "\n".join(rows) + "\n"


def function_text(text: str, name: str) -> str:
    """The lines of one function in a module of MLIR, or in assembly without its directives."""
    if f"\n{name}:\n" in text:
        body = text.partition(f"\n{name}:\n")[2].partition("\tretq\n")[0]
        kept = [line for line in body.splitlines() if not line.startswith("\t.") and "$pb" not in line]
        return "\n".join([f"{name}:", *kept, "\tretq"]).expandtabs(4)
    lines = text.splitlines()
    first = next(i for i, line in enumerate(lines) if re.search(rf"func\b.* @{name}\(", line))
    last = next(i for i in range(first, len(lines)) if lines[i] == "  }")
    return textwrap.dedent("\n".join(lines[first : last + 1]))


def walkthrough_page() -> str:
    """One function at every stage: the template, with what is named in double braces filled in."""
    path = TEMPLATES / "limited.py"
    spec = importlib.util.spec_from_file_location("limited", path)
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    concrete = example.limited.get_concrete_function(*example.SPECS)

    def filled(match: re.Match[str]) -> str:
        match match[1].split():
            case ["source"]:
                return f"```python\n{inspect.getsource(example.limited.__wrapped__).strip()}\n```"
            case ["converted"]:
                return f"```python\n{weft.autograph.to_code(example.limited).strip()}\n```"
            case ["stage", stage, name]:
                return f"```{'asm' if stage == 'asm' else 'mlir'}\n{function_text(concrete.as_text(stage), name)}\n```"
        raise ValueError(f"{path}: unknown {match[0]}")

    return re.sub(r"\{\{(.*?)\}\}", filled, (TEMPLATES / "walkthrough.md").read_text())


PAGES: dict[str, Callable[[], str]] = {
    "ops.md": ops_page,
    "passes.md": passes_page,
    "settings.md": settings_page,
    "walkthrough.md": walkthrough_page,
}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (DOCS / name).write_text(page())
        print(f"docs/{name} written")
