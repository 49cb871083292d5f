"""The arrows between the rooms: imports point down, and no module imports itself in a circle."""

from __future__ import annotations

import ast
import graphlib
from collections.abc import Iterator

import pytest

from support.package import ROOMS, module_name, source_files

# The package's own __init__ is its face: it stands on the frontend, and only tools may use it.
LEVELS = {
    "dialect": 0,
    "passes": 1,
    "backend": 2,
    "frontend": 3,
    "weft": 4,
    "tools": 5,
}
MODULES = {module_name(path): path for path in source_files()}


def room_of(module: str) -> str:
    """The room a module is in; `weft` itself is a room of its own.

    >>> room_of("weft.passes.lowering.shape"), room_of("weft")
    ('passes', 'weft')
    """
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else parts[0]


def own_module(name: str) -> str:
    """The module that `name` is or is an attribute of."""
    while name not in MODULES:
        name, _, _ = name.rpartition(".")
    return name


def package_of(module: str) -> str:
    """The package that `from .` means in a module."""
    return module if MODULES[module].name == "__init__.py" else module.rpartition(".")[0]


def imported_names(node: ast.AST, package: str) -> Iterator[str]:
    """The absolute dotted names that one import statement asks for."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        parts = package.split(".")
        base = parts[: len(parts) - node.level + 1] if node.level else []
        prefix = ".".join([*base, *([node.module] if node.module else [])])
        yield from (f"{prefix}.{alias.name}" for alias in node.names)


def without_type_checking(tree: ast.Module) -> ast.Module:
    """The module as it runs: bodies of `if TYPE_CHECKING:` are dropped."""

    class Dropper(ast.NodeTransformer):
        def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
            self.generic_visit(node)
            return node.orelse if ast.unparse(node.test).endswith("TYPE_CHECKING") else node

    return Dropper().visit(tree)


def imports_of(module: str, *, with_type_checking: bool = True) -> set[str]:
    """The modules of the package that a module imports, inside functions too."""
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    if not with_type_checking:
        tree = without_type_checking(tree)
    names = (name for node in ast.walk(tree) for name in imported_names(node, package_of(module)))
    return {own_module(name) for name in names if name.split(".")[0] == "weft"} - {module}


def test_rooms_are_all_known() -> None:
    assert set(ROOMS) | {"weft"} == set(LEVELS)
    assert {room_of(module) for module in MODULES} == set(LEVELS)


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_down(module: str) -> None:
    level = LEVELS[room_of(module)]
    upward = {other for other in imports_of(module) if LEVELS[room_of(other)] > level}
    assert not upward, f"{module} imports {sorted(upward)}"


def test_no_module_imports_itself_in_a_circle() -> None:
    graph = {module: imports_of(module, with_type_checking=False) for module in MODULES}
    graphlib.TopologicalSorter(graph).prepare()


def test_imports_inside_the_package_are_relative() -> None:
    absolute = [
        f"{module}:{node.lineno}"
        for module, path in MODULES.items()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, (ast.Import, ast.ImportFrom))
        and not getattr(node, "level", 0)
        and any(name.split(".")[0] == "weft" for name in imported_names(node, package_of(module)))
    ]
    assert absolute == []


def test_relative_imports_are_resolved() -> None:
    """The helpers above see what an import statement means."""
    node = ast.parse("from ..dialect.mlir import ir").body[0]
    assert list(imported_names(node, "weft.passes")) == ["weft.dialect.mlir.ir"]
    node = ast.parse("from . import fold, simplify").body[0]
    assert list(imported_names(node, "weft.passes")) == ["weft.passes.fold", "weft.passes.simplify"]


def test_type_checking_imports_are_dropped() -> None:
    tree = ast.parse("if TYPE_CHECKING:\n    import a\nelse:\n    import b\nimport c")
    assert ast.unparse(without_type_checking(tree)) == "import b\nimport c"
