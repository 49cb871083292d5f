"""Native code that lives as long as the process: LLVM assembly of the backend's own, kept on disk, linked once."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from ....dialect.errors import InternalError
from ...cache.objects import cached_object
from .code import Code
from .libraries import library_function


def kept_library(
    name: str,
    assembly: Callable[[], str],
    exports: Iterable[str],
    symbols: Iterable[str] = (),
    known: Mapping[str, int] = MappingProxyType({}),
    *,
    is_optimised: bool = False,
) -> dict[str, int]:
    """The addresses of the exported functions of LLVM assembly: see `compile_assembly` and `link_forever`.

    The assembly depends on nothing but the sources of weft, the system and the version of Python: under the name its
    code is found on disk.
    """
    code = cached_object(name, lambda: compile_assembly(assembly(), is_optimised=is_optimised))
    return link_forever(code, exports, symbols, known)


def compile_assembly(text: str, *, is_optimised: bool = False) -> bytes:
    """The object code of a module, for any processor of this architecture.

    To optimise it takes five times as long: 0.2 s for the dispatcher, whose calls are a fifth faster then.
    """
    from .native_target import binding, native_machine  # which load LLVM

    try:
        module = binding().parse_assembly(text)
    except RuntimeError as error:
        raise InternalError(f"LLVM refuses the backend's own code: {error}") from error
    machine = native_machine(1 if is_optimised else 0)
    builder = binding().create_pass_builder(machine, binding().create_pipeline_tuning_options(speed_level=1))
    if is_optimised:
        builder.getModulePassManager().run(module, builder)
    else:
        passes = binding().create_new_module_pass_manager()
        passes.add_sroa_pass()
        passes.add_instruction_combine_pass()
        passes.add_simplify_cfg_pass()
        passes.run(module, builder)
    code: bytes = machine.emit_object(module)
    return code


def link_forever(
    code: bytes, exports: Iterable[str], symbols: Iterable[str], known: Mapping[str, int]
) -> dict[str, int]:
    """The addresses of the exported functions; they stay valid until the process ends, also while Python exits.

    `symbols` are functions of the system and of Python; `known` gives the addresses of others, or of what is to be
    called in their place.
    """
    exports, addresses = list(exports), dict(known)
    for name in symbols:
        address = known.get(name) or library_function(name)
        if address is None:
            raise InternalError(
                f"the function {name}, which the backend's own code calls, is not on this system"
            )
        addresses[name] = address
    linked = Code(code, exports, addresses)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(linked))
    return {name: linked.address(name) for name in exports}
