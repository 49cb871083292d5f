"""What was compiled and fits a call, and how Python makes such calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...backend.cpu.dispatch.turns import turn
from ...dialect.errors import PythonNumberError
from .parameters import Arguments

if TYPE_CHECKING:
    from .specialisations import Fitting

_TRIES = 20
"""How often a call is compiled anew because another thread changed what it relies on."""


def found_for(function: Any, arguments: Arguments) -> tuple[tuple[Fitting, Arguments] | None, Any]:
    """What fits of a `Function`, with the arguments that it takes; and the numbers among these that may be data."""
    fitting, numbers = function._fitting(arguments), None
    if fitting is None and (numbers := function._numbers.of(arguments)) is not None:
        arguments = numbers.as_data()
        fitting = function._fitting(arguments)
    return (None if fitting is None else (fitting, arguments)), numbers


def run(function: Any, fitting: Fitting, arguments: Arguments) -> Any:
    """Run what fits a call; where that has not the numbers which Python has, with the arguments as constants."""
    concrete, arrays = fitting
    try:
        return concrete.run(arrays, arguments.bound)
    except PythonNumberError:
        if not concrete.may_run_again:
            raise
    concrete, arrays = function._made_for_sizes(arguments)
    return concrete.run(arrays, arguments.bound)


def run_in_turn(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run what changes Python's state: all that it reads of that, its arguments' too, is read in its turn."""
    for _ in range(_TRIES):
        with turn():
            arguments = function._parameters.bind(args, kwargs)
            found, _ = found_for(function, arguments)
            if found is not None:
                return run(function, found[0], arguments)
        function._specialize(arguments)  # another thread has changed what was compiled in
    with turn():
        arguments = function._parameters.bind(args, kwargs)
        return run(function, function._specialize(arguments)[0], arguments)
