"""Python's state as a trace finds it: what it reads there becomes guards and inputs, what it changes there is noted.

NumPy arrays and scalars in attributes are data: inputs of the compiled function, which are fetched at each call. Plain
values and objects are constants under a guard.
"""

from __future__ import annotations

import contextvars
import functools
import types
from abc import abstractmethod
from collections import deque
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ...backend.gpu.devices.on_device import ARRAYS, OnDevice
from ...dialect.errors import UnsupportedError
from ..autograph.convert.converter import original_of
from ..autograph.library.deques import Deque
from ..autograph.marks import is_plain
from ..autograph.operators.values.control_flow_state import control_flow, follow_from_now
from ..autograph.operators.values.hidden_state import MadeObjects
from ..autograph.operators.values.program_locations import (
    Attribute,
    ContextValue,
    Entry,
    ProgramLocation,
    Slot,
    Snapshot,
    Variable,
)
from ..autograph.operators.values.unchanged_values import can_change
from ..guards.contents import is_content
from ..guards.generic import Code, has_plain_defaults
from ..guards.guards import Content, Deep, Guard, Kind, Same, guard_of
from ..guards.handles import (
    Arguments,
    Cell,
    ClassEntry,
    ContextVariable,
    Global,
    Handle,
    Item,
    Linked,
    Member,
    Owner,
)
from ..guards.implicit_reads import implicit_reads
from ..guards.inputs import CONSTANT_BYTES, Decisions
from ..guards.unbound import UNBOUND
from ..runtime_values.results import RuntimeContainer
from ..runtime_values.values import RuntimeValue, holds_traced
from ..signature.traced_value import ArrayHolder, CompositeValue
from ..source.modules import is_like_programs
from ..source.name_uses import NameUses, Uses, name_uses
from ..source.own_attributes import has_fields
from ..source.plain_items import contents
from ..tracing.array import TracedArray
from .class_state import ClassState
from .composite_constants import watch_composites
from .generators import Generators, handles_inside
from .lookups import Lookups, is_followed
from .places import Places
from .stand_ins import StandIns
from .stored_places import StoredPlaces

if TYPE_CHECKING:
    from ..tracing.trace import Trace

_UNKNOWN = object()

_UNNAMED = frozenset({"getattr", "hasattr", "vars", "attrgetter"})
"""What reads attributes whose names are not in the code that calls it."""


class PythonState(ClassState):
    """What one trace reads and changes of the state that was there before it."""

    def __init__(
        self,
        trace: Trace,
        arguments: tuple[tuple[Any, ...], dict[str, Any]],
        copies: Iterable[Any],
        leaves: Iterable[tuple[Any, TracedArray, int]],
        names: Iterable[tuple[str, Any]],
        decisions: Decisions,
    ) -> None:
        super().__init__(trace, leaves, decisions)
        self._arguments = arguments
        self._copies = {id(copy): copy for copy in copies}
        """The containers among the arguments, which the trace gets copies of, and what stands for deques."""
        self._guard_deques()
        self.snapshot = Snapshot()
        self._names_of_arguments = list(names)
        for name, value in self._names_of_arguments:
            self.snapshot.follow(value, name)
        self.snapshot.follow(arguments, "")
        self.stores_early = False
        """Whether the call stores changes before its end, too."""
        self._function: Any = None
        """The function that is traced."""
        self._stand_ins = StandIns(trace, self)
        self._guarded: set[Any] = set()
        self._lists: list[tuple[Handle, list[Any], Guard, str | tuple[Any, ...]]] = []
        """The lists that were found, with the guards of what is in them, and their attributes or the keys of places."""
        self._read_lists: set[tuple[Any, ...]] = set()
        """The keys of the places that are read by name, in other ways than to append to what is there."""
        self._met: set[Any] = set()
        self._named: dict[Any, tuple[ProgramLocation, Handle, Any]] = {}
        """The names that code reads, by the keys of their places, with their values."""
        self.places = Places(self.snapshot, self._named)
        self._attribute_uses = Uses()
        self._plain_reads: set[str] = set()
        """The attributes that functions read which are not converted, so that nothing tells when."""
        self._reads_all = False
        """Whether such functions read attributes that their code does not name."""
        self._known_owners: dict[int, tuple[Any, str, dict[str, Any]]] = {}
        self._noted = 0
        self.lookups = Lookups(self)
        self.stored = StoredPlaces()
        self._generators = Generators(self)
        self._cells: dict[int, Cell] = {}
        """How the variables of functions are found, by the identities of their cells."""
        self._around = contextvars.copy_context()
        """The variables of the context, as they were before."""
        self._late: list[tuple[Handle, Any, frozenset[tuple[Any, ...]]]] = []
        """What is guarded when it has got its old entries back."""
        self._deep: list[tuple[Deep, Any]] = []
        """The guards of containers, with these."""
        for value in [*arguments[0], *arguments[1].values()]:
            self.lookups.decimals(value)

    @property
    def takes_data(self) -> bool:
        """Whether arrays from outside may be data: not where tracing turned out to need their elements."""
        return self._decisions.takes_data

    # What is met

    def meet_plain(self, function: Any) -> None:
        """Take note that the function is traced as it is."""
        is_converted = is_like_programs(getattr(function, "__module__", None))
        if isinstance(function, types.FunctionType) and not is_plain(function) and not is_converted:
            self._read_plainly(function, name_uses(function.__code__))

    def _read_plainly(self, function: types.FunctionType, uses: NameUses) -> None:
        """Take note of the attributes that code reads which is traced as it is: of all where it does not name them."""
        self._plain_reads |= uses.attributes.read
        if uses.globals.all & _UNNAMED or "__dict__" in uses.attributes.all:
            self._reads_all |= not is_followed(function)

    def meet_callable(self, function: Any) -> None:
        """Take note of the function that is traced, and of what it is bound to."""
        if self._function is None:
            for name, value in self._names_of_arguments:
                self._meet_constants(name, value)
            self.meet_classes()
        self._function = function
        if isinstance(function, functools.partial):
            self.snapshot.follow((function.args, function.keywords), "")
            self.meet_callable(function.func)
            return
        if not isinstance(function, types.FunctionType) or is_plain(function):
            self.snapshot.follow(function, "")
        if isinstance(function, types.MethodType):
            self.meet_callable(function.__func__)
        elif isinstance(function, types.FunctionType):
            self.meet(function)

    def _meet_constants(self, name: str, value: Any) -> None:
        """Guard what the constants among the arguments hold that are told by identity: methods of lists, counters."""
        if id(value) in self._copies:
            inside = contents(value)
            for item in inside if isinstance(value, (dict, list, tuple)) else ():
                self._meet_constants(name, item)
        elif (
            is_content(value)
            and not isinstance(value, RuntimeValue)
            and ("constant", id(value)) not in self._guarded
        ):
            self._guarded.add(("constant", id(value)))
            self._follow(value, name)
            handle = Owner(name, value)
            self.guards.append(self._deep_guard(Slot(name, [value]), handle, value))

    def meet(self, function: types.FunctionType) -> None:
        """Guard what the code of a function reads by name, before it runs for the first time.

        What a library reads is not compared whose code stays as it is, as the program has said.
        """
        function = original_of(function)
        if is_plain(function):
            return
        key = (function.__code__, tuple(map(id, function.__closure__ or ())))
        if key in self._met:
            return
        is_first = not self._met
        self._met.add(key)
        uses = name_uses(function.__code__)
        self.stored.meet(function)
        self.lookups.note_namespace(function.__globals__)
        self._attribute_uses.update(uses.attributes)
        self._meet_parts(function)
        if not is_followed(function):
            self._read_plainly(function, uses)
        if is_first or function.__closure__ is None or self.snapshot.knows(function):
            self.snapshot.follow(function, "")
            follow_from_now(self._trace, function, function.__name__)
        for name in sorted(uses.globals.all):
            place = Entry(name, function.__globals__, name)
            self.meet_name(place, Global(function.__globals__, name), name in uses.globals.read)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            if name in uses.variables.all:
                handle = self._cells.setdefault(id(cell), Cell(name, cell))
                handle.belongs_to(function)
                self.meet_name(Variable(name, cell), handle, name in uses.variables.read)

    def _meet_parts(self, function: types.FunctionType) -> None:
        """Guard the code of a function, which may be replaced, and its defaults."""
        name = function.__name__
        self.guards.append(Code(Owner(name, function)))
        for attribute in ("__defaults__", "__kwdefaults__"):
            is_compared = attribute == "__defaults__" and has_plain_defaults(function)
            if getattr(function, attribute) and not is_compared:
                place = Attribute(f"{name}.{attribute}", function, attribute)
                self.meet_name(place, Member(place.name, Owner(name, function), attribute))

    def meet_variable(self, variable: contextvars.ContextVar[Any]) -> None:
        """Guard the value of a variable of the context, or read it at each call."""
        place = ContextValue(variable.name, variable)
        self._follow(variable, variable.name)
        self.meet_name(place, ContextVariable(place.name, Owner(place.name, variable)))

    def meet_name(self, place: ProgramLocation, handle: Handle, is_read: bool = True) -> None:
        """Guard what is found under a name, or read it at each call."""
        key = place.key()
        if is_read:
            self._read_lists.add(key)
        if key in self._guarded:
            return
        self._guarded.add(key)
        value = self._entry_value(place)
        if isinstance(value, (TracedArray, CompositeValue)):
            return
        self._named[key] = (place, handle, value)
        if isinstance(value, ARRAYS):
            self._handles[id(value)] = (value, handle, key)
        self._follow(value, place.name)
        is_large = self.is_state(key, value) and value.nbytes > CONSTANT_BYTES
        is_large = is_large or isinstance(value, OnDevice)
        if is_large or self.is_data(key, value):
            self._stand_ins.put(place, handle, value)
        elif isinstance(value, list):
            self._lists.append((handle, value, self._deep_guard(place, handle, value), key))
        else:
            self._guard(place, handle, value)
            self._named[key] = (place, handle, self.stand_in_of_met(value))

    def _guard(self, place: ProgramLocation, handle: Handle, value: Any) -> None:
        self._generators.meet(value)
        self.guards.append(self._deep_guard(place, handle, value))

    def _deep_guard(self, place: ProgramLocation, handle: Handle, value: Any) -> Guard:
        paths = self._stand_ins.put_inside(place, handle, value, isinstance(place, Attribute))
        guard = guard_of(handle, value, paths)
        if isinstance(guard, Deep):
            self._deep.append((guard, value))
        return guard

    def _entry_value(self, place: ProgramLocation) -> Any:
        """What a place held before the trace, as far as that is known."""
        old = self.snapshot.old_value(place, _UNKNOWN)
        return place.get() if old is _UNKNOWN else old

    def _follow(self, value: Any, name: str) -> None:
        """Take note that something is met: it, and what it holds, may be changed from now on."""
        self.snapshot.follow(value, name)
        watch_composites(self._trace, value, self._is_written)
        follow_from_now(self._trace, value, name)
        self.lookups.decimals(value)
        for method in self.lookups.special_methods(value):
            self.meet(method)
            self.meet_plain(method)

    @property
    def owner(self) -> Any:
        """What the function belongs to that is traced: the object whose method it is, or the function itself."""
        return next((value for value in self._arguments[0] if self._owner(value) is not None), self._function)

    def hold(self, owner: Any, name: str | None) -> None:
        """Take note of an object, however it was found, so that its attributes are state."""
        found = self._owner(owner)
        if found is None:
            self._follow(owner, name or "a variable")
        elif name and is_plain(self._function):  # the path through objects of a library tells people nothing
            self._known_owners[id(owner)] = (owner, name, found[1])

    def include_in(self, snapshot: Snapshot) -> None:
        """Let a snapshot remember all that was met so far and can be changed."""
        snapshot.include(self.snapshot)

    # Attributes

    def attribute(self, owner: Any, name: str, value: Any) -> Any:
        """Take note that an attribute is read; returns what the trace works with."""
        found = self._owner(owner)
        if found is None or name not in found[1]:
            self._meet_shared(owner, name, value)
            if found is not None:
                self.lookups.of_library(owner, name, value)
            return self.stand_in_of_met(value)
        label, attributes = found
        old = attributes[name]
        if value is not old or isinstance(value, TracedArray):
            return value
        place = Attribute(f"{label}.{name}" if label else name, owner, name)
        return self._read(place, old)

    def attributes_before(self, owner: Any) -> dict[str, Any] | None:
        """The attributes that an object had before the trace; None for one that was not there."""
        found = self._owner(owner)
        return None if found is None else found[1]

    def locate_value(self, value: Any) -> Handle | None:
        """How an array or container that was there before the trace is found at a later call."""
        if isinstance(value, TracedArray):
            return next((found.handle for found in self.inputs if found.traced is value), None)
        named = self._handles.get(id(value))
        return named[1] if named is not None else self.locate(value)

    def _meet_shared(self, owner: Any, name: str, value: Any) -> None:
        """Take note of something in a class or module that can be changed."""
        if isinstance(value, (TracedArray, RuntimeValue)) or not can_change(value):
            return
        kinds = owner.__mro__ if isinstance(owner, type) else type(owner).__mro__
        for holder in [owner] if isinstance(owner, types.ModuleType) else kinds:
            if vars(holder).get(name, UNBOUND) is value:
                place = Attribute(f"{holder.__name__}.{name}", holder, name)
                if self.is_made(holder):
                    follow_from_now(self._trace, value, place.name)
                else:
                    self.meet_name(place, Member(place.name, Owner("", holder), name), True)

    def _owner(self, owner: Any) -> tuple[str, dict[str, Any]] | None:
        """The name and the attributes of an object that was there before the trace."""
        objects = self.snapshot.objects
        for label, value, attributes in objects[self._noted :]:
            self._known_owners[id(value)] = (value, label, attributes)
        self._noted = len(objects)
        found = self._known_owners.get(id(owner))
        if found is None or found[0] is not owner or id(owner) in self._copies:
            return None
        return found[1], found[2]

    def _read(self, place: Attribute, value: Any) -> Any:
        self.lookups.decimals(value)
        watch_composites(self._trace, value, self._is_written)
        key = place.key()
        known = self._by_value.get(id(value))
        if key in self._guarded:
            traced = self.input_of(value)
            return value if traced is None else traced
        self._guarded.add(key)
        handle = self.handle(place)
        if handle is None:
            return value
        if isinstance(value, ARRAYS) and id(value) in self._leaves:
            return self._shared_leaf(handle, value)
        if known is not None:
            self.guards.append(Same(handle, known.handle))
            return known.traced
        if self.is_state(key, value, isinstance(place.owner, ArrayHolder)):
            return self._make_input(handle, value).traced
        self.guard_elements(handle, value)
        if isinstance(value, list):
            self._lists.append((handle, value, self._deep_guard(place, handle, value), place.attribute))
        else:
            self._guard(place, handle, value)
        return place.get() if isinstance(value, (tuple, deque)) else value

    def guard_late(self, handle: Handle, value: Any, skip: frozenset[tuple[Any, ...]] = frozenset()) -> None:
        """Guard a container, but for the paths that are data, as before the trace, which may have changed it by now."""
        self._late.append((handle, value, skip))

    def note_guarded(self, key: Any) -> None:
        """Take note that the attribute of a place is compared with what holds it."""
        self._guarded.add(key)

    # Inputs

    def replace_numbers(self) -> None:
        """Let traced numbers stand in the attributes that changed before."""
        self._owner(None)
        for owner, label, attributes in list(self._known_owners.values()):
            for name, value in attributes.items():
                key = (id(owner), "." + name)
                if self.is_data(key, value) and key not in self._guarded:
                    self._guarded.add(key)
                    place = Attribute(f"{label}.{name}", owner, name)
                    handle = self.handle(place)
                    if handle is not None:
                        self._stand_ins.put(place, handle, value)

    def require_own_context(self, context: Any, name: str) -> None:
        """Refuse to change the context of decimal that was there before."""
        import decimal

        if context is self._around.run(decimal.getcontext):
            raise UnsupportedError(
                f"{name!r} of decimal's context is changed, which compiled code would do once, while it is traced: "
                "write `with decimal.localcontext() as context:` around what needs it, or set it outside"
            )

    def generator(self, value: Any) -> Any:
        """What stands for a random generator that was there before the trace; the value itself where nothing does."""
        return self._generators.traced(value)

    def handles_of(self, generator: Any) -> Iterator[Handle]:
        """How a generator that was there before is found at a later call: all places that hold its bit generator."""
        guards = [*self.guards, *(guard for _, _, guard, _ in self._lists)]
        for handle in [handle for guard in guards for handle in guard.handles]:
            yield from handles_inside(handle, handle.get(), generator)

    # Finding again

    def handle(self, place: ProgramLocation) -> Handle | None:
        """How a place is found at a later call."""
        if isinstance(place, Variable):
            return self._cells.get(id(place.cell)) or Cell(place.name, place.cell)
        if isinstance(place, Attribute) and isinstance(place.owner, type):
            return ClassEntry(place.owner, place.attribute)
        if isinstance(place, Attribute):
            is_copy = id(place.owner) in self._copies
            parent = (
                self.locate(place.owner) if is_copy else Owner(place.name.rpartition(".")[0], place.owner)
            )
            if parent is None or isinstance(place.owner, Deque):
                return parent  # the items of a deque are found in itself
            return Member(place.name, parent, place.attribute)
        if isinstance(place, ContextValue):
            return ContextVariable(place.name, Owner(place.name, place.variable))
        if not isinstance(place, Entry):
            return None
        if place.key() in self._named:
            return self._named[place.key()][1]
        if place.key() in self.snapshot.globals:
            return Global(place.container, place.index)
        container = self.locate(place.container)
        return None if container is None else Item(place.name, container, place.index)

    def locate(self, value: Any) -> Handle | None:
        """How an object or container that was there before the trace is found at a later call."""
        if value is self._arguments:
            return Arguments("the arguments")
        if self._owner(value) is not None:
            return Owner("", value)
        handles = (self.handle(place) for place in self.places.of(value))
        found = next((handle for handle in handles if handle is not None), None) or self._locate_by_link(
            value
        )
        return self._stand_ins.handle_of(value) if found is None and isinstance(value, Deque) else found

    def _locate_by_link(self, value: Any) -> Handle | None:
        """How a value is found that is held under no name, index or attribute."""
        part, owner, way = self.snapshot.links.get(id(value), (None, None, None))
        if part is not value or way is None or owner is value:
            return None
        parent = self.locate(owner)
        return None if parent is None else Linked(way.after(parent.name), parent, way)

    def _holder(self, value: Any) -> ProgramLocation | None:
        """A place that held a value before the trace."""
        return next(self.places.of(value), None)

    def containers_outside(self) -> list[Handle]:
        """Where lists, dicts and sets were found, outside of the arguments."""
        guards = [*self.guards, *(guard for _, _, guard, _ in self._lists)]
        return [guard.handle for guard in guards if isinstance(guard, Deep)]

    def locate_object(self, value: Any) -> Handle | None:
        """As `locate`, for a value that has an identity of its own: an object, a list, a dict or a set."""
        if isinstance(value, (list, dict, set, Deque)) and not isinstance(value, RuntimeValue):
            return self.locate(value)
        return Owner("", value) if self._owner(value) is not None else None

    def locate_returned(self, value: Any) -> Handle | None:
        """How the caller finds a container that is returned, and has it already; an object, if it holds arrays."""
        if isinstance(value, RuntimeContainer):
            grown = (items for items, made in self.grown_containers().values() if made is value)
            value = next(grown, None)
        is_container = isinstance(value, (list, dict, set, Deque))
        if is_container or (not isinstance(value, tuple) and has_fields(type(value))):
            return self.locate(value)
        return self.locate_object(value) if holds_traced(value, depth=3) else None

    def is_input(self, place: ProgramLocation, value: Any) -> bool:
        """Whether a place holds the traced array that stands for what it held before."""
        known = self._by_value.get(id(self.snapshot.old_value(place)))
        return known is not None and known.traced is value and known.value is self.snapshot.old_value(place)

    def grown_containers(self) -> dict[int, tuple[Any, Any]]:
        """The lists, dicts and sets that became ones that grow at run time, with what they became."""
        found = self.snapshot
        known = {id(items) for _, items, _ in (*found.lists, *found.dicts, *found.sets)}
        return {
            id(items): (items, grown)
            for items, grown in control_flow(self._trace).grown.values()
            if id(items) in known
        }

    # The end

    def knows(self, value: Any) -> bool:
        """Whether an object was there before, as far as that is known."""
        return self.snapshot.knows(value)

    def has_changed(self) -> bool:
        """Whether the trace changed anything so far."""
        return bool(self.snapshot.changes())

    @abstractmethod
    def store_now(self) -> None:
        """Record that the call stores here what it changed so far: it ends with an exception."""

    def restore(self) -> None:
        """Give Python's state back as it was; a trace has a context of its own, in which variables may stay set."""
        self.snapshot.contexts = [(place, old) for place, old in self.snapshot.contexts if old is not UNBOUND]
        self.snapshot.restore()
        self._stand_ins.restore()
        for guard, value in self._deep:
            guard.note(value)  # which the trace may have changed before it was met
        self.guards += [guard_of(handle, value, skip) for handle, value, skip in self._late]

    def forget(self) -> None:
        """Keep nothing of the state alive."""
        for found in self.inputs:
            found.forget()
        self._trace.python_state = None
        control_flow(self._trace).grown.clear()
        self._trace.state(MadeObjects).places.clear()
        self.snapshot = Snapshot()
        self.places = Places(self.snapshot, self._named)
        self.guards, self.inputs, self.shared = [], [], []
        for table in (
            self._copies,
            self._leaves,
            self._by_value,
            self._handles,
            self._named,
            self._known_owners,
            self._cells,
            self._deep,
        ):
            table.clear()

    def _is_met(self, owner: Any) -> bool:
        """Whether the function can have got an object: nobody reads of one in an attribute that was not read."""
        holder = self._holder(owner)
        return not isinstance(holder, Attribute) or holder.key() in self._guarded

    def settle(self) -> None:
        """Decide what could not be decided before all was read: lists that only grow, functions in attributes."""
        grown = self.grown_containers()
        for handle, items, guard, read in self._lists:
            is_read = read in (self._attribute_uses.read if isinstance(read, str) else self._read_lists)
            self.guards.append(guard if is_read or id(items) in grown else Kind(handle, type(items)))
        for array, named, key in self._handles.values():
            is_data = self._decisions.is_data(self._lasting(key)) or self.input_of(array) is not None
            is_captured = array.nbytes > CONSTANT_BYTES or self._trace.is_constant(array)
            if not is_data and not (is_captured and self._takes(self._lasting(key), array)):
                self.guards.append(Content(named, array))  # NumPy may have computed with it
        self._generators.settle()
        for place, value in self.stored.unchanged(self.snapshot, self._copies):
            if place.key() not in self._guarded and (found := self.handle(place)) is not None:
                self.guard_late(found, value)
        mentioned = self._attribute_uses.read
        self._owner(None)
        for owner, label, attributes in self._known_owners.values():
            kind: Any = type(owner)
            for name, value in attributes.items():
                key = (id(owner), "." + name)
                is_plain = self._reads_all or name in self._plain_reads
                is_implicit = name in implicit_reads(kind) and self._is_met(owner)
                is_read = is_plain or is_implicit or (name in mentioned and callable(value))
                if is_plain and key in self._guarded:
                    self.require_stand_in(key, value)
                elif is_read and key not in self._guarded and id(owner) not in self._copies:
                    found = self.handle(Attribute(f"{label}.{name}", owner, name))
                    if found is not None:
                        self.guard_late(found, value)
                        if isinstance(value, np.ndarray) and is_plain and not self._trace.is_constant(value):
                            self.guards.append(Content(found, value))
