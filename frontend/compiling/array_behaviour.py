"""What traced arrays do: index expressions from `views`, everything else from the array namespace."""

from __future__ import annotations

import operator
from functools import partial

from ..composite.dispatch import call_function as composite_function
from ..composite.dispatch import call_method as composite_method
from ..composite.dispatch import call_ufunc as composite_ufunc
from ..composite.dispatch import make_composite
from ..composite.makers import traced
from ..indexing.views import read_item, write_back, write_item
from ..numpy_api.dispatch import call_function, call_ufunc, namespace_function
from ..numpy_api.number_attributes import attribute_of_number
from ..numpy_api.python_numbers import python_operator
from ..random.generator import TracedGenerator
from ..runtime_values.strings import string_of
from ..signature.composite_arrays import define_composites
from ..signature.generators import define_traced_generators
from ..tracing.behaviour import Behaviour, define_behaviour


def install_behaviour() -> None:
    """Let traced arrays and generators answer Python and NumPy; before the first of them is made."""
    define_traced_generators(TracedGenerator)
    define_composites(make_composite)
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
            composite=make_composite,
            composite_constant=traced,
            composite_ufunc=composite_ufunc,
            composite_function=composite_function,
            composite_method=composite_method,
        )
    )


__all__ = ["install_behaviour"]
