"""Native code from functions in a small part of Python: every value is a 64-bit integer, addresses too, or a float.

The code of the dispatcher and of the pools is written in Python's syntax, so that it is read, checked and formatted as
all the rest, and is translated, not run. There are assignments to names, `if`, `while`, `for i in range(n)`, `break`,
`continue`, `pass`, `return`, arithmetic (`+ - * // % & | ^ << >>`, unsigned shifts, division towards zero, no checks
for overflow), signed comparisons, `min` and `max` of two, `and`, `or`, `not`, `a if c else b`, calls of each other, the
functions of `intrinsics.py`, and constants of their modules: numbers, `Static` memory, functions of C. Of an `if` whose
test is the name of a constant that is a bool, only the branch that it chooses is translated.

Functions say by annotations which of their values are floats, of double precision or, if that is asked for, of single
precision; with integers they meet in conversions alone, `float(n)`, `int(x)` and those of `intrinsics.py`.
"""

from __future__ import annotations

import ast
import inspect
import platform
import struct
from collections.abc import Iterator, Mapping, Sequence
from types import ModuleType

from ....dialect.errors import InternalError
from .intrinsics import Linked, Order, Static
from .layout import TABLE

_ARITHMETIC: Mapping[type, str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.FloorDiv: "sdiv",
    ast.Mod: "srem",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "shl",
    ast.RShift: "lshr",
}
_OF_FLOATS: Mapping[type, str] = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul", ast.Div: "fdiv"}
_COMPARISONS: Mapping[type, str] = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "slt",
    ast.LtE: "sle",
    ast.Gt: "sgt",
    ast.GtE: "sge",
}
_SUCCESS = ("extractvalue {{ i64, i1 }} {value}, 1", "zext i1 {value} to i64")
_PAUSE: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("x86_64", "amd64"), ("call void @llvm.x86.sse2.pause()",)),
    **dict.fromkeys(("aarch64", "arm64"), ("call void @llvm.aarch64.hint(i32 1)",)),
}
"""By the machine's name; others do nothing."""
_INSTRUCTIONS: Mapping[str, tuple[str, ...]] = {
    "min": ("call i64 @llvm.smin.i64(i64 {0}, i64 {1})",),
    "max": ("call i64 @llvm.smax.i64(i64 {0}, i64 {1})",),
    "bit_length": ("call i64 @llvm.ctlz.i64(i64 {0}, i1 false)", "sub i64 64, {value}"),
    "word": ("load i64, ptr {0}",),
    "half": ("load i32, ptr {0}", "sext i32 {value} to i64"),
    "byte": ("load i8, ptr {0}", "zext i8 {value} to i64"),
    "set_word": ("store i64 {1}, ptr {0}",),
    "set_half": ("trunc i64 {1} to i32", "store i32 {value}, ptr {0}"),
    "set_byte": ("trunc i64 {1} to i8", "store i8 {value}, ptr {0}"),
    "stack": ("alloca i64, i64 {0}, align 16", "ptrtoint ptr {value} to i64"),
    "atomic_load": ("load atomic i64, ptr {0} {1}, align 8",),
    "atomic_store": ("store atomic i64 {1}, ptr {0} {2}, align 8",),
    "atomic_exchange": ("atomicrmw xchg ptr {0}, i64 {1} {2}",),
    "atomic_add": ("atomicrmw add ptr {0}, i64 {1} {2}",),
    "atomic_and": ("atomicrmw and ptr {0}, i64 {1} {2}",),
    "compare_exchange": ("cmpxchg ptr {0}, i64 {1}, i64 {2} {3} {4}", *_SUCCESS),
    "compare_exchange_weak": ("cmpxchg weak ptr {0}, i64 {1}, i64 {2} {3} {4}", *_SUCCESS),
    "unsigned_less": ("icmp ult i64 {0}, {1}", "zext i1 {value} to i64"),
    "unsigned_remainder": ("urem i64 {0}, {1}",),
    "rotate_right": ("call i64 @llvm.fshr.i64(i64 {0}, i64 {0}, i64 {1})",),
    "multiply_high": (
        *("zext i64 {0} to i128", "zext i64 {1} to i128", "mul i128 {before}, {value}"),
        *("lshr i128 {value}, 64", "trunc i128 {value} to i64"),
    ),
    "pause": _PAUSE.get(platform.machine().lower(), ()),
}
"""What intrinsics do with their operands; an instruction may use the values of the two before."""
_CONVERSIONS = ("float", "int", "bits", "from_bits", "wide", "root")
_C_RESULTS: Mapping[str, str] = {"call": "i64", "call_int": "i32", "call_void": "void"}


def translate(
    modules: Sequence[ModuleType],
    exported: Sequence[str],
    table_words: int,
    given: Sequence[str] = (),
    real: str = "double",
) -> str:
    """The LLVM assembly of the functions of some modules; the functions that are not exported are internal.

    They may call functions that are `given` in assembly. `real` is what floats are, `double` or `float`.
    """
    functions: dict[str, tuple[ast.FunctionDef, ModuleType]] = {}
    for module in modules:
        for node in ast.parse(inspect.getsource(module)).body:
            if isinstance(node, ast.FunctionDef):
                if node.name in functions:
                    raise InternalError(f"two functions of native code are called {node.name}")
                functions[node.name] = node, module
    parts = [f"@{TABLE} = global [{table_words} x i64] zeroinitializer\n"] if table_words else []
    parts += dict.fromkeys(line for module in modules for line in _declarations(module, real))
    known = {**functions, **dict.fromkeys(given)}
    for name, (node, module) in functions.items():
        linkage = "" if name in exported else "internal "
        parts.append(_Function(node, module, known, real).text(linkage))
    return "\n".join(parts)


def _declarations(module: ModuleType, real: str) -> Iterator[str]:
    for name, value in vars(module).items():
        if isinstance(value, Static):
            yield f"@{name} = internal global [{int(value)} x i64] zeroinitializer, align 64"
        elif isinstance(value, Linked):
            symbol, types, result = value.of(name, real)
            yield f"declare {result} @{symbol}({', '.join(types)})"


class _Function:
    """Translates one function. Names are slots on the stack, which LLVM makes registers."""

    def __init__(
        self, node: ast.FunctionDef, module: ModuleType, known: Mapping[str, object], real: str
    ) -> None:
        self._node = node
        self._constants = vars(module)
        self._known = known
        self._real = real
        self._lines: list[str] = []
        self._slots: dict[str, str] = {}
        """Their types."""
        self._types: dict[str, str] = {}
        """Of values that are no 64-bit integers."""
        self._count = 0
        self._loops: list[tuple[str, str]] = []
        self._is_open = True
        """Whether the current block has no terminator yet."""

    def text(self, linkage: str) -> str:
        """The definition."""
        types, self._result = self._signature(self._node.name)
        names = [argument.arg for argument in self._node.args.args]
        for name, type in zip(names, types, strict=True):
            self._types[f"%{name}.in"] = type
            self._store(name, f"%{name}.in")
        self._run(self._node.body)
        if self._is_open:
            self._lines.append("  ret i64 0")
        slots = [f"  %{name} = alloca {type}" for name, type in self._slots.items()]
        parameters = ", ".join(f"{type} %{name}.in" for name, type in zip(names, types, strict=True))
        head = f"define {linkage}{self._result} @{self._node.name}({parameters})"
        return "\n".join([f'{head} nounwind "no-stack-arg-probe" {{', *slots, *self._lines, "}", ""])

    def _signature(self, name: str) -> tuple[list[str], str]:
        """What a function takes, and what it returns."""
        found = self._known[name] or self._constants.get(name)
        if isinstance(found, tuple):
            told = [*(argument.annotation for argument in found[0].args.args), found[0].returns]
            texts = ["" if annotation is None else ast.unparse(annotation) for annotation in told]
        else:
            texts = list(getattr(found, "__annotations__", {"": "int", "return": "int"}).values())
        *types, result = (self._real if text == "float" else "i64" for text in texts)
        return types, result

    # Statements

    def _run(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            if not self._is_open:
                raise self._unknown(statement)
            method = getattr(self, f"_{type(statement).__name__.lower()}", None)
            if method is None:
                raise self._unknown(statement)
            method(statement)

    def _unknown(self, node: ast.AST) -> InternalError:
        line = getattr(node, "lineno", 0)
        return InternalError(
            f"native code of {self._node.name}, line {line}: {type(node).__name__} is not translated"
        )

    def _expr(self, statement: ast.Expr) -> None:
        if not isinstance(statement.value, ast.Constant):  # a docstring
            self._value(statement.value)

    def _store(self, name: str, value: str) -> None:
        self._slots.setdefault(name, self._type(value))
        self._lines.append(f"  store {self._typed(value, self._slots[name])}, ptr %{name}")

    def _load(self, name: str) -> str:
        return self._emit(f"load {self._slots[name]}, ptr %{name}", self._slots[name])

    def _type(self, value: str) -> str:
        return self._types.get(value, "i64")

    def _typed(self, value: str, type: str) -> str:
        """A value with its type, which has to be one; constants of floats are of each."""
        if self._type(value) != type and not (value.startswith("0x") and type != "i64"):
            raise InternalError(
                f"native code of {self._node.name}: {value} is a {self._type(value)}, no {type}"
            )
        return f"{type} {value}"

    def _assign(self, statement: ast.Assign) -> None:
        match statement.targets:
            case [ast.Name(name)]:
                self._store(name, self._value(statement.value))
            case _:
                raise self._unknown(statement)

    def _augassign(self, statement: ast.AugAssign) -> None:
        if not isinstance(statement.target, ast.Name):
            raise self._unknown(statement)
        name = statement.target.id
        self._store(
            name, self._binary(statement, statement.op, self._load(name), self._value(statement.value))
        )

    def _pass(self, statement: ast.Pass) -> None:
        """Nothing."""

    def _return(self, statement: ast.Return) -> None:
        value = "0" if statement.value is None else self._value(statement.value)
        self._end(f"ret {self._typed(value, self._result)}")

    def _if(self, statement: ast.If) -> None:
        known = isinstance(statement.test, ast.Name) and self._constants.get(statement.test.id)
        if isinstance(statement.test, ast.Name) and isinstance(known, bool):
            self._run(statement.body if known else statement.orelse)
            return
        then, otherwise, after = self._label("then"), self._label("else"), self._label("after")
        self._branch(statement.test, then, otherwise if statement.orelse else after)
        self._block(then)
        self._run(statement.body)
        reached = self._is_open or not statement.orelse
        self._jump(after)
        if statement.orelse:
            self._block(otherwise)
            self._run(statement.orelse)
            reached = reached or self._is_open
            self._jump(after)
        if reached:
            self._block(after)

    def _while(self, statement: ast.While) -> None:
        test, body, after = self._label("test"), self._label("body"), self._label("after")
        self._jump(test)
        self._block(test)
        self._branch(statement.test, body, after)
        self._loop(statement.body, body, test, after)
        self._jump(test)
        self._block(after)

    def _for(self, statement: ast.For) -> None:
        match statement:
            case ast.For(ast.Name(name), ast.Call(ast.Name("range"), [end]), body, []):
                limit = self._value(end)
            case _:
                raise self._unknown(statement)
        test, start, step, after = (self._label(part) for part in ("test", "body", "step", "after"))
        self._store(name, "0")
        self._jump(test)
        self._block(test)
        counter = self._emit(f"load i64, ptr %{name}")
        self._lines.append(
            f"  br i1 {self._emit(f'icmp slt i64 {counter}, {limit}')}, label %{start}, label %{after}"
        )
        self._loop(body, start, step, after)
        self._jump(step)
        self._block(step)
        counter = self._emit(f"load i64, ptr %{name}")
        self._store(name, self._emit(f"add i64 {counter}, 1"))
        self._jump(test)
        self._block(after)

    def _loop(self, statements: Sequence[ast.stmt], start: str, following: str, after: str) -> None:
        self._block(start)
        self._loops.append((following, after))
        self._run(statements)
        self._loops.pop()

    def _break(self, statement: ast.Break) -> None:
        self._end(f"br label %{self._loops[-1][1]}")

    def _continue(self, statement: ast.Continue) -> None:
        self._end(f"br label %{self._loops[-1][0]}")

    # Blocks

    def _label(self, name: str) -> str:
        self._count += 1
        return f"{name}.{self._count}"

    def _block(self, label: str) -> None:
        self._lines.append(f"{label}:")
        self._is_open = True

    def _jump(self, label: str) -> None:
        if self._is_open:
            self._end(f"br label %{label}")

    def _end(self, terminator: str) -> None:
        self._lines.append(f"  {terminator}")
        self._is_open = False

    def _branch(self, test: ast.expr, yes: str, no: str) -> None:
        """End the block: go where a condition says."""
        match test:
            case ast.BoolOp(op, values):
                for value in values[:-1]:
                    further = self._label("further")
                    if isinstance(op, ast.And):
                        self._branch(value, further, no)
                    else:
                        self._branch(value, yes, further)
                    self._block(further)
                self._branch(values[-1], yes, no)
            case ast.UnaryOp(ast.Not(), operand):
                self._branch(operand, no, yes)
            case ast.Compare(left, [comparison], [right]):
                one, other = self._value(left), self._value(right)
                kind, predicate = self._common(one, other), _COMPARISONS[type(comparison)]
                if kind != "i64":
                    predicate = "une" if predicate == "ne" else f"o{predicate.lstrip('s')}"
                compare = "icmp" if kind == "i64" else "fcmp"
                holds = self._emit(f"{compare} {predicate} {kind} {one}, {other}")
                self._end(f"br i1 {holds}, label %{yes}, label %{no}")
            case _:
                holds = self._emit(f"icmp ne i64 {self._value(test)}, 0")
                self._end(f"br i1 {holds}, label %{yes}, label %{no}")

    # Values

    def _emit(self, instruction: str, type: str = "i64") -> str:
        self._count += 1
        self._lines.append(f"  %v{self._count} = {instruction}")
        if type != "i64":
            self._types[f"%v{self._count}"] = type
        return f"%v{self._count}"

    def _common(self, left: str, right: str) -> str:
        """The type of two values, which have to have one."""
        kind = self._type(right if left.startswith("0x") else left)
        for value in (left, right):
            self._typed(value, kind)
        return kind

    def _binary(self, node: ast.AST, op: ast.operator, left: str, right: str) -> str:
        kind = self._common(left, right)
        operation = (_ARITHMETIC if kind == "i64" else _OF_FLOATS).get(type(op))
        if operation is None:
            raise self._unknown(node)
        if operation == "mul" and left.isdecimal() and right.isdecimal():  # as offsets of words are
            return str(int(left) * int(right))
        return self._emit(f"{operation} {kind} {left}, {right}", kind)

    def _value(self, node: ast.expr) -> str:
        match node:
            case ast.Constant(int(value) | float(value)):
                return self._constant(node)
            case ast.Name(name) if name in self._slots:
                return self._load(name)
            case ast.Name() | ast.Attribute():
                return self._constant(node)
            case ast.UnaryOp(ast.USub(), ast.Constant(int(value) | float(value))):
                return self._constant(ast.Constant(-value))
            case ast.UnaryOp(ast.USub(), operand):
                old = self._value(operand)
                kind = self._type(old)
                return self._emit(f"sub i64 0, {old}" if kind == "i64" else f"fneg {kind} {old}", kind)
            case ast.BinOp(left, op, right):
                return self._binary(node, op, self._value(left), self._value(right))
            case ast.Call(ast.Name(name), arguments, []):
                return self._call(node, name, arguments)
            case ast.IfExp(test, body, orelse):
                return self._chosen(test, body, orelse)
            case ast.Compare(_, [_], [_]) | ast.BoolOp() | ast.UnaryOp(ast.Not()):
                return self._chosen(node, ast.Constant(1), ast.Constant(0))
        raise self._unknown(node)

    def _constant(self, node: ast.expr) -> str:
        """What the module knows by a dotted name."""
        value = node.value if isinstance(node, ast.Constant) else self._resolve(node)
        if isinstance(value, Static) and isinstance(node, ast.Name):
            return f"ptrtoint (ptr @{node.id} to i64)"
        if isinstance(value, Order):
            return str(value.value)
        if isinstance(value, float):
            text = f"0x{struct.pack('>d', value).hex()}"
            self._types[text] = self._real
            return text
        if not isinstance(value, int):
            raise self._unknown(node)
        return str(int(value))

    def _resolve(self, node: ast.expr) -> object:
        if isinstance(node, ast.Name) and node.id in self._constants:
            return self._constants[node.id]
        if isinstance(node, ast.Attribute):
            return getattr(self._resolve(node.value), node.attr)
        raise self._unknown(node)

    def _chosen(self, test: ast.expr, body: ast.expr, orelse: ast.expr) -> str:
        yes, no, after = self._label("yes"), self._label("no"), self._label("after")
        name = self._label("chosen")
        self._branch(test, yes, no)
        for label, value in ((yes, body), (no, orelse)):
            self._block(label)
            self._store(name, self._value(value))
            self._jump(after)
        self._block(after)
        return self._load(name)

    def _call(self, node: ast.Call, name: str, arguments: Sequence[ast.expr]) -> str:
        match name, arguments:
            case "api", [index]:
                place = f"getelementptr (i64, ptr @{TABLE}, i64 {self._constant(index)})"
                return self._emit(f"load i64, ptr {place}")
            case "address_of", [ast.Name(function)] if function in self._known:
                return f"ptrtoint (ptr @{function} to i64)"
        values = [self._value(argument) for argument in arguments]
        if name in self._known:
            types, result = self._signature(name)
            several = types * len(values) if len(types) == 1 else types  # of `*given`
            return self._call_address(result, f"@{name}", values, several)
        if name == "call_double":
            number = self._emit(f"bitcast i64 {values[1]} to double")
            return self._emit(f"call i64 {self._pointer(values[0])}(double {number})")
        if name in _CONVERSIONS:
            return self._converted(name, *values)
        if name in _C_RESULTS:
            return self._call_address(_C_RESULTS[name], self._pointer(values[0]), values[1:])
        if name in _INSTRUCTIONS:
            return self._run_intrinsic(_INSTRUCTIONS[name], values)
        of_system = self._constants.get(name)
        if isinstance(of_system, Linked):
            symbol, types, result = of_system.of(name, self._real)
            if len(types) == len(values):
                return self._call_address(result, f"@{symbol}", values, types)
        raise self._unknown(node)

    def _converted(self, name: str, value: str) -> str:
        real, is_single = self._real, self._real == "float"
        match name:
            case "bits":
                if is_single:
                    return self._emit(f"zext i32 {self._emit(f'bitcast float {value} to i32')} to i64")
                return self._emit(f"bitcast double {value} to i64")
            case "from_bits":
                source = f"i32 {self._emit(f'trunc i64 {value} to i32')}" if is_single else f"i64 {value}"
                return self._emit(f"bitcast {source} to {real}", real)
            case "wide":
                return self._emit(f"fpext float {value} to double", "double") if is_single else value
            case "int":
                return self._emit(f"fptosi {real} {value} to i64")
            case "root":
                return self._emit(f"call {real} @llvm.sqrt.f{32 if is_single else 64}({real} {value})", real)
        return self._emit(f"sitofp i64 {value} to {real}", real)

    def _pointer(self, address: str) -> str:
        return self._emit(f"inttoptr i64 {address} to ptr")

    def _run_intrinsic(self, instructions: Sequence[str], values: list[str]) -> str:
        if any("ptr {0}" in instruction for instruction in instructions):
            values[0] = self._pointer(values[0])
        before = value = "0"
        for template in instructions:
            instruction = template.format(*values, value=value, before=before)
            if instruction.startswith(("store", "call void")):
                self._lines.append(f"  {instruction}")
            else:
                before, value = value, self._emit(instruction)
        return value

    def _call_address(
        self, result: str, function: str, values: Sequence[str], types: Sequence[str] | None = None
    ) -> str:
        types = ["i64"] * len(values) if types is None else types
        passed = ", ".join(self._typed(*pair) for pair in zip(values, types, strict=True))
        call = f"call {result} {function}({passed})"
        if result == "void":
            self._lines.append(f"  {call}")
            return "0"
        value = self._emit(call, "i64" if result == "i32" else result)
        return self._emit(f"sext i32 {value} to i64") if result == "i32" else value
