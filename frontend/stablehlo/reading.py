"""Modules of StableHLO from bytes, texts and files.

MLIR's reader of bytecode ends the process at some damaged files. So bytes are read in a process of their own, which
gives back text; text can be read here.
"""

from __future__ import annotations

import subprocess
import sys

from ...dialect.errors import ArtifactError, WeftValueError
from .context import stablehlo

MAGIC = b"ML\xefR"
"""What bytecode of MLIR begins with."""

SECONDS = 120
"""How long reading may take."""

_READER = """
import sys
from torch_mlir import ir
from torch_mlir._mlir_libs import _stablehlo
with ir.Context() as context:
    _stablehlo.register_dialect(context, load=True)
    context.enable_multithreading(False)
    context.allow_unregistered_dialects = True  # what others say of ops in attributes of their own, is dropped
    try:
        data = sys.stdin.buffer.read()
        if b"StableHLO_v" in data[:64]:
            module = _stablehlo.deserialize_portable_artifact(context, data)
        else:
            module = ir.Module.parse(data if data[:4] == b"ML\\xefR" else data.decode())
        def drop_foreign(op):
            for name in list(op.attributes):
                if "." in name:
                    del op.attributes[name]
            for region in op.regions:
                for block in region.blocks:
                    for inner in block.operations:
                        drop_foreign(inner.operation)
        drop_foreign(module.operation)
        text = module.operation.get_asm(enable_debug_info=True, print_generic_op_form=True)
    except (ir.MLIRError, ValueError) as error:
        sys.stderr.write(str(error))
        sys.exit(3)
    sys.stdout.buffer.write(text.encode())
"""


def text_of(source: str | bytes, place: str) -> str:
    """The text of bytecode, which is read in another process; and a text without what it says of sharding."""
    if isinstance(source, str):
        return _text_of(source.encode("utf-8"), place) if "sdy." in source else source
    if not source.startswith(MAGIC):
        raise ArtifactError(
            f"{place} is no module: bytecode of MLIR begins with 'ML', this with {source[:8]!r}{_hint(source)}"
        )
    return _text_of(source, place)


def _text_of(data: bytes, place: str) -> str:
    try:
        done = subprocess.run(
            [sys.executable, "-c", _READER], input=data, capture_output=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise ArtifactError(f"{place} was not read within {SECONDS} seconds") from None
    except OSError as error:
        raise WeftValueError(
            f"{place} is read by another process, which cannot be started: {error}"
        ) from error
    if done.returncode == 0:
        return done.stdout.decode("utf-8")
    told = done.stderr.decode("utf-8", "replace").strip()
    version = version_of(data)
    raise ArtifactError(f"{place} cannot be read{_because(told, done.returncode, version)}")


def _because(told: str, code: int, version: str | None) -> str:
    current = str(stablehlo().get_current_version())
    if version is not None and _numbers(version) > _numbers(current):
        return f": it was written by StableHLO {version}, and this reads up to {current}; ask for an older one there"
    if code != 3:
        return ": it is damaged"
    if "'sdy'" in told:
        return ": it says of sharding what only JAX can read; pass the text, Exported.mlir_module()"
    return f": {' '.join(told.split())[:400]}"


def version_of(data: bytes) -> str | None:
    """The version of StableHLO that a portable artifact says it is of.

    >>> version_of(b"ML\\xefR\\rStableHLO_v1.9.3\\x00")
    '1.9.3'
    """
    _, found, rest = data[:64].partition(b"StableHLO_v")
    return rest.partition(b"\0")[0].decode("ascii", "replace") if found else None


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) if part.isdecimal() else 0 for part in version.split("."))


def _hint(data: bytes) -> str:
    if MAGIC in data[:4096]:
        return "; of what jax.export's Exported.serialize() wrote, pass Exported.mlir_module_serialized"
    if b"func.func" in data:
        return "; pass a text as a str"
    return ""
