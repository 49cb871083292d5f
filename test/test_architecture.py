"""The arrows between files and rooms: every import, also of annotations and inside of functions, points one way."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import PurePosixPath
from typing import TypeAlias

import pytest

from support.package import ROOMS, ROOT, module_name, source_files

ORDER = {
    # The package's own __init__ is its face: it stands on the frontend, and only tools may use it.
    "": ("dialect", "passes", "backend", "frontend", "__init__.py", "tools", "__main__.py"),
    "backend": (
        "__init__.py",
        "planning",
        "processors",
        "cache",
        "target.py",
        "requirements.py",
        "nests",
        "llvm_compatibility",
        "functions",
        "ranges",
        "analysis",
        "schedules",
        "cpu",
        "gpu",
        "executables.py",
        "compiler.py",
    ),
    "frontend": (
        "__init__.py",
        "settings.py",
        "logs.py",
        "source",
        "reach",
        "signature",
        "guards",
        "tracing",
        "indexing",
        "runtime_values",
        "numpy_api",
        "composite",
        "random",
        "autograph",
        "python_state",
        "variables",
        "compiling",
        "graph_writers",
        "stablehlo",
        "calls",
        "pages",
        "summary",
        "profiling",
        "disk_cache",
        "function.py",
        "eval_shape.py",
        "gradients",
        "batching",
        "control_flow",
        "data",
        "artifacts",
        "dask",
        "distributed",
        "onnx",
        "devices.py",
        "notebooks",
    ),
    "frontend/autograph/operators": (
        "interface.py",
        "values",
        "lists",
        "tables",
        "branches",
        "loops",
        "statements",
        "exceptions",
        "builtins",
        "calls",
        "objects",
        "__init__.py",
    ),
}
"""The rooms of a folder from the ground up: each may import from those before it."""

GROUND = {
    "backend/gpu/driver": ("dialect/errors.py", "dialect/records.py"),
}
"""Rooms that stand on little, and what that is."""

Arrows: TypeAlias = "Mapping[tuple[str, str], set[str]]"
"""For each file and each that it imports, by their paths, the names that it takes."""

Children: TypeAlias = "dict[str, dict[str, dict[str, list[str]]]]"
"""By folder, for each child and each that it imports, what says so."""


# What is imported


@cache
def import_statements(text: str) -> tuple[ast.Import | ast.ImportFrom, ...]:
    """The import statements of a file, those inside of other statements, too; expressions have none."""
    found: list[ast.Import | ast.ImportFrom] = []
    pending: list[ast.AST] = [ast.parse(text)]
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found.append(node)
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            inside = getattr(node, name, ())
            pending += inside if isinstance(inside, list) else ()  # a lambda has an expression there
    return tuple(found)


def imported_names(node: ast.Import | ast.ImportFrom, package: str) -> Iterator[tuple[str, str]]:
    """For each name that an import statement takes its absolute dotted name, and the name itself."""
    if isinstance(node, ast.Import):
        yield from ((alias.name, alias.name) for alias in node.names)
    else:
        parts = package.split(".")
        base = parts[: len(parts) - node.level + 1] if node.level else []
        prefix = ".".join([*base, *([node.module] if node.module else [])])
        yield from ((f"{prefix}.{alias.name}", alias.name) for alias in node.names)


def package_of(module: str, path: str) -> str:
    """The package that `from .` means in a file.

    >>> package_of("weft.passes", "passes/__init__.py"), package_of("weft.passes.base", "passes/base.py")
    ('weft.passes', 'weft.passes')
    """
    return module if path.endswith("__init__.py") else module.rpartition(".")[0]


def find_arrows(sources: Mapping[str, str], modules: Mapping[str, str]) -> Arrows:
    """The imports between files, given their texts by path, and their paths by the names of their modules."""
    arrows: dict[tuple[str, str], set[str]] = defaultdict(set)
    for module, path in modules.items():
        package = package_of(module, path)
        for node in import_statements(sources[path]):
            for dotted, name in imported_names(node, package):
                if dotted.split(".")[0] != "weft":
                    continue
                while dotted not in modules:
                    dotted = dotted.rpartition(".")[0]
                if modules[dotted] != path:
                    arrows[path, modules[dotted]].add(name)
    return arrows


# What the arrows mean for a folder


def child_of(path: str, folder: str) -> str | None:
    """The child of a folder that a file is, or lies in; None for a file elsewhere.

    >>> child_of("frontend/tracing/array.py", "frontend"), child_of("frontend/function.py", "frontend")
    ('tracing', 'function.py')
    >>> child_of("frontend/function.py", "front")
    """
    beginning = f"{folder}/" if folder else ""
    return path[len(beginning) :].partition("/")[0] if path.startswith(beginning) else None


def arrows_between_children(arrows: Arrows) -> Children:
    """By folder: for each child those that it imports, with the two files and the names in words.

    An arrow leads from child to child in one folder: the last that both files lie in.
    """
    found: Children = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for (source, target), names in arrows.items():
        ends = source.split("/"), target.split("/")
        depth = next(depth for depth, (one, other) in enumerate(zip(*ends, strict=False)) if one != other)
        text = f"{source} imports {', '.join(sorted(names))} of {target}"
        found["/".join(ends[0][:depth])][ends[0][depth]][ends[1][depth]].append(text)
    return found


def circles(graph: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """The groups of nodes that lead to each other."""
    reach: dict[str, set[str]] = {}
    for start in graph:
        pending, seen = [start], set[str]()
        while pending:
            new = set(graph.get(pending.pop(), ())) - seen
            seen |= new
            pending += new
        reach[start] = seen
    groups = {frozenset({n, *(o for o in reach[n] if n in reach.get(o, ()))}) for n in graph if n in reach[n]}
    return sorted(map(sorted, groups))


def circles_of_children(children: Children, folder: str) -> list[str]:
    """What closes circles among the children of a folder, in words."""
    graph = children[folder]
    return [
        text
        for group in circles(graph)
        for source in group
        for target in graph[source]
        if target in group
        for text in graph[source][target]
    ]


def arrows_up(children: Children, folder: str, order: tuple[str, ...]) -> list[str]:
    """The imports of a child by one that stands before it, in words."""
    return [
        text
        for source, targets in children[folder].items()
        for target, texts in targets.items()
        if order.index(target) > order.index(source)
        for text in texts
    ]


# The package

PATHS = [path.relative_to(ROOT).as_posix() for path in source_files()]
SOURCES = {path: (ROOT / path).read_text(encoding="utf-8") for path in PATHS}
MODULES = {module_name(ROOT / path): path for path in PATHS}
FOLDERS = sorted(
    {parent.as_posix().removeprefix(".") for path in PATHS for parent in PurePosixPath(path).parents}
)


@pytest.fixture(scope="module")
def arrows() -> Arrows:
    return find_arrows(SOURCES, MODULES)


@pytest.fixture(scope="module")
def children(arrows: Arrows) -> Children:
    return arrows_between_children(arrows)


def test_no_file_imports_itself_in_a_circle(arrows: Arrows) -> None:
    graph: dict[str, set[str]] = defaultdict(set)
    for source, target in arrows:
        graph[source].add(target)
    closing = [
        f"{source} imports {', '.join(sorted(names))} of {target}"
        for group in circles(graph)
        for (source, target), names in arrows.items()
        if source in group and target in group
    ]
    assert closing == []


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder or "weft")
def test_the_children_of_a_folder_form_no_circle(children: Children, folder: str) -> None:
    assert circles_of_children(children, folder) == []


@pytest.mark.parametrize("folder", ORDER, ids=lambda folder: folder or "weft")
def test_rooms_import_from_those_below_them(children: Children, folder: str) -> None:
    assert {child_of(path, folder) for path in PATHS} - {None} == set(ORDER[folder])
    assert arrows_up(children, folder, ORDER[folder]) == []


@pytest.mark.parametrize("room", GROUND)
def test_rooms_on_the_ground_stand_on_little(arrows: Arrows, room: str) -> None:
    outside = {
        target
        for source, target in arrows
        if PurePosixPath(source).is_relative_to(room) and not PurePosixPath(target).is_relative_to(room)
    }
    assert outside <= set(GROUND[room])


def test_rooms_are_all_searched() -> None:
    assert {*ROOMS, "__init__.py", "__main__.py"} == set(ORDER[""])


def test_imports_inside_the_package_are_relative() -> None:
    absolute = [
        f"{path}:{node.lineno}"
        for path, text in SOURCES.items()
        for node in import_statements(text)
        if not getattr(node, "level", 0)
        and any(dotted.split(".")[0] == "weft" for dotted, _ in imported_names(node, ""))
    ]
    assert absolute == []


# The helpers above find what they look for


def planted(**texts: str) -> Arrows:
    """The arrows of a package with some files in the folders low/ and high/, as `low_a="from ..high import b"`."""
    sources = {f"{name.replace('_', '/')}.py": text for name, text in texts.items()}
    return find_arrows(sources, {f"weft.{path[:-3].replace('/', '.')}": path for path in sources})


def planted_children(**texts: str) -> Children:
    """Those arrows between the children of each folder."""
    return arrows_between_children(planted(**texts))


def test_relative_imports_are_resolved() -> None:
    (node,) = import_statements("from ..dialect.mlir import ir")
    assert list(imported_names(node, "weft.passes")) == [("weft.dialect.mlir.ir", "ir")]
    (node,) = import_statements("from . import fold, simplify")
    assert [dotted for dotted, _ in imported_names(node, "weft.passes")] == [
        "weft.passes.fold",
        "weft.passes.simplify",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "from ..high.b import name",
        "if TYPE_CHECKING:\n    from ..high.b import name",
        "def function():\n    from ..high.b import name",
        "try:\n    pass\nexcept ImportError:\n    from ..high.b import name",
        "match 1:\n    case 1:\n        f = lambda: 1\n    case _:\n        from ..high.b import name",
    ],
    ids=["import", "annotation", "inside of a function", "inside of a handler", "inside of a case"],
)
def test_a_planted_arrow_up_is_found(text: str) -> None:
    found = planted(low_a=text, high_b="")
    assert found == {("low/a.py", "high/b.py"): {"name"}}
    children = arrows_between_children(found)
    assert arrows_up(children, "", ("low", "high")) == ["low/a.py imports name of high/b.py"]
    assert arrows_up(children, "", ("high", "low")) == []


def test_a_planted_circle_of_files_is_found() -> None:
    children = planted_children(
        low_a="from .b import x", low_b="from .c import y", low_c="from .a import z", low_d="from .a import z"
    )
    assert circles_of_children(children, "low") == [
        "low/a.py imports x of low/b.py",
        "low/b.py imports y of low/c.py",
        "low/c.py imports z of low/a.py",
    ]
    assert circles_of_children(children, "") == []


def test_a_planted_circle_of_rooms_is_found_where_no_file_is_in_one() -> None:
    children = planted_children(
        low_a="from ..high.b import x", high_b="", high_c="from ..low.d import y", low_d=""
    )
    assert circles_of_children(children, "low") == circles_of_children(children, "high") == []
    assert circles_of_children(children, "") == [
        "high/c.py imports y of low/d.py",
        "low/a.py imports x of high/b.py",
    ]
