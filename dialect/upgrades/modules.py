"""The text of a module of an older version, as this version writes it.

It is read where no op is known, so that none has to be as ops are today, and printed again when all are.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import ArtifactError, WeftError
from ..mlir import Operation, ir
from . import versions


def upgraded_text(text: str, version: int) -> str:
    """The text of a module of a version, in the generic form, as the present version has it.

    Raises `ArtifactError` for a text that cannot be read.
    """
    context = ir.Context()
    context.allow_unregistered_dialects = True
    with context, ir.Location.unknown():
        try:
            module = ir.Module.parse(text)
            for number in range(version, versions.DIALECT):
                _upgrade(module.operation, number)
        except ir.MLIRError as error:
            reason = str(error).replace("\n", " ")
            raise ArtifactError(f"the module of version {version} cannot be read: {reason[:400]}") from error
        except ArtifactError:
            raise
        except (WeftError, KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            raise ArtifactError(
                f"the module is not one that version {version} recorded ({type(error).__name__}: {error})"
            ) from error
        return str(module.operation.get_asm(enable_debug_info=True, print_generic_op_form=True))


def _upgrade(module: Operation, version: int) -> None:
    ops = versions.UPGRADES[version].ops if version in versions.UPGRADES else {}
    for op in list(_operations_of(module)):
        upgrade = ops.get(op.name.removeprefix("weft."))
        if upgrade is not None and op.name.startswith("weft."):
            upgrade(op)


def _operations_of(op: Operation) -> Iterator[Operation]:
    for region in op.regions:
        for block in region.blocks:
            for view in block.operations:
                inner = view.operation
                yield inner
                yield from _operations_of(inner)
