"""Arrays by name in files: NumPy's `.npz`, and `.safetensors`, a JSON header and the bytes of the arrays."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...dialect.errors import WeftValueError

Arrays = dict[str, np.ndarray[Any, Any]]

_NAMES = {
    "bool": "BOOL", "int8": "I8", "int16": "I16", "int32": "I32", "int64": "I64", "uint8": "U8", "uint16": "U16",
    "uint32": "U32", "uint64": "U64", "float16": "F16", "bfloat16": "BF16", "float32": "F32", "float64": "F64",
    "complex64": "C64",
}  # fmt: skip
"""What `.safetensors` files call the dtypes."""

_NAMES_BY_TYPE = {spelling: name for name, spelling in _NAMES.items()}

_LARGEST_HEADER = 100_000_000
"""As many bytes a header has at most, as in the library that defines the format."""


def write_arrays(arrays: Mapping[str, np.ndarray[Any, Any]], path: str) -> None:
    """Write a file, by the format that its name ends in; one of this name is replaced when all is written."""
    write = _write_npz if _format_of(path) == ".npz" else _write_safetensors
    draft = f"{path}.{os.getpid()}.draft"
    try:
        write(arrays, draft)
        os.replace(draft, path)
    finally:
        Path(draft).unlink(missing_ok=True)


def read_arrays(path: str) -> Arrays:
    """Read a file, by the format that its name ends in. Raises `ValueError` for one that is damaged."""
    return _read_npz(path) if _format_of(path) == ".npz" else from_safetensors(path, Path(path).read_bytes())


def _format_of(path: str) -> str:
    ending = Path(path).suffix
    if ending not in (".npz", ".safetensors"):
        raise WeftValueError(f"{path} ends neither in .npz nor in .safetensors, which tell the format")
    return ending


def _damaged(path: str, why: str) -> WeftValueError:
    return WeftValueError(f"{path} is damaged, or no {Path(path).suffix} file: {why}")


def _write_npz(arrays: Mapping[str, np.ndarray[Any, Any]], path: str) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        for name, array in arrays.items():  # np.savez takes no array by the name of a parameter, `file`
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, np.asanyarray(array), allow_pickle=False)


def _read_npz(path: str) -> Arrays:
    with open(path, "rb") as file:
        try:
            loaded = np.load(file, allow_pickle=False)
            if isinstance(loaded, np.lib.npyio.NpzFile):
                with loaded:
                    return {name: loaded[name] for name in loaded.files}
        except (zipfile.BadZipFile, EOFError, ValueError, KeyError) as error:
            raise _damaged(path, str(error)) from error
    raise _damaged(path, "it holds one array without a name")


def _write_safetensors(arrays: Mapping[str, np.ndarray[Any, Any]], path: str) -> None:
    with open(path, "wb") as file:
        for part in _parts(arrays):
            file.write(part)


def to_safetensors(arrays: Mapping[str, np.ndarray[Any, Any]]) -> bytes:
    """What is in a `.safetensors` file of some arrays."""
    return b"".join(_parts(arrays))


def _parts(arrays: Mapping[str, np.ndarray[Any, Any]]) -> Iterator[bytes]:
    header: dict[str, Any] = {}
    end = 0
    for name, array in arrays.items():
        if array.dtype.name not in _NAMES or name == "__metadata__":
            what = (
                "is reserved" if name == "__metadata__" else f"is of {array.dtype}, which the format has not"
            )
            raise WeftValueError(
                f"{name} cannot be written to a .safetensors file: it {what}; write a .npz file"
            )
        start, end = end, end + array.nbytes
        header[name] = {
            "dtype": _NAMES[array.dtype.name],
            "shape": list(array.shape),
            "data_offsets": [start, end],
        }
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # the elements begin at a multiple of 8
    yield len(text).to_bytes(8, "little")
    yield text
    for array in arrays.values():
        yield _little_endian(np.ascontiguousarray(array)).tobytes()


def _little_endian(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return array if array.dtype.kind == "V" else array.astype(array.dtype.newbyteorder("<"), copy=False)


def _dtype_of(name: str) -> np.dtype[Any]:
    """The dtype of a name."""
    if name == "bfloat16":
        from ...dialect.dtypes import bfloat16  # which takes an import of its own

        return np.dtype(bfloat16)
    return np.dtype(name)


def from_safetensors(path: str, content: bytes) -> Arrays:
    """The arrays in a `.safetensors` file, which messages name by a path. Raises `ValueError` for damaged ones."""
    length = int.from_bytes(content[:8], "little")
    if len(content) < 8 or length > min(_LARGEST_HEADER, len(content) - 8):
        raise _damaged(path, "it ends within its header")
    try:
        header = json.loads(content[8 : 8 + length], object_pairs_hook=_without_repetition)
    except ValueError as error:
        raise _damaged(path, f"its header is not JSON ({error})") from error
    if not isinstance(header, dict):
        raise _damaged(path, "its header names no arrays")
    header.pop("__metadata__", None)
    data = memoryview(content)[8 + length :]
    arrays: Arrays = {}
    places: list[tuple[int, int]] = []
    for name, entry in header.items():
        arrays[name], place = _array_of(path, name, entry, data)
        places.append(place)
    end = 0
    for start, stop in sorted(places):
        if start != end:
            raise _damaged(path, "its arrays overlap, or leave bytes between them")
        end = stop
    if end != len(data):
        raise _damaged(path, f"it has {len(data)} bytes of elements, and names {end}")
    return arrays


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name comes twice")
    return found


def _array_of(
    path: str, name: str, entry: Any, data: memoryview
) -> tuple[np.ndarray[Any, Any], tuple[int, int]]:
    """One array, and the bytes that it takes."""
    try:
        dtype, shape, (start, stop) = entry["dtype"], entry["shape"], entry["data_offsets"]
        are_whole = isinstance(dtype, str) and all(type(n) is int and n >= 0 for n in (*shape, start, stop))
    except (TypeError, KeyError, ValueError):
        are_whole = False
    if not are_whole:
        raise _damaged(path, f"the header does not say what {name!r} is")
    if dtype not in _NAMES_BY_TYPE:
        raise WeftValueError(f"{path} holds {name!r} of dtype {dtype!r}, which is not supported")
    wanted = _dtype_of(_NAMES_BY_TYPE[dtype])
    size = wanted.itemsize
    for extent in shape:
        size *= extent
    if stop - start != size or stop > len(data):
        raise _damaged(path, f"{name!r} has another number of bytes than its dtype and shape say")
    stored = wanted if wanted.kind == "V" else wanted.newbyteorder("<")
    return np.frombuffer(data[start:stop], stored).astype(wanted, copy=False).reshape(shape), (start, stop)
