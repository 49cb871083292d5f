"""`weft.export`: compiled functions as a library with an interface of C."""

from __future__ import annotations

import json
import os
import platform
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ....backend.cpu.export.cpp_header import cpp_header_text
from ....backend.cpu.export.header import header_text
from ....backend.cpu.export.interface import c_name, require_c_name
from ....backend.cpu.export.lapack import lapack_of
from ....backend.cpu.export.library import Built, How, build
from ....backend.cpu.export.linking import archive, link_shared
from ....backend.cpu.export.manifest import manifest
from ....backend.cpu.export.rust_module import rust_module_text
from ....backend.cpu.export.systems import system_of
from ....backend.gpu.export.header import device_header_text
from ....backend.gpu.export.library import DeviceLibrary, build_for_device
from ....backend.gpu.export.manifest import device_manifest
from ....backend.target import host, named
from ....dialect.errors import NotPortable, WeftValueError
from ....dialect.records import NamedTuple
from ...runtime_values.result_spec import of_one_type
from ..portability import Portable, SharedState
from ..saving import by_names, specialisations
from ..structures import File
from .sources import Sources

_EXAMPLE = "weft.export('out', predict=predict)"
KINDS = ("shared", "static", "object", "llvm", "wasm")


def export(
    directory: File,
    function: Any = None,
    /,
    *,
    library: str | None = None,
    kind: str = "shared",
    target: str | Sequence[str] | None = None,
    threads: bool = False,
    checked: bool = False,
    linker: str | None = None,
    lapack: str | None = None,
    **functions: Any,
) -> dict[str, str]:
    """Write a library for programs that have neither Python nor NumPy nor weft: machine code, a C header, a manifest.

    Functions are named by keywords; a single one without a keyword has its own name. Each is what
    `get_concrete_function` gives, or a `weft.Function` of which one signature was compiled or which has an
    `input_signature`. `library` is the name of all of it: that of the function, or of the directory. `kind` is
    "shared", "static", "object", "wasm" (a module that runs as it is) or "llvm" (text); a shared library is linked by
    the system's `cc`, by what CC says or by `linker`: a compiler, or "zig" of the package `ziglang`, for any system.
    `target` is a processor or a level of them, by default one that most machines run (`x86-64-v2`, `aarch64`), and not
    this one ("native"); of several, as `["x86-64-v2", "x86-64-v3"]`, the library chooses the highest that a processor
    has; that of a GPU, as "sm_90a" or "sm_90a:x86-64-v3", writes kernels and what launches them, for arrays of the GPU.
    `lapack`, "system" or a library, is what solving and factorising of matrices call. With `threads=True` loops
    are shared among threads, and with `checked=True` functions look at the arrays that they are given. Arrays and
    numbers outside of the arguments that a function changes become a state that the caller holds. Returns what was
    written: "header", "manifest", the library by its kind, and where the target is no GPU, "cpp" (a header for C++20)
    and "rust" (a module of Rust).

    Raises `weft.NotPortable`, with all reasons and their lines, for functions that need Python, NumPy's or SciPy's
    code; `ValueError` for names, kinds and targets that there are not; `weft.LinkError` without a linker. Nothing is
    written then.

    >>> import os, tempfile
    >>> doubled = weft.function(lambda x: x * 2, name="doubled")
    >>> concrete = doubled.get_concrete_function(weft.TensorSpec([None], "float64"))
    >>> files = weft.export(tempfile.mkdtemp(), concrete, kind="object")
    >>> sorted(files)
    ['cpp', 'header', 'manifest', 'object', 'rust']
    >>> [line for line in Path(files["header"]).read_text().splitlines() if line.startswith("int32_t")]
    ['int32_t doubled(const double *x, int64_t x_0, double *result, weft_error *error);']
    """
    functions = by_names(directory, function, functions, _EXAMPLE)
    folder = Path(os.fspath(directory))
    if library is None:
        library = next(iter(functions)) if len(functions) == 1 else c_name(folder.absolute().name)
    how = Options(kind, target, threads, checked, linker, lapack)
    return export_files(folder, functions, library, how)


class Options(NamedTuple):
    """How a library is made."""

    kind: str = "shared"
    target: str | Sequence[str] | None = None
    threads: bool = False
    checked: bool = False
    linker: str | None = None
    lapack: str | None = None
    file: str | None = None
    """The name of the file of the library, where it is not the usual one."""

    @property
    def target_names(self) -> list[str]:
        """The targets: several are levels of processors; none is the usual one."""
        if self.target is None:
            return []
        return self.target.split(",") if isinstance(self.target, str) else list(self.target)


def export_files(
    folder: Path, functions: Mapping[str, Any], library: str, options: Options
) -> dict[str, str]:
    """What `export` does, with names for all."""
    built, _ = _built(functions, library, options)
    return _write(folder, built, options)


def write_extension_sources(
    folder: Path, module: str, functions: Mapping[str, Any], options: Options
) -> tuple[Path, Path, Sequence[str]]:
    """Write an object file and the source of an extension module around it; their paths, and libraries."""
    from .glue import Glued, glue_text

    library = f"{c_name(module)}_library"
    built, found = _built(functions, library, options._replace(checked=True))
    if not isinstance(built, Built):
        raise WeftValueError(f"an extension module is for processors, and {options.target!r} is a GPU")
    pairs = zip(built.library.functions, found.values(), strict=True)
    text = glue_text(module, built.library, [Glued(f, portable.description) for f, portable in pairs])
    files = _write(folder, built, options)
    source = folder / f"{module}.c"
    source.write_text(text, encoding="utf-8")
    return source, Path(files["object"]), built.libraries


def _built(
    functions: Mapping[str, Any], library: str, options: Options
) -> tuple[Built | DeviceLibrary, dict[str, Portable]]:
    """The library in memory, and its functions as other processes have them."""
    if options.kind not in KINDS:
        raise WeftValueError(f"weft.export has no kind {options.kind!r}; there are: {', '.join(KINDS)}")
    for name in functions:
        require_c_name(name)
    require_c_name(library, of_library=True)
    targets = _targets(options.target_names, options.kind, options.linker)
    if options.threads:
        _require_threads(targets[0])
    lapack = None if options.lapack is None else lapack_of(options.lapack)
    if lapack is not None and named(targets[0]).triple.startswith("wasm32"):
        raise WeftValueError("there is no LAPACK for WebAssembly: lapack= is for processors")
    form = options.kind if options.kind in ("llvm", "wasm") else "object"
    found, arrays = _portable(functions)
    is_for_device = named(targets[0]).gpu is not None
    sources = Sources(found, arrays, packs=not is_for_device)
    made = (sources.sources, sources.state, sources.constants)
    how = How(options.checked, options.threads, lapack, form)
    if is_for_device:
        return build_for_device(library, *made, targets[0], how), found
    return build(library, *made, targets, how), found


def _targets(names: Sequence[str], kind: str, linker: str | None) -> list[str]:
    """The names of targets, one or several levels of processors, if such a library can be made for them."""
    if kind == "wasm":
        if names and list(names) != ["wasm32"]:
            raise WeftValueError(
                f'kind="wasm" is for target="wasm32", and not for {", ".join(map(repr, names))}'
            )
        return ["wasm32"]
    usual = "aarch64" if host().triple.startswith(("aarch64", "arm64")) else "x86-64-v2"
    if not names:
        return [usual]
    gpu = next((name for name in names if named(name).gpu is not None), None)
    if gpu is None:
        for name in names:
            _require_target(name, kind, linker)
        return list(names)
    if len(names) > 1:
        raise WeftValueError(f"a library for a GPU has one target, and not {', '.join(map(repr, names))}")
    launcher = named(gpu).host if ":" in gpu else usual
    if "linux" not in named(launcher).triple:
        raise WeftValueError(
            f"functions for GPUs are exported for Linux, and {launcher!r} is {named(launcher).triple}"
        )
    _require_target(launcher, kind, linker)
    return [f"{named(gpu).cpu}:{launcher}"]


def _require_target(name: str, kind: str, linker: str | None) -> None:
    """Refuse a target for which such a library cannot be made."""
    found = named(name)
    if kind == "shared":
        _require_linked(name, found.triple, linker)
    if kind == "static" and not system_of(found.triple).has_archives:
        raise WeftValueError('weft writes no archives for macos and windows: export kind="object"')


def _require_linked(name: str, triple: str, linker: str | None) -> None:
    """Refuse a shared library that the compiler of this machine would not link, if no other one is named."""
    if triple.startswith("wasm32"):
        raise WeftValueError(f'{name!r} has no shared libraries: export kind="wasm" or "object"')
    if triple != host().triple and linker is None:
        raise WeftValueError(
            f"the compiler of this machine links no library for {name!r} ({triple}): name one that does by linker=, "
            'which is "zig" (pip install \'weft[export]\') or a command as "aarch64-linux-gnu-gcc"; or export '
            'kind="object", and link it there'
        )


def _require_threads(target: str) -> None:
    """Refuse threads for GPUs, for other systems than this one, and for those that have none of POSIX."""
    if named(target).gpu is not None:
        raise WeftValueError(f"threads=True is for processors, and {target!r} is a GPU")
    if platform.system() not in ("Linux", "Darwin") or named(target).triple != host().triple:
        raise WeftValueError(
            f"threads=True is for this machine's system, if that has threads of POSIX, and not for {target!r}"
        )


def _portable(functions: Mapping[str, Any]) -> tuple[dict[str, Portable], dict[str, Any]]:
    """What the functions are to other processes; all reasons at once why they are nothing."""
    shared = SharedState()
    makers = {name: specialisations(name, given, shared, _EXAMPLE) for name, given in functions.items()}
    found: dict[str, Portable] = {}
    reasons: list[str] = []
    for name, several in makers.items():
        if len(several) > 1:
            raise WeftValueError(
                f"{name} was compiled for {len(several)} signatures, and a function of C has one: pass "
                f"{name}.get_concrete_function(specs...)"
            )
        try:
            found[name] = _of_one_type(several[0]())
        except NotPortable as error:
            reasons.append(str(error))
    if reasons:
        raise NotPortable("\n".join(reasons))
    return found, shared.arrays


def _of_one_type(made: Portable) -> Portable:
    """A function for callers to whom a result has one type on all paths."""
    leaves: Any = tuple(map(of_one_type, made.description.leaves))
    return made._replace(description=made.description._replace(leaves=leaves))


def file_name(library: str, kind: str, triple: str) -> str:
    """What the file of a library is called."""
    if kind == "shared":
        return system_of(triple).file_name(library)
    ending = {"static": "a", "object": "o", "llvm": "ll", "wasm": "wasm"}[kind]
    return f"{'lib' if kind == 'static' else ''}{library}.{ending}"


def _write(folder: Path, made: Built | DeviceLibrary, options: Options) -> dict[str, str]:
    """Write the files beside those of their names, and rename them when all are there."""
    built = made if isinstance(made, Built) else made.built
    name, kind = built.library.name, options.kind
    own = options.file or file_name(name, kind, built.target.triple)
    names = {
        kind: own,
        "header": f"{name}.h",
        "cpp": f"{name}.hpp",
        "rust": f"{name}.rs",
        "manifest": f"{name}.json",
    }
    if isinstance(made, DeviceLibrary):
        del names["cpp"], names["rust"]
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{name}.", dir=folder) as draft_folder:
        drafts = Path(draft_folder)
        _write_library(drafts, own, built, options)
        imported = drafts / f"{Path(own).stem}.lib"
        if imported.exists():
            names["import"] = imported.name
        for what, text in _beside(made, names, _link_attributes(kind, own, built.libraries)):
            (drafts / names[what]).write_text(text, encoding="utf-8")
        for file in names.values():
            os.replace(drafts / file, folder / file)
    return {what: str(folder / file) for what, file in names.items()}


def _beside(
    made: Built | DeviceLibrary, names: Mapping[str, str], link_attributes: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """The texts beside a library."""
    producer = f"weft {version('weft')}"
    if isinstance(made, Built):
        yield "header", header_text(made.library, made.target)
        yield "cpp", cpp_header_text(made.library)
        yield "rust", rust_module_text(made.library, list(link_attributes))
        described = manifest(made, names, producer)
    else:
        yield "header", device_header_text(made)
        described = device_manifest(made, names, producer)
    yield "manifest", json.dumps(described, indent=1) + "\n"


def _link_attributes(kind: str, file: str, libraries: Sequence[str]) -> list[str]:
    """What tells rustc to link the library, if it can be found by its name, and what it needs itself."""
    name, ending = os.path.splitext(file)
    found = []
    if kind in ("shared", "static") and (name.startswith("lib") or ending == ".dll"):
        of_kind = ', kind = "static"' if kind == "static" else ""
        found.append(f'#[link(name = "{name.removeprefix("lib")}"{of_kind})]')
    if kind in ("static", "object"):
        found += [f'#[link(name = "{library}")]' for library in libraries]
    return found


def _write_library(folder: Path, file: str, built: Built, options: Options) -> None:
    """Write the machine code, linked as its kind says."""
    library, symbols = built.library, list(built.library.symbols())
    if options.kind == "shared":
        link_shared(
            built.content,
            folder,
            file,
            symbols,
            built.target.triple,
            has_threads=library.has_threads,
            libraries=built.libraries,
            linker=options.linker,
        )
    elif options.kind == "static":
        (folder / file).write_bytes(archive(f"{library.name}.o", built.content, symbols))
    else:
        (folder / file).write_bytes(built.content)
