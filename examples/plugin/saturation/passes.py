"""A pass on the op: what is in [0, 1] already needs no second saturation."""

from weft.dialect.records import dataclass
from weft.passes.base import Pass
from weft.passes.rewriting import Graph, defined_functions

from . import Saturate


@dataclass(frozen=True)
class MergeSaturations(Pass):
    """Replace saturate(saturate(x)) by saturate(x)."""

    name = "merge-saturations"
    summary = "saturate once what is saturated twice"

    def run(self, module, statistics):
        """Rewrite all functions."""
        for function in defined_functions(module):
            graph = Graph(function)
            for operation in graph.operations:
                match = graph.match(operation.results[0]) if len(operation.results) == 1 else None
                if match and match.op_class is Saturate and match.producer(0, Saturate):
                    statistics["saturations"] += 1
                    graph.replace(operation, [match.operands[0]])
            graph.erase_unused()
