"""The reference of every public name, in Markdown, from signatures and docstrings."""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import weft

HIDDEN = {"annotations", "dialect", "frontend", "backend", "passes", "tools", "importlib", "namespace"}
HIDDEN |= {"Any", "TYPE_CHECKING", "integrations"}
"""What lies in the module besides its names: what it imports, and rooms that have been read."""

GROUPS = {
    "function": "Compiling functions",
    "calls": "Compiling functions",
    "signature": "Compiling functions",
    "eval_shape": "Compiling functions",
    "tracing": "Compiling functions",
    "autograph": "Control flow",
    "control_flow": "Control flow",
    "batching": "All rows at once",
    "gradients": "Derivatives",
    "variables": "State",
    "artifacts": "Files, libraries, other formats",
    "runtime_values": "Printing, and calling Python",
    "devices": "GPUs",
    "gpu": "GPUs",
    "memory": "Memory, threads, settings",
    "threads": "Memory, threads, settings",
    "settings": "Memory, threads, settings",
    "errors": "Errors and warnings",
}
"""What the names of a module, or of the folder it lies in, are listed under; others under the name of the folder."""

MET = ("weft.frontend.calls.concrete:ConcreteFunction",)
"""Classes without a public name whose objects users hold."""


@dataclass
class Page:
    """The names of one group."""

    title: str
    text: str = ""
    entries: list[tuple[str, Any]] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The file, without its ending."""
        return re.sub(r"\W+", "_", self.title.lower().removeprefix("weft.")).strip("_")


def public_names() -> list[str]:
    """All names of the module that are for users."""
    return [name for name in dir(weft) if not name.startswith("_") and name not in HIDDEN]


def pages() -> list[Page]:
    """All pages: the groups of weft's own names, those of the array namespace, then modules."""
    found: dict[str, Page] = {title: Page(title) for title in dict.fromkeys(GROUPS.values())}
    modules = []
    for name in public_names():
        value = getattr(weft, name)
        if inspect.ismodule(value):
            names = [n for n in getattr(value, "__all__", dir(value)) if not n.startswith("_")]
            entries = [(f"weft.{name}.{n}", getattr(value, n)) for n in names]
            modules.append(Page(f"weft.{name}", inspect.getdoc(value) or "", entries))
        else:
            title = _group(value)
            found.setdefault(title, Page(title)).entries.append((f"weft.{name}", value))
    for path in MET:
        module, _, name = path.partition(":")
        value = getattr(__import__(module, fromlist=[name]), name)
        found[_group(value)].entries.append((name, value))
    own = [page for page in found.values() if page.entries and not page.title.startswith("Arrays: ")]
    arrays = sorted(
        (page for page in found.values() if page.title.startswith("Arrays: ")), key=lambda p: p.title
    )
    return [*own, *arrays, *modules]


def _group(value: Any) -> str:
    """What a value is listed under: by the module that it is defined in."""
    described = inspect.isclass(value) or inspect.isroutine(value)
    parts = (value.__module__ if described else type(value).__module__).split(".")
    if parts[0] != "weft" or "numpy_api" in parts or "indexing" in parts:
        if "constants" in parts or parts[0] != "weft":
            return "Arrays: dtypes and constants"
        return f"Arrays: {parts[-1].replace('_', ' ')}"
    for part in reversed(parts):
        if part in GROUPS:
            return GROUPS[part]
    return parts[min(2, len(parts) - 1)].replace("_", " ").capitalize()


def members(value: type) -> Iterator[tuple[str, Any]]:
    """The public methods and attributes that weft's classes define, or get from those."""
    for name in dir(value):
        if not name.startswith("_"):
            owner = next((c for c in value.__mro__ if name in vars(c)), None)
            if owner is not None and owner.__module__.startswith("weft"):
                yield name, vars(owner)[name]


def undocumented() -> list[str]:
    """The public names, and methods of public classes, without a docstring."""
    missing = []
    for page in pages():
        for name, value in page.entries:
            if _is_constant(value):
                continue
            if not inspect.getdoc(value):
                missing.append(name)
            if inspect.isclass(value):
                missing += [
                    f"{name}.{member}"
                    for member, held in members(value)
                    if (inspect.isroutine(held) or isinstance(held, property)) and not inspect.getdoc(held)
                ]
    return missing


def _is_constant(value: Any) -> bool:
    return not (inspect.isclass(value) or inspect.isroutine(value)) and not type(value).__module__.startswith(
        "weft"
    )


def text(page: Page) -> str:
    """The Markdown of a page, with the directives by which names are found."""
    parts = [f"# {page.title}\n"]
    if page.text:
        parts.append(markdown(page.text) + "\n")
    if len(page.entries) > 1:
        parts.append(_table(page))
    for name, value in sorted(page.entries, key=lambda entry: entry[0].lower()):
        parts.append(f"## {name.removeprefix('weft.')}\n\n{_entry(name, value)}\n")
    return "\n".join(parts)


def _table(page: Page) -> str:
    rows = []
    for name, value in sorted(page.entries, key=lambda entry: entry[0].lower()):
        first = f"`{value!r}`" if _is_constant(value) else summary(value)
        rows.append(f"| {link(name)} | {first} |")
    return "| name | what it is |\n|---|---|\n" + "\n".join(rows) + "\n"


def link(name: str, shown: str | None = None) -> str:
    """The name as a link to its entry, as Sphinx writes it."""
    return f"{{py:obj}}`{shown or name} <{name}>`"


def summary(value: Any) -> str:
    """The first sentence of a docstring, for a table."""
    first = " ".join((inspect.getdoc(value) or "").partition("\n\n")[0].split())
    return re.split(r"(?<=[.;:]) (?=[A-Z`])", first)[0].rstrip(";:").replace("|", "\\|")


def _entry(name: str, value: Any) -> str:
    if _is_constant(value):
        return f"````{{py:data}} {name}\n`{value!r}`\n````"
    if not (inspect.isclass(value) or inspect.isroutine(value)):
        return f"````{{py:data}} {name}\n{markdown(inspect.getdoc(value) or '')}\n````"
    kind = "class" if inspect.isclass(value) else "function"
    if inspect.isclass(value) and issubclass(value, BaseException):
        kind = "exception"
    body = markdown(_without_signature(inspect.getdoc(value) or ""))
    if kind == "exception":
        body = f"Inherits {', '.join(f'`{base.__name__}`' for base in value.__mro__[1:-3])}.\n\n{body}"
    elif kind == "class" and value.__module__.startswith("weft"):
        body += "".join(_member(member, held) for member, held in members(value))
    made = kind == "function" or (kind == "class" and name.rpartition(".")[2] not in _NOT_MADE)
    return f"`````{{py:{kind}}} {name}{signature(value) if made else ''}\n{body}\n`````"


_NOT_MADE = {"ConcreteFunction", "Function", "Model", "DeviceArray", "ArrayHolder", "OnnxFunction"}
"""Classes whose objects come from functions."""


def _member(name: str, held: Any) -> str:
    function = held.__func__ if isinstance(held, (classmethod, staticmethod)) else held
    doc = markdown(inspect.getdoc(function) or "")
    if inspect.isroutine(function):
        return f"\n\n````{{py:method}} {name}{signature(function, bound=True)}\n{doc}\n````"
    if isinstance(function, property) or (doc and not _is_constant(function)):
        return f"\n\n````{{py:attribute}} {name}\n{doc}\n````"
    return ""


def _without_signature(doc: str) -> str:
    """NumPy's classes begin with their signature."""
    return re.sub(r"\A\w+\([^\n]*\)\n+(?:--\n+)?", "", doc)


def signature(value: Any, bound: bool = False) -> str:
    """The parameters with their defaults, without annotations."""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return "(...)"
    parameters = [
        p.replace(annotation=p.empty, default=_Shown(p.default) if p.default is not p.empty else p.empty)
        for p in found.parameters.values()
    ]
    shown = str(inspect.Signature(parameters[1:] if bound else parameters))
    return re.sub(r" ?= ?", "=", shown)


class _Shown:
    """A default as it is written: functions and classes by their names."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        named = isinstance(self.value, (type, types.FunctionType))
        shown = self.value.__name__ if named else repr(self.value)
        return "..." if "<" in shown else shown


def markdown(doc: str) -> str:
    """A docstring as Markdown: examples, and what is indented, become blocks of code."""
    blocks = []
    for block in re.split(r"\n\s*\n", doc):
        if block.lstrip().startswith(">>> "):
            blocks.append(f"```pycon\n{inspect.cleandoc(block)}\n```")
        elif all(line.startswith("    ") for line in block.splitlines()):
            blocks.append(f"```python\n{inspect.cleandoc(block)}\n```")
        else:
            blocks.append(re.sub(r"(?<!`)``([^`]+)``(?!`)", r"`\1`", block))
    return "\n\n".join(blocks)
