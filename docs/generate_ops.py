"""Write docs/ops.md, the table of all ops, from the op classes. Run with `make docs`; a test checks it is current."""

from __future__ import annotations

import pathlib

from weft.dialect.op import OPS, FieldKind, Op
from weft.dialect.ops import FAMILIES, load_families

TARGET = pathlib.Path(__file__).parent / "ops.md"

INTRODUCTION = """# The ops of the weft dialect

Generated from the op classes in `dialect/ops/` by `make docs`. Operands and results are builtin
`tensor<...>` types (signless integers are signed, `ui8` to `ui64` are unsigned); elementwise ops broadcast as NumPy
does and take exactly the dtypes of one of the ufunc's loops, so conversions are explicit `weft.cast` ops.
A `shape` attribute has -1 where a run-time extent is given by an operand of `dims`.
"""


def row(op_class: type[Op]) -> str:
    """One line of the table."""
    operands = ", ".join(
        f"{f.name}..." if f.kind is FieldKind.OPERANDS else f.name for f in op_class.operand_fields()
    )
    attributes = ", ".join(f"{f.name}: {f.kind.value}" for f in op_class.attribute_fields())
    effects = ", ".join(effect.value for effect in op_class.effects) or "pure"
    summary = op_class.summary().replace("|", "\\|")
    return (
        f"| `weft.{op_class.name}` | {operands} | {attributes} | {op_class.results} | {effects} | {summary} |"
    )


def document() -> str:
    """The whole page."""
    load_families()
    parts = [INTRODUCTION]
    families = dict.fromkeys(op_class.family for op_class in OPS.values())
    for family in families:
        parts.append(f"\n## {family.replace('_', ' ').capitalize()}\n")
        parts.append(
            "| op | operands | attributes | results | effects | meaning |\n|---|---|---|---|---|---|"
        )
        parts += [row(op_class) for op_class in OPS.values() if op_class.family == family]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    TARGET.write_text(document())
    print(f"{len(OPS)} ops of {len(FAMILIES)} families written to {TARGET.name}")
