"""A function of the weft dialect, at stage "optimized", as a model of ONNX."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
from onnx import ModelProto, helper

from ....dialect.attributes import type_from_mlir
from ....dialect.emitter import Tensor
from ....dialect.mlir import Module, Operation, Value
from ....dialect.op import Op
from ....dialect.ops.state import WriteRef
from ....dialect.types import RefType, TensorType
from ...graph_writers.table import Unsaid
from ...graph_writers.walk import ModuleWriter
from . import elementwise, indexing, products, reductions, shapes, windows
from .nodes import Nodes, names_in, value_info
from .table import WRITERS as WRITERS
from .table import Builder

FAMILIES = (elementwise, shapes, products, reductions, windows, indexing)
"""The modules that fill the table."""

OLDEST_OPSET = 18
"""The opset from which on reductions take their axes as values."""

USUAL_OPSET = 20
"""What runtimes of the last years read."""


class Writing(ModuleWriter, Builder):
    """Writes one function."""

    def __init__(self, module: Module, checks: bool, opset: int) -> None:
        super().__init__(module, checks)
        self.nodes = Nodes(opset)
        self._words: dict[Value, str] = {}
        """What the arguments are called."""

    def of(
        self,
        symbol: str,
        names: Sequence[str],
        given: Mapping[int, tuple[str, np.ndarray[Any, Any]]],
        results: Callable[[list[Tensor], list[Tensor]], Mapping[str, Tensor]],
    ) -> ModelProto:
        """The model of a function whose arguments have names, and of which some are known.

        `results` makes what it returns, by names, of what the function returns and of all arguments.
        """
        (block,) = self.entry(symbol).regions[0].blocks
        arguments: list[Tensor] = []
        inputs = []
        words = iter(names)
        for place, argument in enumerate(block.arguments):
            if place in given:
                name, array = given[place]
                self._words[argument] = name
                self.nodes.array(array, name)
                arguments.append(self.array(array))
                continue
            found = type_from_mlir(argument.type)
            kind_of = found.tensor if isinstance(found, RefType) else found
            assert isinstance(kind_of, TensorType)
            name = self._words[argument] = self.nodes.name(next(words))
            self.name_extents(name, kind_of)
            arguments.append(self.value(name, kind_of))
            inputs.append(value_info(name, kind_of, self.dims(name, kind_of.shape, name)))
        outputs, _ = self.run(symbol, arguments)
        made = results(outputs, arguments)
        named = {self.nodes.name(wanted): value for wanted, value in made.items()}
        infos = [
            value_info(name, value.type, self.dims(value.handle, value.shape, name))
            for name, value in named.items()
        ]
        nodes = self.nodes.all({name: value.handle for name, value in named.items()})
        used = {name for node in nodes for name in names_in(node)}
        graph = helper.make_graph(nodes, symbol, inputs, infos, self.nodes.initialisers(used))
        return _model(graph, self.nodes.opset)

    def of_weft(self, op_class: type[Op], op: Operation) -> Sequence[Tensor]:
        """Write an op of weft; what is written of arguments, nobody would see."""
        if op_class is WriteRef and (name := self._words.get(op.operands[0])) is not None:
            raise Unsaid(
                f"writes {name}, and models of ONNX write none of their inputs: return what it becomes"
            )
        return super().of_weft(op_class, op)

    def stand_in(self, wanted: TensorType) -> Tensor:
        """What stands for a result that cannot be written."""
        return self.value("refused", wanted)


def _model(graph: Any, opset: int) -> ModelProto:
    opsets = [helper.make_opsetid("", opset)]
    return helper.make_model(
        graph,
        opset_imports=opsets,
        ir_version=helper.find_min_ir_version_for(opsets),
        producer_name="weft",
        producer_version=version("weft"),
    )
