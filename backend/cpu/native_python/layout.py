"""Where things are in memory: in objects of CPython and NumPy, and in the tables that native code walks.

All offsets are in bytes. The tables consist of 64-bit words.
"""

from __future__ import annotations

import sys

WORD = 8
TABLE = "weft_table"
"""The global array of words that whoever links native code fills."""
MOST_SLOTS = 512
"""So many arguments are sorted on the stack."""
MISS = 1
"""What native code returns instead of an object where it does not know what to do."""

# Objects of CPython. Offsets that differ between its versions are asked for; `library` checks the others.
TYPE = 8
SIZE = 16
"""The number of entries of a tuple, list or dict."""
TUPLE_ITEMS: int = tuple.__basicsize__
LIST_ITEMS = 24
CELL_CONTENT = 16
METHOD_FUNCTION = 16
REFERENT = 16
"""The object of a weak reference; None when it is gone."""
DICT_VERSION = 24
"""Changes with every change of a dict, in the versions of Python that have it."""
TYPE_FLAGS = 168
HAS_VECTORCALL = 1 << 11
VECTORCALL_OFFSET = 56
"""Of a type: its flags, and where its instances have their functions for vectorcall."""
VALUE = 16
"""The value of a Python float, or of a NumPy scalar."""
WORDS = 16
"""Of our own objects: the address of their words."""
MOST_ITEMS = (1 << 63) - 1
"""An index behind all items of a list."""
COUNT_MASK = (1 << 63) - 1
"""What is the number of arguments in a vectorcall; the remaining bit says that there is room before them."""

# NumPy's arrays and descriptors of types.
ARRAY_DATA = 16
ARRAY_RANK = 24
ARRAY_SHAPE = 32
ARRAY_STRIDES = 40
ARRAY_BASE = 48
ARRAY_TYPE = 56
ARRAY_FLAGS = object.__basicsize__ + 48
ARRAY_HANDLER = object.__basicsize__ + 72
CONTIGUOUS, OWN_DATA, ALIGNED, WRITABLE = 0x1, 0x4, 0x100, 0x400
PLAIN = CONTIGUOUS | 0x2 | OWN_DATA | ALIGNED | WRITABLE
"""The flags that tell how arrays lie in memory (0x2: contiguous by columns), and whether they may be written."""
TYPE_ORDER = 26
TYPE_NUMBER = 28
TYPE_SIZE = 40
C_ORDER = 0
NATIVE_ORDER, NO_ORDER, NAMED_ORDER = ord("="), ord("|"), ord("<" if sys.byteorder == "little" else ">")
"""How types say that their bytes are in the order of this machine; those of ctypes name it."""


class Binding:
    """What the parameters of a function are. The names and defaults are tables of objects, 0 where there is none.

    A function that takes `*args` is variadic, one that takes `**kwargs` is open, but not both.
    """

    POSITIONAL, PARAMETERS, VARIADIC, OPEN, NAMES, DEFAULTS, CALLS = range(0, 7 * WORD, WORD)
    LENGTH = 7


class Descriptor:
    """What was compiled for which arguments: operations that check them, and what is run then."""

    (
        SLOTS, VALUES, OWNED, OPERATIONS, CODE, INPUTS, INPUT_COUNT, STEPS, DEPTH, PYTHON, LEAVES, LEAF_COUNT,
        CALLS, TURNS,
    ) = range(0, 14 * WORD, WORD)  # fmt: skip
    LENGTH = 14


class Turn:
    """The words of `turns`."""

    GIVEN, NATIVE = range(2)
    LENGTH = 2


class Operation:
    """An operation of a descriptor: its code, the value it looks at, and what it needs besides."""

    CODE, SOURCE, FIRST, SECOND, THIRD, TARGET = range(0, 6 * WORD, WORD)
    LENGTH = 6
    SIZE = LENGTH * WORD


class Check:
    """The codes of operations."""

    (
        END, ARRAY, SCALAR, IS, REFERS, EQUAL, BITS, HOLDS, TUPLE, LIST, DICT, ITEM, CELL, OWNER, NAMES, GLOBAL,
        ATTRIBUTE, CONSTANT, CONTENT, SAME, DISTINCT, SEPARATE, FETCH, MEMBERS, KIND, ASK, COPY, INTEGER,
        METHOD, MAKE, DEVICE_ARRAY, CONTAINER, ABSENT, FLOATS, INTEGERS, PACKED,
    ) = range(36)  # fmt: skip


class Packing:
    """How numbers lie in containers of containers: their type, whether that is float, and the levels."""

    NUMBER, IS_FLOAT, LEVELS = range(0, 3 * WORD, WORD)


class Level:
    """The class of containers, how many entries they have, and which one is taken, -1 for all. Entries are containers
    of the next level, or numbers, where the class of that is 0.
    """

    KIND, COUNT, PICKED = range(0, 3 * WORD, WORD)
    SIZE = 3 * WORD


class Node:
    """A picture of a container: its type and how that keeps things, how many there are, the container itself where that
    cannot change (else 0), and then the entries.
    """

    KIND, LAYOUT, COUNT, ITSELF = range(0, 4 * WORD, WORD)
    LENGTH = 4
    SIZE = LENGTH * WORD
    LIST, TUPLE, DICT, SET = range(4)
    """The layouts."""


class Entry:
    """An entry of a container: how it is compared, and with what, or by how many bytes of a node that follows. Before
    those of a dict are the key, and its type if another object may be equal to it.
    """

    HOW, FIRST = range(0, 2 * WORD, WORD)
    SIZE = 2 * WORD
    INNER, IS, ANY, EQUAL, REFERS = 0, -1, -2, -3, -4
    """How: as a container, as an object itself, not at all, as values of a type whose comparison runs no code of
    others, as what a weak reference refers to; or else by so many bytes of its value."""


class Array:
    """What an array must be: an extent of -1 is any but 1, and flags are those it must have."""

    TYPE, NUMBER, OTHER_NUMBER, RANK, FLAGS, EXTENTS = range(0, 6 * WORD, WORD)
    ANY_LAYOUT, OTHER_LAYOUT, STRIDED = -1, -2, -3
    """Instead of flags: however it lies in memory; or only if machine code does not take it as it is, in whatever byte
    order or in this machine's."""


class Code:
    """A compiled function."""

    (
        ENTRY, SIZES, FRAMES, RESULTS, RESULT_COUNT, RELEASES, POLLS, FAILS, NEW_FRAME, RESERVE, PREPARE, FAILURE,
        WORKSPACE_AT, DEVICE, WORKSPACE_BYTES, STREAM_AT, TOLD_AT,
    ) = range(0, 17 * WORD, WORD)  # fmt: skip
    LENGTH = 17
    """The last four are those of code for a device (see `Device`), and 0 for all other: where the error record has the
    stream, and the address of what checks on the device have told, if it makes some."""


class Device:
    """A device, and how arrays lie on it: the address of what is 0 once it cannot be used, its context, functions of
    its driver, the stream that calls are queued on while a variable of the context holds None, and the addresses of
    what is not 0 where calls do not wait for checks, or have not waited. Then types and objects, where arrays have some
    of their attributes, what the error record says where the driver has refused to read, and the pool of its memory.
    """

    (
        IS_USABLE, CONTEXT, SET_CURRENT, ALLOCATE, FREE, READ, WAIT, STREAM_OBJECT, VARIABLE, DEFERRAL, UNCHECKED,
        DESCRIPTION_TYPE, ARRAY_TYPE, FOREIGN_TYPE, OBJECT, MEMORY, DEVICE_SLOT, DESCRIBED_SLOT, MEMORY_SLOT,
        OWNER_SLOT, REFUSED, READING, POOL,
    ) = range(0, 23 * WORD, WORD)  # fmt: skip
    LENGTH = 23


class Stream:
    """A stream of a device: the object of the device's memory, and the handle that its driver takes."""

    MEMORY, HANDLE = range(0, 2 * WORD, WORD)
    LENGTH = 2


class Result:
    """What is made for a result before the call; an extent of -1 is known by then only."""

    KIND, TYPE, RANK, BYTES, EXTENTS = range(0, 5 * WORD, WORD)
    """The bytes are those of an item, times -1, where an extent is not known."""
    ARRAY, SCALAR, ON_HEAP = range(3)
    """The kinds: an array that is made before the call, a number in the frame, and an array that is made after the call
    of a heap block, as its extents are not known before."""


class Frame:
    """What one call at a time needs for itself."""

    NEXT, TABLE, WORKSPACE, CAPACITY, RECORD, SIZES, SCALARS, SHAPE, OBJECT = range(0, 9 * WORD, WORD)
    LENGTH = 9


SCALAR_WORDS = 5
"""The words that stand for an array without dimensions: those of an array up to its data, and 16 bytes of data."""


class Step:
    """A step that builds what a call returns, or stores something: a code and what it needs."""

    CODE, FIRST, SECOND, THIRD = range(0, 4 * WORD, WORD)
    LENGTH = 4
    SIZE = LENGTH * WORD


class Build:
    """The codes of steps."""

    (
        END, OUTPUT, DEVICE_OUTPUT, SCALAR, INTEGER, FLOAT, TRUTH, NUMBERS, LISTS, LEAF, VIEW, CONSTANT, PYTHON,
        TUPLE, LIST, DICT, CALL, CHOICE, JUMP, STORE_ITEM, STORE_ATTRIBUTE, STORE_IN_CELL, STORE_ITEMS,
    ) = range(23)  # fmt: skip
    LAST_ALONE = PYTHON
    """Steps up to this one take nothing from those before them."""


class Numbers:
    """What Python's numbers are made of."""

    INTEGER, FLOAT, TRUTH = range(3)


class View:
    """A view of a contiguous array: the type of its elements, its axes, how far behind the array's first byte it
    begins, which of the array's flags it has, and then the extents and the strides.
    """

    TYPE, RANK, OFFSET, FLAGS, EXTENTS = range(0, 5 * WORD, WORD)


PYTHON_FUNCTIONS = (
    "Py_IncRef",
    "Py_DecRef",
    "PyObject_Vectorcall",
    "PyObject_CallNoArgs",
    "PyThreadState_Get",
    "_PyObject_MakeTpCall",
    "PyObject_RichCompareBool",
    "PyObject_IsTrue",
    "_PyObject_GenericGetAttrWithDict",
    "PyDict_GetItemWithError",
    "PyErr_Occurred",
    "PyErr_Clear",
    "PyErr_SetObject",
    "PyErr_ExceptionMatches",
    "PyContextVar_Get",
    "PyTuple_New",
    "PyList_New",
    "PyDict_New",
    "PyDict_SetItem",
    "PyLong_FromLongLong",
    "PyLong_AsLongLong",
    "PyBool_FromLong",
    "PyEval_SaveThread",
    "PyEval_RestoreThread",
    "PyMem_RawMalloc",
    "PyMem_RawFree",
    "memcmp",
    "PyObject_GenericGetDict",
    "PyUnicode_Compare",
    "PyDict_Next",
    "PyType_GenericAlloc",
    "PyObject_GetIter",
    "PyIter_Next",
    "PyFloat_FromDouble",
    "PyObject_SetItem",
    "PyObject_GenericSetAttr",
    "PyCell_Set",
    "PyList_SetSlice",
)
"""The functions of CPython that native code calls, in the order of the table."""


class Api:
    """The words of the table that native code gets when it is linked."""

    (
        INCREF, DECREF, VECTORCALL, CALL_NONE, THREAD_STATE, MAKE_CALL, COMPARE, IS_TRUE, GET_ATTRIBUTE,
        GET_ITEM, ERROR, CLEAR_ERROR, SET_ERROR, ERROR_MATCHES, GET_VARIABLE, NEW_TUPLE, NEW_LIST, NEW_DICT,
        SET_ITEM, FROM_INTEGER, TO_INTEGER, FROM_TRUTH, SAVE_THREAD, RESTORE_THREAD, ALLOCATE, FREE,
        COMPARE_MEMORY, GET_DICT, COMPARE_TEXT, NEXT_ENTRY, NEW_OBJECT,
        GET_ITERATOR, NEXT_OF_ITERATOR, FROM_FLOAT, STORE_ITEM, STORE_ATTRIBUTE, STORE_IN_CELL, STORE_ITEMS,
    ) = range(38)  # fmt: skip
    (
        NEW_ARRAY, TO_SCALAR, ARRAY_TYPE, NONE, FALSE, TRUE, UNBOUND, ATTRIBUTE_ERROR, SLOW, BYPASS, EAGER,
        DISPATCH_SLOT, ENTRIES_SLOT, READY_SLOT, FUNCTION_SLOT, SELF_SLOT, HAS_VERSIONS,
        TUPLE_TYPE, LIST_TYPE, DICT_TYPE, NEW_LARGE_ARRAY, NEW_COPY, METHOD_TYPE, SET_BASE,
        BLOCK_TYPE, BLOCK_MEMORY, BLOCK_ADDRESS, BLOCK_SIZE, BLOCK_STREAM, DROP_BLOCK, MEMORY_TYPE, STREAM_TYPE,
        TAKE_BLOCK, TURNS,
    ) = range(38, 72)  # fmt: skip
    LENGTH = 72
