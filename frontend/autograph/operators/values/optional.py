"""Values that are there on some paths only: a name that may be unbound, an array that may be None."""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from .....dialect.errors import UnsupportedError, WeftTypeError
from .....dialect.shown_values import shown_value
from ....runtime_values import strings
from ....runtime_values.results import RuntimeChoice, RuntimeNone
from ....runtime_values.values import holds_traced
from ....signature.traced_value import COMPARISONS, Compared
from ....tracing.array import TracedArray, wrap
from ....tracing.array_members import BINARY, OPERATORS, ORDERINGS, UNARY
from ....tracing.number_types import number_type
from ....tracing.several_types import ToldApart, TypeOfValue
from ....tracing.staging import raise_if, value_of
from ..interface import operators

if TYPE_CHECKING:
    from collections.abc import Collection

    from ....tracing.recorder import Recorder


class MaybeUnbound:
    """What a variable holds whose binding depends on a run-time condition; converted code reads it through `load`."""

    __slots__ = ("unbound", "value")

    def __init__(self, unbound: TracedArray, value: Any) -> None:
        self.unbound = unbound
        """A bool[]: whether the name has no value."""
        self.value = value
        """The value where it has one."""

    def __repr__(self) -> str:
        return f"MaybeUnbound({self.value!r})"

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise WeftTypeError(
            "a generator that is not walked by a loop reads a variable that may have no value: give it one on all paths"
        )

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse
    __pow__ = __rpow__ = __lt__ = __le__ = __gt__ = __ge__ = __getitem__ = __array_ufunc__ = _refuse


class Chosen(Compared, RuntimeChoice):
    """One of several Python values, chosen by a run-time condition: strings, functions, objects."""

    __slots__ = ("held", "index", "options")

    def __new__(
        cls, index: TracedArray, options: tuple[Any, ...], held: frozenset[int] = frozenset()
    ) -> Chosen:
        """One of several texts can do what texts can."""
        is_text = all(isinstance(option, str) for option in options)
        return object.__new__(ChosenText if is_text else Chosen)

    def __init__(
        self, index: TracedArray, options: tuple[Any, ...], held: frozenset[int] = frozenset()
    ) -> None:
        self.index = index
        self.options = options
        self.held = held

    @property
    def python_type(self) -> type | None:  # type: ignore[override]
        """The class of all options, if they have one."""
        kinds = set(map(type, self.options))
        return kinds.pop() if len(kinds) == 1 else None

    def __copy__(self) -> Any:
        return self.each(partial(operators().call, copy.copy))

    def __deepcopy__(self, memo: Any) -> Any:
        return self.each(partial(operators().call, copy.deepcopy))

    def is_one_for(self, holds: Callable[[Any], Any]) -> Any:
        """Whether the value is one for which something holds, perhaps at run time only."""
        found: Any = np.zeros((), bool)[()]
        for number, option in enumerate(self.options):
            held: Any = holds(option)
            if isinstance(held, TracedArray):
                found = np.logical_or(np.logical_and(np.equal(self.index, number), held), found)
            elif held:
                found = np.logical_or(np.equal(self.index, number), found)
        return found._like_python(bool) if isinstance(found, TracedArray) else bool(found)

    def each(self, read: Callable[[Any], Any]) -> Any:
        """What is read of the value that was chosen: a chain of conditions."""
        options = list(map(operators().latest, self.options)) if self.held else self.options
        result: Callable[[], Any] = partial(read, options[-1])
        for number, option in reversed(list(enumerate(options[:-1]))):
            one, others = thunk(partial(read, option)), thunk(result)
            result = partial(operators().if_exp, self.index == number, one, others)
        return result()

    def of_known(self, values: Sequence[Any]) -> Any:
        """Of what is known of each option, that of the one chosen, out of a table; NotImplemented where none can be."""
        kinds = set(map(type, values))
        if all(value is values[0] for value in values):
            return values[0]
        if kinds == {tuple} and len(set(map(len, values))) == 1:
            parts = tuple(self.of_known(column) for column in zip(*values, strict=True))
            return NotImplemented if any(part is NotImplemented for part in parts) else parts
        kind = kinds.pop()
        table = np.asarray(values) if not kinds and kind in _NUMBERS else None
        if table is None or table.dtype != np.dtype(kind):
            return NotImplemented
        trace = self.index._storage.trace
        return wrap(trace, value_of(trace, table))[self.index]._like_python(kind)

    def with_others(self, do: Callable[..., Any], *others: Any) -> Any:
        """What `do` gives for the value that was chosen, and for others as those are that were chosen with it."""

        def of(number: int) -> Any:
            return do(self.options[number], *(self._same_of(other, number) for other in others))

        return Chosen(self.index, tuple(range(len(self.options)))).each(of)

    def _same_of(self, other: Any, number: int) -> Any:
        if type(other) in (list, tuple) and any(isinstance(part, Chosen) for part in other):
            return type(other)(self._same_of(part, number) for part in other)
        is_same = isinstance(other, Chosen) and other.index is self.index
        return other.options[number] if is_same and len(other.options) == len(self.options) else other

    def among(self, numbers: Sequence[int]) -> Any:
        """The value where it is known to be one of some options."""
        if len(numbers) == 1:
            return self.options[numbers[0]]
        places = np.zeros(len(self.options), np.int64)
        places[list(numbers)] = np.arange(len(numbers))
        trace = self.index._storage.trace
        held = frozenset(new for new, number in enumerate(numbers) if number in self.held)
        index = wrap(trace, value_of(trace, places))[self.index]
        return Chosen(index, tuple(self.options[number] for number in numbers), held)

    def is_one_of(self, values: Collection[Any]) -> Any:
        """Whether the value is among some constants."""
        return self.is_one_for(lambda option: option in values)

    def _compared(self, symbol: str, other: Any) -> Any:
        return self.is_one_for(lambda option: _truth(COMPARISONS[symbol](option, other)))

    def __hash__(self) -> int:
        raise self._refusal("it is a key of a dict or an item of a set")

    def __weft_truth__(self) -> Any:
        if self.held:
            return self.each(partial(operators().call, bool))
        return self.is_one_for(bool)

    def __getattr__(self, name: str) -> Any:
        raise self._refusal(f"{name!r} of it is asked for")

    def _refusal(self, what: str) -> UnsupportedError:
        return UnsupportedError(
            f"{self!r} is known only at run time, and {what}; it can be compared, tested, called "
            "and returned. Use what you need of each value in the branch that chooses it"
        )

    def _refuse_use(self, *_: Any) -> Any:
        raise self._refusal("its items, its length or its number are asked for")

    __len__ = __iter__ = __getitem__ = __setitem__ = __contains__ = __int__ = __float__ = __index__ = (
        _refuse_use
    )

    def __repr__(self) -> str:
        shown = dict.fromkeys(
            str(option.type) if isinstance(option, TracedArray) else shown_value(option)
            for option in self.options
        )  # several objects may look alike
        return " or ".join(shown) if len(shown) > 1 else f"one of several: {next(iter(shown))}"


class ChosenText(Chosen):
    """One of several texts: what is asked of it is asked of each while tracing, where the rest is known then."""

    __slots__ = ()
    __weft_text__ = True
    __hash__ = Chosen.__hash__

    def __add__(self, other: Any) -> Any:
        return self._joined(other, lambda one, two: (one, two))

    def __radd__(self, other: Any) -> Any:
        return self._joined(other, lambda one, two: (two, one))

    def _joined(self, other: Any, order: Callable[[Any, Any], tuple[Any, Any]]) -> Any:
        """This string with another one before or behind it."""
        if isinstance(other, str):
            return Chosen(self.index, tuple("".join(order(option, other)) for option in self.options))
        if not isinstance(other, (ChosenText, strings.RuntimeString)):
            raise self._refusal("it is an operand of +")
        return strings.concatenated(*order(self, other))

    def ask(self, kind: type, function: Callable[..., Any], *args: Any) -> Any:
        """What a function tells about the text, a number of a type of Python's."""
        found = self._of_each(function, *args)
        if found is None:
            return self._at_run_time().ask(kind, function, *args)
        table = np.asarray(found, np.dtype(kind))
        if all(table == table[0]):
            return found[0]
        return wrap(self._trace, value_of(self._trace, table))[self.index]._like_python(kind)

    def _of_each(self, function: Callable[..., Any], *args: Any) -> list[Any] | None:
        """What a function gives for each text; None where that is known at run time only, or one is refused."""
        if holds_traced(args, depth=4):
            return None
        try:
            return [function(option, *args) for option in self.options]
        except (TypeError, ValueError, IndexError, OverflowError):
            return None

    def _changed(self, name: str, *args: Any, **named: Any) -> Any:
        """What a method makes of the text."""
        if holds_traced(named, depth=2):
            raise self._refusal(f"{name}() gets by name ({', '.join(named)}) what only the program knows")
        return self._text(lambda text, *given: getattr(text, name)(*given, **named), *args)

    def _text(self, function: Callable[..., str], *args: Any) -> Any:
        """Another text that a function makes of this one."""
        found = self._of_each(function, *args)
        if found is None:
            return strings.string_of(function, self, *args)
        return Chosen(self.index, tuple(found)) if len(set(found)) > 1 else found[0]

    def _at_run_time(self) -> strings.RuntimeString:
        made: strings.RuntimeString = strings.string_of(str, self)
        return made

    @property
    def _trace(self) -> Recorder:
        return self.index._storage.trace

    @property
    def length(self) -> Any:
        """How many characters there are."""
        return self.ask(int, len)

    def holds(self, part: Any) -> Any:
        """`part in text`."""
        return self.ask(bool, operator.contains, part)

    def __getitem__(self, key: Any) -> Any:
        return self._text(operator.getitem, key)

    def __mul__(self, count: Any) -> Any:
        return self._text(operator.mul, count)

    __rmul__ = __mul__

    def __mod__(self, values: Any) -> Any:
        return self._text(operator.mod, values)

    def __getattr__(self, name: str) -> Any:
        if name in strings.QUESTIONS:
            kind = strings.QUESTIONS[name]
            return lambda *args: self.ask(kind, lambda text, *given: getattr(text, name)(*given), *args)
        if name in strings.STRING_METHODS:
            return partial(self._changed, name)
        raise self._refusal(f"{name!r} of it is asked for")


_NUMBERS = (bool, int, float, complex)


def thunk(function: Callable[[], Any]) -> Callable[[], Any]:
    """A function that is written in Python, of which branches look at what it holds."""
    return lambda: function()


def _truth(compared: Any) -> Any:
    """What a comparison gives: traced, where that compares with another value of the run time."""
    return compared if isinstance(compared, TracedArray) else bool(compared)


class Optional(RuntimeNone):
    """A value that is None where a run-time condition holds; any use as an array fails then, as None would."""

    __slots__ = ("is_none", "value")
    __hash__ = None  # type: ignore[assignment]
    __array_priority__ = 2000

    def __init__(self, is_none: TracedArray, value: Any) -> None:
        self.is_none = is_none
        self.value = value

    def __copy__(self) -> Any:
        return self._copied(copy.copy)

    def __deepcopy__(self, memo: Any) -> Any:
        return self._copied(copy.deepcopy)

    def _copied(self, copied: Callable[[Any], Any]) -> Any:
        return operators().if_exp(self.is_none, lambda: None, lambda: operators().call(copied, self.value))

    def _get(self, error: str, message: str) -> Any:
        """The value; the call ends with an error where it is None."""
        raise_if(self.is_none, error, message)
        return self.value

    def __eq__(self, other: object) -> Any:
        return self._compared("==", other)

    def __ne__(self, other: object) -> Any:
        return self._compared("!=", other)

    def _compared(self, symbol: str, other: Any) -> Any:
        """Whether it is another value: Python's own bool where it is None."""
        absent: Any = self.is_none
        neither: Any = np.logical_not(absent)
        both: Any = np.False_
        is_other = symbol == "!="
        if other is None:
            return (neither if is_other else absent.copy())._like_python(bool)
        if isinstance(other, Optional):
            neither = np.logical_not(np.logical_or(absent, other.is_none))
            both, other = np.logical_and(absent, other.is_none), other.value
        equal = operators().compare("==", self.value, other)
        if np.ndim(equal) and not np.ndim(other):
            unequal = partial(operators().compare, "!=", self.value, other)
            return operators().if_exp(neither, unequal if is_other else lambda: equal, lambda: is_other)
        truth: Any = np.logical_or(np.logical_and(neither, equal), both)
        truth = np.logical_not(truth) if is_other else truth
        if np.ndim(truth):
            return truth
        return truth._like_python(bool) if number_type(equal) is not None else _told_apart(truth, neither)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        symbol = _SYMBOLS.get(ufunc.__name__, ufunc.__name__)
        present = [
            value._get("TypeError", f"unsupported operand type(s) for {symbol}: an operand is None")
            if isinstance(value, Optional)
            else value
            for value in inputs
        ]
        return getattr(ufunc, method)(*present, **kwargs)

    def __array_function__(self, function: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
        message = got_none(function)

        def present(value: Any) -> Any:
            if isinstance(value, Optional):
                return value._get("TypeError", message)
            return [present(item) for item in value] if isinstance(value, (list, tuple)) else value

        return function(*map(present, args), **{key: present(value) for key, value in kwargs.items()})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.owner_of(name), name)

    def owner_of(self, name: str) -> Any:
        """The value as that of which an attribute is asked for, set or deleted."""
        return self._get("AttributeError", f"'NoneType' object has no attribute '{name}'")

    def __getitem__(self, index: Any) -> Any:
        return self._get("TypeError", "'NoneType' object is not subscriptable")[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        self._get("TypeError", "'NoneType' object does not support item assignment")[index] = value

    def __iter__(self) -> Any:
        return iter(self._get("TypeError", "'NoneType' object is not iterable"))

    def __len__(self) -> int:
        return len(self._get("TypeError", "object of type 'NoneType' has no len()"))

    def stored(self, dtype: np.dtype[Any]) -> Any:
        """What NumPy writes of it into an array: None is NaN among floats and False among bools."""
        if dtype.kind in "fcb":
            none = np.False_ if dtype.kind == "b" else np.float64(np.nan)
            return operators().if_exp(self.is_none, lambda: none, lambda: self.value)
        return self._get("TypeError", f"int() argument must be a string, {_OR_A_NUMBER}, not 'NoneType'")

    def operand(self, symbol: str, other: Any) -> Any:
        """The value as the left operand of an operator, which None does not have; NumPy has none that writes None."""
        if isinstance(other, (TracedArray, np.ndarray, np.generic)) and number_type(other) is None:
            symbol = symbol.removesuffix("=")
        return self._get("TypeError", _none_operand(symbol, (other,), is_right=False))

    def written_with(self, symbol: str, target: Any) -> Any:
        """The value as the right operand by which an array is written in place."""
        return self._get("TypeError", _none_operand(symbol.removesuffix("="), (target,), is_right=True))

    def called(self) -> Any:
        """The function that it is where it is called."""
        return self._get("TypeError", "'NoneType' object is not callable")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.called()(*args, **kwargs)

    def __repr__(self) -> str:
        return f"Optional({self.value!r})"


def got_none(function: Callable[..., Any]) -> str:
    """What is said of None as an argument of a function of NumPy's."""
    return (
        f"{function.__name__}() got None, of which NumPy makes an array of Python's objects (dtype object): compiled "
        "code computes with numbers"
    )


_OR_A_NUMBER = "a bytes-like object or a real number"


def _told_apart(truth: TracedArray, is_numpys: TracedArray) -> ToldApart:
    """What a comparison gives: NumPy's bool where it compares values, and Python's where one of them is None."""
    types = TypeOfValue(truth.type, bool, False), TypeOfValue(truth.type, None, False)
    options = truth.copy()._like_python(bool), truth.copy()._as_array(False)
    choice = np.where(is_numpys, np.int64(1), np.int64(0))
    return ToldApart(truth._storage, choice, types, [partial(_itself, option) for option in options])


def _itself(value: Any) -> Any:
    return value


def _operator(name: str, symbol: str, reflected: bool) -> Any:
    def method(self: Optional, *others: Any) -> Any:
        value = self._get("TypeError", _none_operand(symbol, others, reflected))
        operands = [
            o._get("TypeError", _none_operand(symbol, (value,), not reflected))
            if isinstance(o, Optional)
            else o
            for o in others
        ]
        if not operands:
            return getattr(operator, f"__{name}__")(value)
        return operators().binary(symbol, *((*operands, value) if reflected else (value, *operands)))

    return method


def _none_operand(symbol: str, others: tuple[Any, ...], is_right: bool) -> str:
    """What Python says about arithmetic with None."""
    if not others:
        return f"bad operand type for {symbol}: 'NoneType'"
    names = ["'NoneType'", f"'{type_name(others[0])}'"]
    if is_right:
        names.reverse()
    if symbol in ("<", "<=", ">", ">="):
        return f"'{symbol}' not supported between instances of {names[0]} and {names[1]}"
    return f"unsupported operand type(s) for {symbol}: {names[0]} and {names[1]}"


def type_name(value: Any) -> str:
    """How Python names the type of an operand in such a message: NumPy asks it about its own scalars."""
    if isinstance(value, Optional):
        return type_name(value.value)
    if isinstance(value, (TracedArray, np.ndarray, np.generic)):
        names = {"b": "bool", "i": "int", "u": "int", "f": "float", "c": "complex"}
        return names.get(value.dtype.kind, str(value.dtype.name))
    return type(value).__name__


_UNARY_SYMBOLS = {"neg": "unary -", "pos": "unary +", "invert": "unary ~", "abs": "abs()"}
_SYMBOLS = {
    **{ufunc.__name__: symbol for ufunc, symbol in (*OPERATORS.values(), *ORDERINGS.values())},
    **{UNARY[name].__name__: symbol for name, symbol in _UNARY_SYMBOLS.items()},
}
"""How Python writes the operators in its messages, by the ufunc that each is."""

for _name, _symbol in _UNARY_SYMBOLS.items():
    setattr(Optional, f"__{_name}__", _operator(_name, _symbol, reflected=False))
for _name, (_, _symbol) in (*BINARY.items(), *ORDERINGS.items()):
    setattr(Optional, f"__{_name}__", _operator(_name, _symbol, reflected=False))
for _name, (_, _symbol) in BINARY.items():
    setattr(Optional, f"__r{_name}__", _operator(_name, _symbol, reflected=True))
