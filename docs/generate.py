"""Write the generated pages of docs/ from the sources; run with `make docs`, and a test checks they are current."""

from __future__ import annotations

import ast
import dataclasses
import functools
import importlib
import importlib.util
import inspect
import pathlib
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from numpy_names import page as names_page

import weft
from weft.dialect.op import OPS, VARIADIC, FieldKind, Op
from weft.dialect.ops import FAMILIES, load_families
from weft.frontend.onnx.reading.rules import RULES as ONNX_RULES
from weft.frontend.onnx.writing.model import WRITERS as ONNX_WRITERS
from weft.frontend.settings import Settings, variable_of
from weft.frontend.stablehlo.translation import RULES
from weft.frontend.stablehlo.writing import WRITERS
from weft.passes.base import Pass
from weft.passes.registry import load_pass
from weft.tools.catalogue import all_passes, all_pipelines, all_schedules, all_text_passes
from weft.tools.options import ALIASES, NOT_HERE, OPTIONS, flag, usage

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

SCHEDULES_INTRODUCTION = """# Schedules

Generated from the schedule classes by `make docs`. A schedule is one way of writing the loop nests of a kernel, or its
other operations. Of those that match what is left of a kernel, the one that takes least by its estimate is taken, and
of equal ones the first of its table. `f.explain()` tells which, and so does `weft.schedule` on device kernels.

To compare them, another one is forced by name, for what a line of the program computes or for all, where it matches:

```sh
weft-opt package.module:function --spec 'f32[64,64]' --spec 'f32[64,64]' --stage=asm --schedules=12:loops
weft-opt package.module:function --spec 'f32[64,64]' --target=sm_90a --stage=gpu --schedules=points
```

A name that matches nowhere is an error, which lists those that do. Sorts, random numbers, Fourier transforms and small
matrices are written by passes of their own.
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


def schedules_page() -> str:
    """The tables of schedules."""
    parts = [SCHEDULES_INTRODUCTION]
    for machines, table in all_schedules().items():
        parts.append(f"\n## Of {machines}\n\n| schedule | what it writes | taken, as |\n|---|---|---|")
        for kind in table:
            text = " ".join(inspect.cleandoc(kind.__doc__ or "").split())
            parts.append(f"| `{kind.name}` | {text} | {kind.reason} |")
    return "\n".join(parts) + "\n"


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
        f"| `{f.name}` | `{variable_of(f.name)}` | {shown_default(f)} | {f.metadata['help']} |"
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
    first = next(i for i, line in enumerate(lines) if re.search(rf"\bfunc(?!\.call)\b.* @{name}\(", line))
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


STUB_INTRODUCTION = """# Generated from the array namespace by `make docs`: what type checkers know of `weft.name`.

import builtins as _builtins
from collections.abc import Callable as _Callable
from collections.abc import Sequence as _Sequence
from typing import Any as _Any
"""

STUB_TYPES = {name: f"_builtins.{name}" for name in ("bool", "int", "float", "complex", "str", "object")}
STUB_TYPES |= {name: f"_{name}" for name in ("Any", "Callable", "Sequence")}
STUB_TYPES |= {"None": "None"} | {name: f"_builtins.{name}" for name in ("tuple", "list", "dict")}


def namespace_stub() -> str:
    """The names that are found at run time: what users touch, and the array namespace with its signatures."""
    from weft.frontend import numpy_api

    exports = weft._EXPORTS
    imports = [f"from {module} import {name} as {name}" for name, module in sorted(exports.items())]
    values = []
    for name in sorted(numpy_api.names()):
        value = numpy_api.lookup(name)
        if inspect.ismodule(value):
            package, _, module = value.__name__.removeprefix("weft").rpartition(".")
            imports.append(f"from {package} import {module} as {name}")
        elif inspect.isclass(value):
            imports.append(f"from {value.__module__} import {value.__name__} as {name}")
        elif inspect.isfunction(value):
            values.append(f'\ndef {name}{stub_signature(value)}:\n    """{summary(value)}"""')
        else:
            values.append(f"{name}: {'None' if value is None else '_builtins.' + type(value).__name__}")
    exported = "".join(f'    "{name}",\n' for name in sorted({*exports, *numpy_api.names()}))
    return "\n".join([STUB_INTRODUCTION + "\n".join(imports), "", *values, "", f"__all__ = [\n{exported}]\n"])


def package_stub(name: str) -> str:
    """The names of a package that are loaded when they are used."""
    package = importlib.import_module(f"weft.frontend.{name}")
    lines = [
        f"from {module} import {one} as {one}"
        for module, names in package._NAMES.items()
        for one in names.split()
    ]
    return f'"""{package.__doc__}"""\n\n# Generated by `make docs`.\n\n' + "\n".join(sorted(lines)) + "\n"


def summary(function: Callable[..., object]) -> str:
    """The first line of its documentation."""
    return (inspect.getdoc(function) or "").partition("\n")[0].replace("\\", "\\\\")


def stub_signature(function: Callable[..., object]) -> str:
    """The parameters with the types that builtins tell; defaults that are no plain values are left open."""
    signature = inspect.signature(function)
    parameters = []
    for parameter in signature.parameters.values():
        default = parameter.default
        is_plain = default in (parameter.empty, None) or repr(default) in ("True", "False")
        if not is_plain and not re.fullmatch(r"-?\d[\d.e+-]*|'[^\\]*'", repr(default)):
            default = StubText("...")
        annotation = StubText(stub_type(parameter.annotation))
        parameters.append(parameter.replace(annotation=annotation, default=default))
    returns = StubText(stub_type(signature.return_annotation))
    return str(signature.replace(parameters=parameters, return_annotation=returns))


class StubText:
    """A piece of source, as an annotation or default."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def stub_type(annotation: object) -> str:
    """An annotation of builtins as the stub calls these; anything else may be anything."""
    words = re.findall(r"\w+", annotation) if isinstance(annotation, str) else ["?"]
    if not all(word in STUB_TYPES for word in words):
        return "_Any"
    return re.sub(r"\w+", lambda word: STUB_TYPES[word[0]], str(annotation))


def stablehlo_page() -> str:
    """How modules of StableHLO come in and go out: the template, with the ops of both tables."""
    read = "\n".join(f"| `{name}` | {row.summary} |" for name, row in sorted(RULES.items()))
    return filled(
        "stablehlo.md",
        read=f"The ops that are read, and what they become:\n\n| op | in weft |\n|---|---|\n{read}",
        written=written_ops(WRITERS),
    )


def onnx_page() -> str:
    """How models of ONNX come in and go out: the template, with the ops of both tables."""
    read = "\n".join(f"| `{name}` | {rows[-1].summary} |" for (_, name), rows in sorted(ONNX_RULES.items()))
    return filled(
        "onnx.md",
        read=f"The ops that are read by an entry of their own:\n\n| op | in weft |\n|---|---|\n{read}",
        written=written_ops(ONNX_WRITERS),
    )


def written_ops(writers: Iterable[str]) -> str:
    """The ops of weft that another format has, and the others."""
    known = set(writers)
    written = ", ".join(f"`{name}`" for name in sorted(known))
    others = ", ".join(f"`{name}`" for name in sorted(OPS) if name not in known)
    return (
        f"The ops of weft that are written, as one op or as several:\n{textwrap.fill(written, 120)}.\n\n"
        f"Those that are not, if they are still there when gradients are written out and cells are values:\n"
        f"{textwrap.fill(others, 120)}."
    )


def filled(template: str, **parts: str) -> str:
    """A template with what stands in its braces."""
    text = (TEMPLATES / template).read_text()
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], text)


def weft_opt_page() -> str:
    """How weft-opt is used: the template, with its options and the example of a package."""
    plugin = DOCS.parent / "examples" / "plugin"
    files = [*sorted((plugin / "saturation").glob("*.py")), plugin / "pyproject.toml"]
    code = (plugin / "saturation" / "__init__.py").read_text()
    project = (plugin / "pyproject.toml").read_text()
    rows = [
        f"| `{usage(name).replace('|', chr(92) + '|')}` | {known.metadata['text']} | {known.metadata['beside']} |"
        for name, known in OPTIONS.items()
    ]
    return filled(
        "weft_opt.md",
        options="\n".join(rows),
        aliases=", ".join(f"`{flag(name)}` is `{flag(other)}`" for name, other in ALIASES.items()),
        missing=", ".join(f"`--{name}`" for name in NOT_HERE),
        lines=str(sum(1 for path in files for line in path.read_text().splitlines() if line)),
        op=code[code.index("class Saturate") :].rstrip(),
        entry_points=project[project.index("[project.entry-points") : project.index("[tool")].rstrip(),
    )


TRIED = DOCS / "templates" / "tried.md"
"""On which versions of Python tests were run by hand, as a list."""


def versions_page() -> str:
    """What is promised between versions: the template, with what pyproject.toml says of dependencies."""
    project = (DOCS.parent / "pyproject.toml").read_text()
    needed = project.partition("\ndependencies = [\n")[2].partition("\n]")[0]
    rows = re.findall(r'"([\w-]+)([^"]*)",  # (.+)', needed)
    extras = project.partition("[project.optional-dependencies]\n")[2].partition("\n[")[0]
    found = re.findall(r'^([\w-]+) = \[((?:[^\]"]|"[^"]*")*)\](?:  # (.+))?$', extras, re.MULTILINE)
    return filled(
        "versions.md",
        tried=TRIED.read_text().rstrip(),
        dependencies="\n".join(f"| {name} | `{versions}` | {reason} |" for name, versions, reason in rows),
        extras="\n".join(map(extra_row, found)),
    )


def extra_row(extra: tuple[str, str, str]) -> str:
    """One line of the table of extras: the reason stands behind the list, or behind the bracket that opens it."""
    name, packages, reason = extra
    above = re.match(r"  # (.+)\n", packages)
    names = re.findall(r'^\s*"([\w-]+)', packages.replace(", ", "\n"), re.MULTILINE)
    return f"| `{name}` | {', '.join(dict.fromkeys(names))} | {reason or (above[1] if above else '')} |"


def cache_page() -> str:
    """How the disk cache works: the template, with all reasons for which a function is not stored."""
    rows = "\n".join(f"| {text} | `{place}` |" for place, text in reasons_not_to_store())
    table = f"| what it says | who says it |\n|---|---|\n{rows}"
    return (TEMPLATES / "cache.md").read_text().replace("{{reasons}}", table)


def reasons_not_to_store() -> list[tuple[str, str]]:
    """What the sources say of functions that are not stored, with the files; in place of what differs are dots."""
    root = DOCS.parent
    found = set()
    for path in sorted((root / "frontend").rglob("*.py")):
        place = path.relative_to(root).as_posix()
        judges = place.startswith(("frontend/disk_cache/", "frontend/guards/"))
        module = ast.parse(path.read_text())
        for expression in _reasons(module, judges):
            found |= {
                (place, text) for text in _texts(expression, place) if re.search(r"\w{3,} \w{2,}", text)
            }
    return sorted(found)


def _reasons(module: ast.Module, judges: bool) -> Iterator[ast.expr]:
    """The expressions of a module that say why something is not stored."""
    for node in ast.walk(module):
        match node:
            case ast.Call(func=ast.Name(id="NotPortable"), args=[reason]) if judges:
                yield reason
            case ast.Call(func=ast.Attribute(value=owner, attr="refuse"), args=[reason]):
                if ast.unparse(owner).endswith("dependencies") or (judges and ast.unparse(owner) == "self"):
                    yield reason
            case ast.FunctionDef(name=name) if judges and name.lstrip("_").startswith("why_"):
                for inner in ast.walk(node):
                    if isinstance(inner, (ast.Return, ast.Yield)) and inner.value is not None:
                        yield inner.value


def _texts(expression: ast.expr, place: str) -> Iterator[str]:
    """The texts that an expression may be."""
    match expression:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=parts):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in parts)
        case ast.IfExp(body=body, orelse=orelse):
            yield from _texts(body, place)
            yield from _texts(orelse, place)
        case ast.Name(id=name) | ast.Subscript(value=ast.Name(id=name)) if name.isupper():
            module = importlib.import_module("weft." + place.removesuffix(".py").replace("/", "."))
            value = getattr(module, name)
            yield from value.values() if isinstance(value, dict) else [value]


def errors_page() -> str:
    """What each class of errors and warnings is about: from the class, with cause, cure and example of the template."""
    from weft.dialect import errors

    introduction, *sections = re.split(
        r"^## (\w+)\n", (TEMPLATES / "errors.md").read_text(), flags=re.MULTILINE
    )
    told = dict(zip(sections[::2], sections[1::2], strict=True))
    classes = {
        name: value
        for name, value in {**vars(errors), "AxisError": errors.AxisError}.items()
        if inspect.isclass(value) and issubclass(value, Exception)
    }
    parts = [introduction.rstrip("\n") + "\n"]
    for name, value in classes.items():
        bases = ", ".join(f"`{base.__name__}`" for base in value.__mro__[1:-3])
        parts.append(
            f"\n## {name}\n\n{' '.join((inspect.getdoc(value) or '').partition(chr(10) * 2)[0].split())}\n"
        )
        parts.append(f"\nIs also: {bases}.\n" if bases else "")
        base_of = [other.__name__ for other in classes.values() if value in other.__bases__]
        if name not in told and not base_of:
            raise KeyError(f"docs/templates/errors.md tells nothing of {name}")
        parts.append("\n" + told.pop(name).strip("\n") + "\n" if name in told else "")
    if told:
        raise KeyError(
            f"docs/templates/errors.md tells of {', '.join(told)}, which dialect/errors.py does not have"
        )
    return "".join(parts)


def contents_page() -> str:
    """The contents in reading order, which the site has, too."""
    spec = importlib.util.spec_from_file_location("contents", DOCS / "site" / "contents.py")
    assert spec is not None
    assert spec.loader is not None
    contents = importlib.util.module_from_spec(spec)
    sys.modules["contents"] = contents  # where dataclasses look for it
    spec.loader.exec_module(contents)
    page: str = contents.readme()
    return page


PAGES: dict[str, Callable[[], str]] = {
    "README.md": contents_page,
    "cache.md": cache_page,
    "errors.md": errors_page,
    "names.md": names_page,
    "onnx.md": onnx_page,
    "ops.md": ops_page,
    "passes.md": passes_page,
    "schedules.md": schedules_page,
    "settings.md": settings_page,
    "stablehlo.md": stablehlo_page,
    "versions.md": versions_page,
    "walkthrough.md": walkthrough_page,
    "weft_opt.md": weft_opt_page,
    "../namespace.pyi": namespace_stub,
    **{
        f"../frontend/{name}/__init__.pyi": functools.partial(package_stub, name)
        for name in ("data", "distributed", "onnx", "summary")
    },
}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (DOCS / name).write_text(page())
        print(f"docs/{name} written")
