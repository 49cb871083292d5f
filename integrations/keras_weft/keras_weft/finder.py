"""Lets Keras 3.15, which chooses its backend by chains of `if backend() == ...`, find the backend weft.

The modules with such chains are compiled from their own source with one more branch: a copy of that of the numpy
backend, whose modules and classes are replaced by those of this package. No file is changed.
"""

from __future__ import annotations

import ast
import copy
import functools
import importlib.abc
import importlib.machinery
import re
import sys
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any

SUPPORTED = ("3.15",)
"""The minor versions of Keras whose modules are known."""

MODULES = frozenset(
    {
        "keras.src.backend",
        "keras.src.export.saved_model",
        "keras.src.layers.layer",
        "keras.src.models.model",
        "keras.src.utils.backend_utils",
        "keras.src.utils.traceback_utils",
    }
)
"""The modules of Keras that tell backends apart by name."""

REBINDING = frozenset(
    {
        "keras.src.layers.preprocessing.image_preprocessing.random_brightness",
        "keras.src.losses.loss",
    }
)
"""The modules of Keras that write `x += y` where `x` may be an array of the program, and mean another array."""

COMPARING = frozenset(
    {
        "keras.src.losses.loss",
        "keras.src.losses.losses",
        "keras.src.metrics.accuracy_metrics",
        "keras.src.models.functional",
        "keras.src.ops.math",
        "keras.src.ops.nn",
    }
)
"""The modules of Keras that compare extents of arrays, which are None to it where only the run knows them."""

WITHOUT_TENSORFLOW = frozenset({"keras.src.callbacks.tensorboard"})
"""The modules of Keras that import names of TensorFlow's which weft and TensorBoard have, too."""

_BACKEND = "keras.src.backend.numpy"
_MODULES_OF_WEFT = {".core": ".variable"}
"""Where a class lies in a module of another name than in the numpy backend."""


def install() -> None:
    """Let imports of Keras find weft; a second time does nothing."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the modules of Keras that are to know of weft."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The module as Python finds it, with a loader that changes it."""
        if not _is_compiled_anew(fullname) and fullname not in _CHANGES:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path)
        if spec is None or spec.origin is None:
            return None
        if fullname == "keras.src.backend":
            _require_supported(Path(spec.origin).parent.parent / "version.py")
        spec.loader = _Loader(fullname, spec.origin)
        return spec


def _known_extents(shape: Any) -> Any:
    """A shape with None in the places of extents that only the run of a compiled function knows."""
    import weft

    return tuple([None if weft.is_traced(extent) else extent for extent in shape])


def _know_extents(module: Any) -> None:
    """Let extents that only the run of a compiled function knows be None where Keras compares and keeps shapes."""
    of_known = module.standardize_shape

    @functools.wraps(of_known)
    def standardize_shape(shape: Any) -> Any:
        return of_known(_known_extents(shape) if hasattr(shape, "__iter__") else shape)

    module.standardize_shape = standardize_shape


def _described(call_spec: Any) -> Any:
    """The arguments of a layer, with types in the places of arrays that are known when the function runs."""
    from keras.src import backend, tree

    import weft

    def described(value: Any) -> Any:
        if not weft.is_traced(value):
            return value
        return backend.KerasTensor(weft.static_shape(value), backend.standardize_dtype(value.dtype))

    copied = copy.copy(call_spec)
    vars(copied).update(tree.map_structure(described, vars(call_spec)))
    return copied


def _build_aside(module: Any) -> None:
    """Let layers that are first called while a function is traced make their variables once and for all."""
    build = module.Layer._maybe_build

    @functools.wraps(build)
    def build_aside(self: Any, call_spec: Any) -> None:
        if self.built:
            return
        import weft

        described = _described(call_spec) if weft.is_recording() else call_spec
        with weft.init_scope():
            build(self, described)

    module.Layer._maybe_build = build_aside


def _tell_zeros(module: Any) -> None:
    """Let LSTM and GRU run as any cell where the outputs of masked times are zeros, which fused loops are not told."""
    kind = module.LSTM if hasattr(module, "LSTM") else module.GRU
    fused = kind.inner_loop

    @functools.wraps(fused)
    def inner_loop(self: Any, sequences: Any, initial_state: Any, mask: Any, training: bool = False) -> Any:
        if mask is None or not self.zero_output_for_mask:
            return fused(self, sequences, initial_state, mask, training=training)
        mask = mask[0] if isinstance(mask, (list, tuple)) else mask
        return super(kind, self).inner_loop(sequences, initial_state, mask=mask, training=training)

    kind.inner_loop = inner_loop


def _require_rows(module: Any) -> None:
    """Let embeddings refuse numbers that they have no row for by the layer's name, also those below 0."""
    looked_up = module.Embedding.call

    @functools.wraps(looked_up)
    def call(self: Any, inputs: Any) -> Any:
        from .src.ops.categories import require_rows

        require_rows(self.name, inputs, self.input_dim)
        return looked_up(self, inputs)

    module.Embedding.call = call


def _draw_steps(module: Any) -> None:
    """Let the graph of a step be drawn that weft has compiled."""

    ended = module.TensorBoard.on_train_batch_end

    @functools.wraps(ended)
    def on_train_batch_end(self: Any, batch: int, logs: Any = None) -> None:
        is_due, self._should_write_train_graph = self._should_write_train_graph, False
        ended(self, batch, logs)
        self._should_write_train_graph = is_due and not self.model.train_function.draw(self._train_writer)

    module.TensorBoard.on_train_batch_end = on_train_batch_end


def _compile_all(module: Any) -> None:
    """Let models be compiled whatever layers they have: those that XLA does not take, too."""
    module.model_supports_jit = lambda model: True


_CHANGES = {
    "keras.src.callbacks.tensorboard": _draw_steps,
    "keras.src.backend.common.variables": _know_extents,
    "keras.src.layers.core.embedding": _require_rows,
    "keras.src.layers.layer": _build_aside,
    "keras.src.layers.rnn.gru": _tell_zeros,
    "keras.src.layers.rnn.lstm": _tell_zeros,
    "keras.src.trainers.trainer": _compile_all,
}
"""What is changed in modules of Keras after they were run."""


def _is_compiled_anew(fullname: str) -> bool:
    """Whether a module is compiled from its own source, changed."""
    return fullname in MODULES | REBINDING | COMPARING | WITHOUT_TENSORFLOW


def _require_supported(file: Path) -> None:
    """Raise unless the version of Keras is a known one."""
    found = re.search(r'__version__ = "([^"]*)"', file.read_text()) if file.is_file() else None
    version = found[1] if found else "of an unknown version"
    if ".".join(version.split(".")[:2]) not in SUPPORTED:
        raise ImportError(
            f"keras_weft knows the insides of Keras {' and '.join(SUPPORTED)}, and this is Keras {version}, in "
            f"{file.parent.parent}; install one that it knows: pip install 'keras=={SUPPORTED[-1]}.*'"
        )


class _Loader(importlib.machinery.SourceFileLoader):
    """Compiles a module from its own source, changed, and changes it after it was run.

    A branch for weft is added, and `x += y` is `x = x + y`: arrays of NumPy change, Keras's do not. Extents that are
    not known yet compare as None. What TensorFlow was imported for is taken from here.
    """

    def get_code(self, fullname: str) -> types.CodeType | None:
        """The code of the module; its lines are those of the file."""
        if not _is_compiled_anew(fullname):
            return super().get_code(fullname)
        path = self.get_filename(fullname)
        tree = ast.parse(self.get_data(path), path)
        if fullname in MODULES:
            adding = _AddBranch()
            tree = adding.visit(tree)
            if not adding.added:
                raise ImportError(
                    f"keras_weft finds no branch of the numpy backend in {fullname} ({path}), which it would copy; "
                    f"install Keras {SUPPORTED[-1]} as it was released"
                )
        if fullname in REBINDING:
            tree = _Rebind().visit(tree)
        if fullname in COMPARING:
            tree = _KnowExtents().visit(tree)
        if fullname in WITHOUT_TENSORFLOW:
            tree = _WithoutTensorFlow().visit(tree)
        code: types.CodeType = compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)
        return code

    def exec_module(self, module: types.ModuleType) -> None:
        """Run the module, and what changes it."""
        vars(module)[_known_extents.__name__] = _known_extents
        super().exec_module(module)
        if change := _CHANGES.get(module.__name__):
            change(module)


class _Rebind(ast.NodeTransformer):
    """Gives names new values, in the place of changing the ones they have."""

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        """`x += y` as `x = x + y`."""
        if not isinstance(node.target, ast.Name):
            return node
        value = ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value)
        return ast.copy_location(ast.Assign([node.target], value), node)


class _KnowExtents(ast.NodeTransformer):
    """Compares shapes in which extents that only the run of a compiled function knows are None."""

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """`x.shape == y` and `x.shape != y`, whatever is around the shape; other comparisons stay."""
        if all(isinstance(operator, (ast.Eq, ast.NotEq)) for operator in node.ops):
            node.left = _OfKnownExtents().visit(node.left)
            node.comparators = [_OfKnownExtents().visit(one) for one in node.comparators]
        return node


class _OfKnownExtents(ast.NodeTransformer):
    """Asks `_known_extents` for shapes."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """`x.shape`."""
        return _asked(node) if node.attr == "shape" else self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """An entry of `x_shape`, or of what is a shape by another name."""
        if isinstance(node.value, ast.Name) and node.value.id.endswith("_shape"):
            node.value = _asked(node.value)
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """`ops.shape(x)`, and `len(x.shape)` as it is."""
        if isinstance(node.func, ast.Attribute) and node.func.attr == "shape":
            return _asked(node)
        is_length = isinstance(node.func, ast.Name) and node.func.id == "len"
        return node if is_length else self.generic_visit(node)


def _asked(node: ast.expr) -> ast.expr:
    return ast.copy_location(ast.Call(ast.Name(_known_extents.__name__, ast.Load()), [node], []), node)


class _WithoutTensorFlow(ast.NodeTransformer):
    """Imports names from this package, in the place of TensorFlow."""

    _SOURCE = "keras_weft.src.tensorboard"

    def visit_Import(self, node: ast.Import) -> ast.AST:
        """`import tensorflow.x as x` as `from ... import x`."""
        if not node.names[0].name.startswith("tensorflow."):
            return node
        names = [ast.alias(name.name.rpartition(".")[2], name.asname) for name in node.names]
        return ast.copy_location(ast.ImportFrom(self._SOURCE, names, 0), node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        """`from tensorflow.x import y`, from here."""
        if (node.module or "").startswith("tensorflow."):
            node.module = self._SOURCE
        return node


class _AddBranch(ast.NodeTransformer):
    """Puts a copy in front of each branch for the numpy backend, and weft in the list of all backends."""

    def __init__(self) -> None:
        self.added = 0

    def visit_If(self, node: ast.If) -> ast.AST:
        """`if weft: copy`, and otherwise as it was."""
        self.generic_visit(node)
        if not _asks_for_numpy(node.test):
            return node
        self.added += 1
        added: ast.If = _OfWeft().visit(copy.deepcopy(node))
        added.orelse = [node]
        return added

    def visit_Tuple(self, node: ast.Tuple) -> ast.AST:
        """The names of all backends, among which is the last of them."""
        names = [name.value for name in node.elts if isinstance(name, ast.Constant)]
        if names[-1:] == ["openvino"]:
            node.elts.append(ast.Constant("weft"))
        return node


def _asks_for_numpy(test: ast.expr) -> bool:
    """Whether a condition is `backend() == "numpy"`, in one of the ways in which Keras writes it."""
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.ops[0], ast.Eq)
        and isinstance(test.comparators[0], ast.Constant)
        and test.comparators[0].value == "numpy"
        and "backend" in ast.unparse(test.left)
    )


class _OfWeft(ast.NodeTransformer):
    """Replaces what is of the numpy backend by what is of weft."""

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        """The name of the backend."""
        return ast.copy_location(ast.Constant("weft"), node) if node.value == "numpy" else node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        """The modules, and the classes in them."""
        module = (node.module or "").removeprefix(_BACKEND)
        node.module = "keras_weft.src" + _MODULES_OF_WEFT.get(module, module)
        for name in node.names:
            name.name = name.name.replace("Numpy", "Weft")
        return node


__all__ = ["MODULES", "REBINDING", "SUPPORTED", "WITHOUT_TENSORFLOW", "install"]
