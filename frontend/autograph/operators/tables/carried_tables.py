"""How lists and tables are carried through branches and loops: their abstract types, and the arrays of each."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from typing import Any

from .....dialect.ops.tables import INT32
from .....dialect.types import TensorType
from ..lists.dynamic_lists import GrowingList, list_of_columns
from ..values.abstract import column_leaves
from ..values.array_kinds import BOOL, INT
from ..values.kinds import ArrayKind, Container, Growing, Kind, Mismatch, Static, Tabled, require_no_growing
from .counter_tables import CounterTable
from .dict_tables import DefaultTable, DictTable, OrderedTable
from .hash_tables import Table, with_item
from .keys import are_words, as_value, joined_keys, joined_values, key_kind
from .python_classes import PythonClass
from .set_tables import ChangingSet, SetTable


def make_table(kind: Tabled) -> Any:
    """A table without items."""
    made: PythonClass = kind.made
    item = kind.item
    assert item is None or isinstance(item, Container)
    return _TABLES[made.python_type](made, item, kind.loses)


_TABLES: dict[type, type[Table]] = {
    dict: DictTable,
    OrderedDict: OrderedTable,
    Counter: CounterTable,
    defaultdict: DefaultTable,
    set: ChangingSet,
    frozenset: SetTable,
}


def table_of(container: Any, kind: Tabled) -> Any:
    """What a dict or set of Python's becomes."""
    table = make_table(kind)
    if container:
        table.fill(list(container if kind.made.is_set else container.items()))
    return table


def types_of(kind: Growing | Tabled) -> list[TensorType]:
    """The types of what carries a list, dict or set."""
    if isinstance(kind, Growing):
        require_no_growing(kind.item)
        return [*_columns_of(kind.item), INT]
    if kind.item is None:
        return [INT, INT]
    assert isinstance(kind.item, Container)
    key, value = kind.item.children[0], kind.item.children[-1]
    has_lists = isinstance(value, Growing)
    stored = Container(tuple, (), (key, ArrayKind(INT, is_array=False))) if has_lists else kind.item
    numbers = TensorType((None,), INT.dtype)
    return [
        *_columns_of(stored),
        *([] if are_words(key) else [numbers]),
        TensorType((None,), INT32),
        TensorType((None,), BOOL.dtype),
        *([*_columns_of(value.item), *[numbers] * 3, INT, INT] if isinstance(value, Growing) else []),
        INT,
        INT,
    ]


def _columns_of(kind: Kind | None) -> list[TensorType]:
    """The types of the columns of items."""
    leaves = [leaf.type for leaf in column_leaves(kind)]
    return [TensorType((None, *leaf.shape), leaf.dtype) for leaf in leaves]


def columns_of(items: Any, kind: Growing | Tabled) -> list[Any]:
    """What carries a list, dict or set, which gets an abstract type."""
    if isinstance(kind, Growing):
        grown = GrowingList.of(items, kind.item)
        return [*grown._arrays, grown.length]
    table = items.copy() if isinstance(items, Table) else table_of(items, kind)
    table.widen(kind)
    carried: list[Any] = table.carried()
    return carried


def of_columns(kind: Growing | Tabled, columns: list[Any]) -> Any:
    """The list, dict or set that is carried so."""
    if isinstance(kind, Growing):
        return list_of_columns(kind.item, columns)
    made: Table = make_table(Tabled(kind.made, None, kind.loses))
    assert kind.item is None or isinstance(kind.item, Container)
    made.carry(kind.item, columns)
    return made


def join_tables(left: Kind, right: Kind) -> Tabled:
    """The abstract type of what two paths give, of which one is a table."""
    one, other = _as_tabled(left), _as_tabled(right)
    if one is None or other is None or one.made != other.made:
        raise Mismatch(f"{left} on one path and {right} on the other")
    item = one.item or other.item
    if isinstance(one.item, Container) and isinstance(other.item, Container):
        keys, *values = zip(one.item.children, other.item.children, strict=True)
        item = Container(tuple, (), (joined_keys(*keys), *(joined_values(*pair) for pair in values)))
    return Tabled(one.made, item, one.loses or other.loses)


def _as_tabled(kind: Kind) -> Tabled | None:
    """The abstract type of a dict or set of Python's as a table."""
    if isinstance(kind, Static) and (made := PythonClass.of(kind.value)) is not None:
        return tabled(made, kind.value if made.is_set else kind.value.items())
    if isinstance(kind, Container) and isinstance(kind.kind, type) and issubclass(kind.kind, dict):
        item: Container | None = None
        for key, child in zip(kind.keys, kind.children, strict=True):
            keys = joined_keys(None if item is None else item.children[0], key_kind(key))
            values = joined_values(None if item is None else item.children[1], as_value(child))
            item = Container(tuple, (), (keys, values))
        return Tabled(PythonClass(kind.kind), item)
    return kind if isinstance(kind, Tabled) else None


def tabled(made: PythonClass, items: Any) -> Tabled:
    """The abstract type of a table of some items."""
    item: Container | None = None
    for each in items:
        key, *value = (each,) if made.is_set else each
        item = with_item(item, key, *value)
    return Tabled(made, item)


def tabled_with(container: Any, key: Any, *value: Any) -> Tabled:
    """The abstract type of a table of the items of a dict or set of Python's, with one more."""
    made = PythonClass.of(container)
    assert made is not None, "only dicts and sets become tables"
    known = tabled(made, container if made.is_set else container.items())
    assert known.item is None or isinstance(known.item, Container)
    return Tabled(made, with_item(known.item, key, *value))
