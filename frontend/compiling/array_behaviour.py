"""What traced arrays do: index expressions from `views`, everything else from the array namespace."""

from __future__ import annotations

import operator
from importlib import import_module
from typing import Any

from ...dialect.twister_states import TWISTERS
from ..indexing import views
from ..numpy_api import number_attributes, python_numbers
from ..numpy_api.dispatch import call_function, call_ufunc, namespace_function
from ..random.generator import TracedGenerator
from ..runtime_values import strings
from ..signature.composite_arrays import define_composites
from ..signature.generators import GeneratorStandIn, define_traced_generators
from ..tracing.array import TracedArray
from ..tracing.behaviour import Behaviour, define_behaviour


def _composite(module: str, name: str) -> Any:
    """A function on arrays of times, texts or records, which few programs have: its module is loaded by a call."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return getattr(import_module(f"..composite.{module}", __package__), name)(*args, **kwargs)

    return call


def _traced_source(algorithm: str, words: TracedArray) -> GeneratorStandIn:
    if algorithm in TWISTERS:
        from ..random.own_twisters import TracedTwister  # few programs make one

        return TracedTwister(algorithm, words)
    return TracedGenerator(algorithm, words)


def install_behaviour() -> None:
    """Let traced arrays and generators answer Python and NumPy; before the first of them is made.

    What few programs ask of arrays is looked up by the call: its modules are loaded then.
    """
    define_traced_generators(_traced_source)
    define_composites(_composite("dispatch", "make_composite"))
    define_behaviour(
        Behaviour(
            get_item=lambda *args: views.read_item(*args),
            set_item=lambda *args: views.write_item(*args),
            write_back=lambda *args, **kwargs: views.write_back(*args, **kwargs),
            call_ufunc=call_ufunc,
            call_function=call_function,
            namespace_function=namespace_function,
            python_operator=lambda *args: python_numbers.python_operator(*args),
            number_attribute=lambda *args: number_attributes.attribute_of_number(*args),
            repeated_text=lambda *args: strings.string_of(operator.mul, *args),
            composite=_composite("dispatch", "make_composite"),
            composite_constant=_composite("makers", "traced"),
            composite_ufunc=_composite("dispatch", "call_ufunc"),
            composite_function=_composite("dispatch", "call_function"),
            composite_method=_composite("dispatch", "call_method"),
        )
    )
