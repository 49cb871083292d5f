"""What traced arrays do: index expressions from `views`, everything else from the array namespace."""

from __future__ import annotations

import operator
from functools import partial
from importlib import import_module
from typing import Any

from ..indexing.views import read_item, write_back, write_item
from ..numpy_api.dispatch import call_function, call_ufunc, namespace_function
from ..numpy_api.number_attributes import attribute_of_number
from ..numpy_api.python_numbers import python_operator
from ..random.generator import TracedGenerator
from ..runtime_values.strings import string_of
from ..signature.composite_arrays import define_composites
from ..signature.generators import define_traced_generators
from ..tracing.behaviour import Behaviour, define_behaviour


def _composite(module: str, name: str) -> Any:
    """A function on arrays of times, texts or records, which few programs have: its module is loaded by a call."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return getattr(import_module(f"..composite.{module}", __package__), name)(*args, **kwargs)

    return call


def install_behaviour() -> None:
    """Let traced arrays and generators answer Python and NumPy; before the first of them is made."""
    define_traced_generators(TracedGenerator)
    define_composites(_composite("dispatch", "make_composite"))
    define_behaviour(
        Behaviour(
            get_item=read_item,
            set_item=write_item,
            write_back=write_back,
            call_ufunc=call_ufunc,
            call_function=call_function,
            namespace_function=namespace_function,
            python_operator=python_operator,
            number_attribute=attribute_of_number,
            repeated_text=partial(string_of, operator.mul),
            composite=_composite("dispatch", "make_composite"),
            composite_constant=_composite("makers", "traced"),
            composite_ufunc=_composite("dispatch", "call_ufunc"),
            composite_function=_composite("dispatch", "call_function"),
            composite_method=_composite("dispatch", "call_method"),
        )
    )


__all__ = ["install_behaviour"]
