"""The files of functions that came from another process by value, where a pickler drops what file their code is of.

Positions in the source are kept in code, and cloudpickle gives all files one name, so that equal functions have equal
pickles. What code came from which file goes along with the sources, and is put back before a function is looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import CodeType, FunctionType
from typing import TypeAlias

NAMELESS = "<dynamic-code>"
"""What cloudpickle calls the file of all code."""

Key: TypeAlias = tuple[str, int, bytes, str]
"""A name, a line, instructions and constants: equal functions may have either file."""

_files: dict[Key, str] = {}


def files_of(codes: Iterable[CodeType]) -> dict[Key, str]:
    """The files of code that is sent."""
    return {_key(code): code.co_filename for code in codes}


def install_files(files: Mapping[Key, str]) -> None:
    """Know the files of code that came."""
    _files.update(files)


def restore_file(function: FunctionType) -> None:
    """Give the code of a function that came without one its file again."""
    code = function.__code__
    if code.co_filename == NAMELESS and (file := _files.get(_key(code))) is not None:
        function.__code__ = _of_file(code, file)


def _key(code: CodeType) -> Key:
    return code.co_name, code.co_firstlineno, code.co_code, repr([code.co_names, *map(_told, code.co_consts)])


def _told(constant: object) -> object:
    """What tells of a constant in all processes alike."""
    if isinstance(constant, CodeType):
        return _key(constant)
    return sorted(map(repr, constant)) if isinstance(constant, frozenset) else constant


def _of_file(code: CodeType, file: str) -> CodeType:
    """Code of a file, with the functions in it."""
    constants = tuple(_of_file(c, file) if isinstance(c, CodeType) else c for c in code.co_consts)
    return code.replace(co_filename=file, co_consts=constants)
