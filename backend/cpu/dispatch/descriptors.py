"""What native code is told of one specialisation: operations that check arguments, inputs, and steps to the result."""

from __future__ import annotations

import ctypes
import struct
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..native_python.layout import ALIGNED, CONTIGUOUS, MOST_ITEMS, SCALAR_WORDS, WORD, WRITABLE, Build, Check
from ..native_python.layout import Descriptor as Words
from .objects import NativeTable

READY = CONTIGUOUS | ALIGNED
"""The flags of arrays that machine code takes as they are."""

MOST_VALUES = 8192
"""Calls with more values than this are left to Python: the values lie on the stack."""

_PAIRWISE = 8
"""So many arrays are compared with each other; more are put into a hash table."""


class Descriptor(NativeTable):
    """A finished description; it keeps alive what it tells native code about."""

    # In the order in which the garbage collector clears them: what is not ready is left alone.
    __slots__ = ("_ready", "memory", "objects", "owner")

    def __init__(self, words: Sequence[int], objects: Sequence[Any], owner: Any) -> None:
        self.memory = table(words)
        self.objects = objects
        self.owner = owner
        """What was compiled."""
        self.address = ctypes.addressof(self.memory)
        self._ready = True


def table(words: Sequence[int]) -> ctypes.Array[ctypes.c_int64]:
    """Words in memory."""
    return (ctypes.c_int64 * max(len(words), 1))(*words)


def _numbers(dtype: np.dtype[Any]) -> tuple[int, int]:
    """NumPy's numbers of the types that are a dtype: C has two integers of 32 or 64 bits."""
    same = {np.dtype(code).num for code in "ilqILQ" if np.dtype(code) == dtype}
    return dtype.num, next(iter(same - {dtype.num}), dtype.num)


class Kept:
    """What native code knows by its address, and what lives as long as this does."""

    def __init__(self) -> None:
        self._objects: list[Any] = []

    def keep(self, value: Any) -> int:
        """The address of an object."""
        self._objects.append(value)
        return id(value)

    def words(self, words: Sequence[int]) -> int:
        """The address of a table of words."""
        memory = table(words)
        self._objects.append(memory)
        return ctypes.addressof(memory)


class Program(Kept):
    """Writes a descriptor: operations in the order in which they run. Values are known by their places."""

    def __init__(self, slots: int) -> None:
        super().__init__()
        self._slots = slots
        self._next = 1 + slots
        self._owned = 0
        self._operations: list[int] = []
        self._steps: list[int] = []
        self._depth = self._deepest = 0

    def slot(self, index: int) -> int:
        """The place of an argument."""
        return WORD * (1 + index)

    @property
    def size(self) -> int:
        """How many words the values and what a call owns take."""
        return self._next + self._owned

    def _room(self, words: int, owned: int = 0) -> int:
        place = WORD * self._next
        self._next += words
        self._owned += owned
        return place

    def _add(
        self, code: int, source: int = 0, first: int = 0, second: int = 0, third: int = 0, target: int = 0
    ) -> None:
        self._operations += [code, source, first, second, third, target]

    # Checks

    def array(
        self,
        source: int,
        dtype: np.dtype[Any],
        shape: Sequence[int | None],
        flags: int = READY,
    ) -> None:
        """An array of a dtype and shape, where an extent of None is any but 1, with flags or a layout (see `Array`)."""
        self._add(Check.ARRAY, source, self._array_words(dtype, shape, flags))

    def _array_words(self, dtype: np.dtype[Any], shape: Sequence[int | None], flags: int) -> int:
        extents = [-1 if extent is None else extent for extent in shape]
        return self.words([self.keep(dtype), *_numbers(dtype), len(shape), flags, *extents])

    def device_array(
        self, source: int, device: int, dtype: np.dtype[Any], shape: Sequence[int | None], flags: int
    ) -> int:
        """The same on a device, of which native code is told by a table at an address; returns the place of what tells
        where and how it lies there.
        """
        place = self._room(1)
        self._add(Check.DEVICE_ARRAY, source, self._array_words(dtype, shape, flags), device, target=place)
        return place

    def scalar(self, source: int, kind: type) -> int:
        """A NumPy scalar of a type; returns the place of what stands for an array of it."""
        place = self._room(1 + SCALAR_WORDS - 2)
        self._add(Check.SCALAR, source, self.keep(kind), target=place)
        return place

    def python_number(self, source: int, kind: type) -> int:
        """A Python number of a type, an int of 64 bits; returns the place of what stands for an array of it."""
        if kind is not int:
            return self.scalar(source, kind)  # which has its value in the same place
        place = self._room(SCALAR_WORDS)
        self._add(Check.INTEGER, source, self.keep(kind), target=place)
        return place

    def numbers(self, source: int, container: type, kind: type, length: int) -> list[int]:
        """A list or tuple of so many ints of 64 bits, or floats alone; returns the places of what stands for
        arrays of them. They hold the values: the items are not kept alive.
        """
        place = self._room(SCALAR_WORDS * length)
        code = Check.INTEGERS if kind is int else Check.FLOATS
        self._add(code, source, self.keep(container), length, self.keep(kind), place)
        return [place + WORD * SCALAR_WORDS * index for index in range(length)]

    def packed(self, source: int, levels: Sequence[tuple[type, int, int]], kind: type, array: int) -> int:
        """Ints of 64 bits, or floats, alone in containers of containers: of each level the class, how many entries they
        have, and which one counts, -1 for all. Returns the place of what stands for an array of the numbers.

        `array` is the place of one to write them to; where that is 0 they are written into the frame.
        """
        words = [self.keep(kind), kind is float]
        count = 1
        for container, length, picked in levels:
            words += [self.keep(container), length, picked]
            count *= length if picked < 0 else 1
        place = array or self._room(SCALAR_WORDS - 1 + count)
        self._add(Check.PACKED, source, self.words([*words, 0]), array, target=place)
        return place

    def is_object(self, source: int, value: Any) -> None:
        """An object itself, which is kept alive."""
        self._add(Check.IS, source, self.keep(value))

    def refers(self, source: int, reference: weakref.ref[Any]) -> None:
        """The object of a weak reference, which is alive."""
        self._add(Check.REFERS, source, self.keep(reference))

    def equal(self, source: int, value: Any) -> None:
        """A value of a built-in type whose comparison runs no code of others."""
        self._add(Check.EQUAL, source, self.keep(value), self.keep(type(value)))

    def number(self, source: int, value: float | complex) -> None:
        """A Python float or complex number, bit by bit."""
        parts = (value,) if isinstance(value, float) else (value.real, value.imag)
        for index, word in enumerate(
            struct.unpack(f"={len(parts)}q", struct.pack(f"={len(parts)}d", *parts))
        ):
            self._add(Check.BITS, source, self.keep(type(value)), word, 16 + WORD * index)

    def field(self, source: int, kind: type, offset: int, value: Any) -> None:
        """An object of a type that refers to another one, which is kept alive, at an offset."""
        self._add(Check.BITS, source, self.keep(kind), self.keep(value), offset)

    def holds(self, source: int, predicate: Callable[[Any], Any]) -> None:
        """A value that Python has to look at."""
        self._add(Check.HOLDS, source, self.keep(predicate))

    def kind(self, source: int, kind: type) -> None:
        """An object whose type is this one."""
        self._add(Check.KIND, source, self.keep(kind))

    def method(self, source: int, name: str, function: Any) -> None:
        """An object whose attribute is a method of a function, as `object.__getattribute__` finds it."""
        self._add(Check.METHOD, source, self.keep(name), self.keep(function))

    def absent(self, source: int, name: str) -> None:
        """An object without an attribute, as `object.__getattribute__` looks for it."""
        self._add(Check.ABSENT, source, self.keep(name))

    def tuple_items(self, source: int, kind: type, length: int) -> list[int]:
        """A tuple of a type and length; returns the places of its items."""
        return self._items(Check.TUPLE, source, self.keep(kind), length, owned=0)

    def list_items(self, source: int, length: int) -> list[int]:
        """A list of a length; returns the places of its items."""
        return self._items(Check.LIST, source, 0, length, owned=length)

    def dict_items(self, source: int, keys: Sequence[Any]) -> list[int]:
        """A dict with some keys in this order and no others; returns the places of their values."""
        return self._items(Check.DICT, source, self.keep(tuple(keys)), len(keys), owned=len(keys))

    def members(self, source: int, kind: type, names: Sequence[str]) -> list[int]:
        """An object of a type with some attributes in its dict, and no others; returns the places of their values."""
        place = self._room(len(names), owned=1 + len(names))
        self._add(Check.MEMBERS, source, self.keep(tuple(names)), len(names), self.keep(kind), place)
        return [place + WORD * index for index in range(len(names))]

    def _items(self, code: int, source: int, first: int, length: int, owned: int) -> list[int]:
        place = self._room(length, owned)
        self._add(code, source, first, length, target=place)
        return [place + WORD * index for index in range(length)]

    def same(self, source: int, other: int) -> None:
        """The object that is in another place, too."""
        self._add(Check.SAME, source, other)

    def distinct(self, places: Sequence[int]) -> None:
        """Different objects, all of them."""
        if len(places) < 2:
            return
        size = 0 if len(places) <= _PAIRWISE else 1 << (2 * len(places)).bit_length()
        self._add(Check.DISTINCT, 0, self.words(places), len(places), self._room(size), size)

    def ask(self, question: Callable[[], Any]) -> None:
        """Something that Python finds true."""
        self._add(Check.ASK, 0, self.keep(question))

    def separate(self, arrays: Sequence[tuple[int, int, bool]]) -> None:
        """Arrays that share no memory with those of them that are written: each with its size, and whether it is.

        Sizes are in bytes; one that is not known is the size of an item, times -1.
        """
        words = [int(word) for array in arrays for word in array]
        self._add(Check.SEPARATE, 0, self.words(words), len(arrays), self._room(3 * len(arrays)))

    def content(self, source: int, content: bytes) -> None:
        """A contiguous array with these elements."""
        memory = np.frombuffer(content, np.uint8)
        self._objects.append(memory)
        self._add(Check.CONTENT, source, memory.ctypes.data, len(content))

    def container(self, source: int, picture: Sequence[int], kept: Sequence[Any]) -> None:
        """A container that holds what a picture (see `Node`) shows, whose objects are kept alive."""
        self._objects.append(kept)
        self._add(Check.CONTAINER, source, self.words(picture))

    def names(self, namespace: Any, entries: Sequence[tuple[str, Any]], otherwise: Callable[[], Any]) -> None:
        """A namespace that binds names to objects, or else what Python says."""
        words = [self.keep(otherwise)]
        for name, value in entries:
            words += [self.keep(name), self.keep(value)]
        self._add(Check.NAMES, 0, self.keep(namespace), self.words(words) + WORD, len(entries))

    # Values that are found

    def constant(self, value: Any) -> int:
        """An object."""
        return self._found(Check.CONSTANT, 0, self.keep(value))

    def owner(self, reference: weakref.ref[Any]) -> int:
        """The object of a weak reference."""
        return self._found(Check.OWNER, 0, self.keep(reference))

    def cell(self, cell: Any) -> int:
        """What a variable of a closure holds."""
        return self._found(Check.CELL, 0, self.keep(cell))

    def bound_name(self, namespace: Any, name: str) -> int:
        """What a namespace binds to a name."""
        return self._found(Check.GLOBAL, 0, self.keep(namespace), self.keep(name))

    def attribute(self, source: int, name: str) -> int:
        """An attribute of an object, as `object.__getattribute__` finds it."""
        return self._found(Check.ATTRIBUTE, source, self.keep(name))

    def item(self, source: int, key: Any) -> int:
        """An entry of a list, tuple or dict; keys are strings or integers."""
        index = key if isinstance(key, int) and key >= 0 else -1
        return self._found(Check.ITEM, source, self.keep(key), index)

    def fetched(self, fetch: Callable[[], Any]) -> int:
        """What Python finds; with None the descriptor is not for this call."""
        return self._found(Check.FETCH, 0, self.keep(fetch))

    def made(self, source: int, make: Callable[[Any], Any]) -> int:
        """What Python makes of a value; with None the descriptor is not for this call."""
        return self._found(Check.MAKE, source, self.keep(make))

    def copied(self, source: int) -> int:
        """A contiguous copy of an array."""
        return self._found(Check.COPY, source, 0)

    def _found(self, code: int, source: int, first: int, second: int = 0) -> int:
        place = self._room(1, owned=1)
        self._add(code, source, first, second, target=place)
        return place

    # Steps to the result

    def _step(self, code: int, first: int = 0, second: int = 0, takes: int = 0) -> None:
        self._steps += [code, first, second, 0]
        self._depth += 1 - takes
        self._deepest = max(self._deepest, self._depth)

    def build_output(self, index: int) -> None:
        """An array that was computed."""
        self._step(Build.OUTPUT, index)

    def build_device_output(self, index: int, device: int) -> None:
        """An array that was computed on a device, of which native code is told by a table at an address."""
        self._step(Build.DEVICE_OUTPUT, index, device)

    def build_scalar(self, index: int, dtype: np.dtype[Any]) -> None:
        """The NumPy scalar in a computed array without dimensions."""
        self._step(Build.SCALAR, index, self.keep(dtype))

    def build_integer(self, index: int) -> None:
        """The Python integer of a computed int64."""
        self._step(Build.INTEGER, index)

    def build_float(self, index: int) -> None:
        """The Python float of a computed float64."""
        self._step(Build.FLOAT, index)

    def build_truth(self, index: int) -> None:
        """The Python bool of a computed bool."""
        self._step(Build.TRUTH, index)

    def build_numbers(self, index: int, kind: int) -> None:
        """A list of Python's numbers, of a kind, in a computed array of one dimension (`KINDS` of `lists.py`)."""
        self._step(Build.NUMBERS, index, kind)

    def build_lists(self, index: int, kind: int, starts: int, counts: int) -> None:
        """Lists of Python's numbers, of a kind, that lie together in a computed array: with where each begins, and how
        many it has, in two others. It is a number where one goes beyond the array (`checked_lists` of `lists.py`).
        """
        self._step(Build.LISTS, index, self.words([starts, counts]))
        self._steps[-1] = kind

    def build_choice(self, index: int, kind: int, options: Sequence[Callable[[], None]]) -> None:
        """What one of several options builds: that with the number in a computed int64 or bool without dimensions."""
        first, depth, ends = len(self._steps), self._depth, []
        self._steps += [Build.CHOICE, index, 0, 0]
        begins = []
        for build in options:
            self._depth = depth
            begins.append(WORD * (len(self._steps) - first))
            build()
            ends.append(len(self._steps))
            self._steps += [Build.JUMP, 0, 0, 0]
        for end in ends:
            self._steps[end + 1] = WORD * (len(self._steps) - end)
        self._steps[first + 2] = self.words([kind, *begins])

    def build_leaf(self, place: int) -> None:
        """A value of the call."""
        self._step(Build.LEAF, place)

    def build_view(self, place: int, view: np.ndarray[Any, Any], offset: int) -> None:
        """A view of a contiguous array of the call, which begins so many bytes behind its first element, as another
        view is of an array like it.
        """
        flags = WRITABLE if view.flags.writeable else 0
        words = [self.keep(view.dtype), view.ndim, offset, flags, *view.shape, *view.strides]
        self._step(Build.VIEW, place, self.words(words))

    def _store(self, code: int, place: int, second: int, number: int) -> None:
        self._steps += [code, place, second, WORD * number]

    def store_item(self, place: int, key: Any, number: int) -> None:
        """Store what was built as the numbered value, counted from 0, under a key or index of an object. This and the
        other steps that store come behind all that build; the value of the call is number 0.
        """
        self._store(Build.STORE_ITEM, place, self.keep(key), number)

    def store_attribute(self, place: int, name: str, number: int) -> None:
        """Store a value as an attribute, as `object.__setattr__` does."""
        self._store(Build.STORE_ATTRIBUTE, place, self.keep(name), number)

    def store_in_cell(self, cell: Any, number: int) -> None:
        """Store a value in a variable of a closure."""
        self._store(Build.STORE_IN_CELL, self.constant(cell), 0, number)

    def store_items(self, place: int, number: int, *, is_tail: bool) -> None:
        """Store the items of a list that was built as all those of another list, or behind them."""
        self._store(Build.STORE_ITEMS, place, MOST_ITEMS if is_tail else 0, number)

    def build_constant(self, value: Any) -> None:
        """An object."""
        self._step(Build.CONSTANT, self.keep(value))

    def build_tuple(self, length: int) -> None:
        """A tuple of what the last steps built."""
        self._step(Build.TUPLE, length, takes=length)

    def build_list(self, length: int) -> None:
        """A list of what the last steps built."""
        self._step(Build.LIST, length, takes=length)

    def build_dict(self, keys: Sequence[Any]) -> None:
        """A dict whose values the last steps built."""
        self._step(Build.DICT, len(keys), self.keep(tuple(keys)), takes=len(keys))

    def build_call(self, function: Callable[..., Any], count: int) -> None:
        """What Python makes of what the last steps built."""
        self._step(Build.CALL, count, self.keep(function), takes=count)

    def build_by_python(self, function: Callable[..., Any], outputs: int) -> None:
        """What Python makes of the computed arrays, the leaves and the arguments."""
        self._step(Build.PYTHON, self.keep(function), outputs)

    def finish(
        self,
        owner: Any,
        code: Any,
        inputs: Sequence[int],
        leaves: Sequence[int] = (),
        run: Callable[..., Any] | None = None,
        takes_turns: bool = False,
    ) -> Descriptor:
        """The descriptor. `code` has the address of what native code runs; without it Python's `run` is called.

        Where calls change Python's state, they take turns.
        """
        self._add(Check.END)
        self._steps += [Build.END, 0, 0, 0]
        words = [0] * (Words.LENGTH)
        content = {
            Words.SLOTS: self._slots,
            Words.VALUES: self.size,
            Words.OWNED: WORD * self._next,
            Words.OPERATIONS: self.words(self._operations),
            Words.CODE: 0 if code is None else code.address,
            Words.INPUTS: self.words(inputs),
            Words.INPUT_COUNT: len(inputs),
            Words.STEPS: self.words(self._steps),
            Words.DEPTH: self._deepest,
            Words.PYTHON: 0 if run is None else self.keep(run),
            Words.LEAVES: self.words(leaves),
            Words.LEAF_COUNT: len(leaves),
            Words.TURNS: takes_turns,
        }
        for offset, value in content.items():
            words[offset // WORD] = value
        return Descriptor(words, self._objects, (owner, code))
