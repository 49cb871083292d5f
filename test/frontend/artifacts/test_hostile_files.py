"""Files that are cut, flipped, foreign, newer, or made to do harm: an ArtifactError each, never a crash."""

from __future__ import annotations

import hashlib
import json
import random
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from weft.frontend.artifacts.archive import write_archive

LEAF = {"output": 0, "scalar": True, "python": False}
PLACES = (
    "%c = arith.constant 100000 : index",
    "%w = tensor.extract %i[] : tensor<i64>\n %c = arith.index_cast %w : i64 to index",
)
Change = Callable[[dict[str, Any], dict[str, bytes]], None]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    weights = np.arange(3.0)

    @weft.function(input_signature=[weft.TensorSpec([None, 3], "float64"), weft.TensorSpec([], "int64")])
    def f(x: Any, i: Any) -> Any:
        total = np.zeros(3)
        for k in range(i):
            total += x[k] * weights
        weights[:] = total
        return total, x[i]

    path = tmp_path / "f.weft"
    weft.save(path, f)
    return path


def changed(path: Path, change: Change) -> Path:
    """A file whose manifest and members are changed, with right digests."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(members.pop("manifest.json"))
    del manifest["sha256"]
    change(manifest, members)
    write_archive(str(path), manifest, members)
    return path


def run(path: Path) -> Any:
    return weft.load(path).f(np.arange(12.0).reshape(4, 3), np.int64(2))


def edited(old: str, new: str) -> Change:
    def change(manifest: dict[str, Any], members: dict[str, bytes]) -> None:
        (name,) = (name for name in members if name.endswith(".mlir"))
        text = members[name].decode()
        assert old in text
        members[name] = text.replace(old, new, 1).encode()

    return change


def described(path: str, value: Any) -> Change:
    def change(manifest: dict[str, Any], members: dict[str, bytes]) -> None:
        place: Any = manifest["functions"]["f"][0]
        *parts, last = [int(part) if part.isdecimal() else part for part in path.split(".")]
        for part in parts:
            place = place[part]
        place[last] = value

    return change


def manifest_entry(key: str, value: Any) -> Change:
    return lambda manifest, members: manifest.__setitem__(key, value)


def test_the_file_is_right_as_it_is(file: Path) -> None:
    total, row = run(file)
    np.testing.assert_array_equal(total, [0, 5, 14])
    np.testing.assert_array_equal(row, [6, 7, 8])
    np.testing.assert_array_equal(run(changed(file, lambda manifest, members: None))[1], row)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (manifest_entry("weft", 9), r"in version 9 of the file; this weft reads up to 1"),
        (manifest_entry("weft", "x"), r"does not say which version"),
        (manifest_entry("dialect", 7), r"in version 7 of the dialect; this weft reads 1 to 2"),
        (manifest_entry("functions", []), r"it names no functions"),
        (manifest_entry("functions", {"a b": []}), r"'a b' is no function"),
        (manifest_entry("functions", {"f": [{}]}), r"described in another way \(KeyError"),
        (described("symbol", "g"), r"the module has no function g"),
        (described("symbol", 3), r"'3' is no name"),
        (described("arguments.0.type", "f32[?,3]"), r"takes f64\[\?,3\], i64\[\], ref f64\[3\], where the file says"),
        (described("arguments.0.type", "q8[?]"), r"described in another way"),
        (described("arguments.0.written", True), r"where the file says ref"),
        (described("aliases", [0, 5]), r"named in another way"),
        (described("leaves.0", {"output": 9, "scalar": False, "python": False}), r"a result is number 9 of"),
        (described("leaves.0", {"output": 0, "views": [{"op": "add"}]}), r"'add' makes no view"),
        (described("structure", {"array": 7}), r"names the array 7 of 2"),
        (described("structure", {"set": []}), r"a container that there is not"),
        (described("updates", [{"key": "q", "result": LEAF}]), r"state is none"),
        (described("parameters.0.kind", "ODD"), r"described in another way \(KeyError"),
        (described("state.0.key", "other"), r"uses the state \['other'\]"),
        (edited('"weft.add"', '"weft.nothing"'), r"the module (has an op|cannot be read)"),
        (edited('"weft.add"', '"llvm.intr.trap"'), r"the module (has an op|cannot be read)"),
        (edited('"func.return"', '"func.func"'), r"the module cannot be read"),
        (edited("tensor<?x3xf64>", "tensor<?x4xf64>"), r"the module cannot be read"),
        (edited('"weft.add"', '"weft.\\FF"'), r"a name or string of the module is not UTF-8"),
        (lambda manifest, members: members.pop("state.safetensors"), r"uses the state"),
        (lambda manifest, members: members.__setitem__("state.safetensors", b"{}"), r"its state: "),
        (lambda manifest, members: members.pop("code/f.0.mlir"), r"it has no code/f\.0\.mlir"),
        (lambda manifest, members: members.__setitem__("code/f.0.mlir", b"\xff\xfe"), r"is no text"),
    ],
)  # fmt: skip
def test_what_is_changed_is_refused(file: Path, change: Change, message: str) -> None:
    changed(file, change)
    with pytest.raises(weft.ArtifactError, match=message):
        run(file)


def test_foreign_files(tmp_path: Path) -> None:
    path = tmp_path / "a.weft"
    path.write_bytes(b"no zip")
    with pytest.raises(ValueError, match=r"is damaged, or no file of weft\.save: File is not a zip file"):
        weft.load(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a", "b")
    with pytest.raises(weft.ArtifactError, match=r"it has no manifest\.json"):
        weft.load(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("manifest.json", "[" * 100_000)
    with pytest.raises(weft.ArtifactError, match="is not JSON"):
        weft.load(path)
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(5000):
            archive.writestr(str(number), "")
    with pytest.raises(weft.ArtifactError, match="too many members"):
        weft.load(path)
    with pytest.raises(FileNotFoundError):
        weft.load(tmp_path / "nothing.weft")


def _encrypted(content: bytes) -> bytes:
    for mark, flags in ((b"PK\1\2", 8), (b"PK\3\4", 6)):
        head, *parts = content.split(mark)
        flagged = [p[: flags - 4] + bytes([p[flags - 4] | 1]) + p[flags - 3 :] for p in parts]
        content = mark.join([head, *flagged])
    return content


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (_encrypted, r"manifest\.json is encrypted"),
        (lambda content: content[40:], r"manifest\.json begins before the file"),
        (lambda content: content[:-30], r"is damaged"),
    ],
)
def test_archives_that_are_made_to_do_harm(
    file: Path, damage: Callable[[bytes], bytes], message: str
) -> None:
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(weft.ArtifactError, match=message):
        weft.load(file)


def test_other_ways_to_compress(file: Path) -> None:
    with zipfile.ZipFile(file) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_LZMA) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    with pytest.raises(weft.ArtifactError, match="compressed in a way of others"):
        weft.load(file)


IDENTITY = """
module {
  func.func @f(%a: tensor<4xf64>, %i: tensor<i64>) -> tensor<4xf64> {
    return %a : tensor<4xf64>
  }
}
"""
NEGATED = '%q = "weft.negative"(%a) {x = X} : (tensor<4xf64>) -> tensor<4xf64>\n return'
SEGMENTS = f"array<i32: 1, 1{', 0' * 14}>"
LOOP = f"""%q:2 = "weft.call_loop"(%a, %a) {{updated = 1 : i64, function = "numpy.sin", loop = "d->d",
 operandSegmentSizes = {SEGMENTS}, resultSegmentSizes = {SEGMENTS}}}
 : (tensor<4xf64>, tensor<4xf64>) -> (tensor<4xf64>, tensor<i64>)
 return"""
CALLED = "%r = func.call @g(%a) : (tensor<4xf64>) -> tensor<4xf64>\n"
"""What a function does that is called g, or one that calls it."""


def _function(name: str, body: str, result: str = "%r") -> str:
    head = f"func.func private @{name}(%a: tensor<4xf64>) -> tensor<4xf64>"
    return f"{head} {{\n{body} return {result} : tensor<4xf64>\n}}\n"


def _with(*functions: str) -> str:
    text = IDENTITY.replace("return %a", f"{CALLED} return %r")
    return text.replace("module {", "module {\n" + "".join(functions))


def _grown() -> str:
    """Each of many functions calls another one twice."""
    functions = [_function("g0", "", "%a")]
    for n in range(1, 40):
        call = CALLED.replace("@g", f"@g{n - 1}")
        functions.append(
            _function(f"g{n}", call + call.replace("(%a)", "(%r)").replace("%r =", "%s ="), "%s")
        )
    return _with(*functions, _function("g", CALLED.replace("@g", "@g39")))


@pytest.fixture
def identity(tmp_path: Path) -> Path:
    @weft.function
    def f(a: Any, i: Any) -> Any:
        return a + i

    weft.save(
        tmp_path / "f.weft", f=f.get_concrete_function(weft.TensorSpec([4]), weft.TensorSpec([], "int64"))
    )
    return tmp_path / "f.weft"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (IDENTITY.replace("return", NEGATED.replace("X", "[" * 100_000 + "]" * 100_000)), "is nested too deep"),
        (IDENTITY.replace("return", NEGATED.replace("X", "affine_map<(d0) -> (d0 floordiv 0)>")), "has affine"),
        (IDENTITY.replace("return", NEGATED.replace("X", f"affine_map<(d0) -> ({'-' * 50_000}d0)>")), "has affine"),
        (IDENTITY.replace("return", LOOP), "has an op weft.call_loop, which weft does not record"),
        (_grown(), "has more than 1048576 ops with all that it calls"),
        (IDENTITY.replace("-> tensor<4xf64>", "-> tensor<i64>").replace("return %a : tensor<4xf64>",
         "return %i : tensor<i64>"), r"gives i64\[\], where the file says f64\[4\]"),
        (IDENTITY.replace("-> tensor<4xf64>", "-> (tensor<4xf64>, tensor<i64>)").replace("return %a : tensor<4xf64>",
         "return %a, %i : tensor<4xf64>, tensor<i64>"), r"gives f64\[4\], i64\[\], where the file says f64\[4\]"),
    ],
)  # fmt: skip
def test_modules_that_are_made_to_do_harm(identity: Path, text: str, message: str) -> None:
    changed(identity, lambda manifest, members: members.__setitem__("code/f.0.mlir", text.encode()))
    with pytest.raises(weft.ArtifactError, match=message):
        weft.load(identity).f(np.zeros(4), np.int64(1))


def test_lines_that_no_file_has() -> None:
    array = "tensor<?xf64>"
    f = weft.from_mlir(f"""func.func @f(%a: {array}, %b: {array}) -> {array} {{
      %r = "weft.add"(%a, %b) : ({array}, {array}) -> {array} loc("a.py":4294967295:4294967295)
      return %r : {array}
    }}""")
    with pytest.raises(ValueError, match="sizes 2 and 3 do not fit"):
        f(np.zeros(2), np.zeros(3))


def test_functions_that_call_themselves_for_ever(identity: Path) -> None:
    text = _with(_function("g", CALLED)).encode()
    changed(identity, lambda manifest, members: members.__setitem__("code/f.0.mlir", text))
    with pytest.raises(RecursionError, match="maximum recursion depth exceeded"):
        weft.load(identity).f(np.zeros(4), np.int64(1))


DEEP: dict[str, Any] = LEAF
for _ in range(80):
    DEEP = {"none": LEAF, "value": {"structure": {"array": 0}, "leaves": [DEEP]}}


def view(op: str, **attributes: Any) -> Change:
    return described(
        "leaves.0", {"argument": 0, "views": [{"op": op, "attributes": attributes, "writable": True}]}
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (view("add"), "'add' makes no view"),
        (view("slice"), "described in another way"),
        (view("slice", start=[0], limits=[9], step=[1]), "described in another way"),
        (view("reshape", shape=[9]), "cannot reshape array of size 4"),
        (view("bitcast", dtype={"dtype": "complex128"}), "cannot read"),
        (view("transpose", axes=[5]), "described in another way"),
        (view("dynamic_slice", shape=[9]), "described in another way"),
        (described("leaves.0", {"output": 0, "scalar": True, "python": True}), "an array is no number of Python's"),
        (described("leaves.0", {"kept": "x", "result": LEAF | {"views": []}}), "what several results are is no array"),
        (described("leaves.0", {"choice": LEAF, "options": [LEAF]}), "what chooses among results is no number"),
        (described("leaves.0", {"choice": LEAF, "options": []}), "are no arrays"),
        (described("leaves.0", {"choice": LEAF, "types": []}), "of none of several types"),
        (described("leaves.0", {"choice": LEAF, "types": [LEAF], "promoted": LEAF}), "what chooses among results"),
        (described("leaves.0", {"constant": {"scalar": ["object", 1]}}), "a constant is none"),
        (described("leaves.0", {"none": {"kept": 1, "result": LEAF | {"views": []}}, "value": {"leaves": []}}), "."),
        (described("leaves.0", DEEP), "nested too deep"),
        (described("result", {"namedtuple": [{"array": 0}], "name": "class", "fields": ["a"]}), "tuple is none"),
        (described("result", {"namedtuple": [], "name": "A", "fields": ["a"]}), "a A has 0 entries"),
        (described("result", {"slice": [{"array": 0}]}), "a slice has 1 parts"),
        (described("result", {"constant": {"set": [{"set": []}]}}), "a constant is none"),
        (described("result", {"constant": {"range": ["1"]}}), "a constant is none"),
        (described("result", {"constant": {"type": "object"}}), "a constant is none"),
        (described("structure", {"array": 0}), "not those of a call"),
        (described("structure", {"list": [{"list": []}, {"list": []}]}), "not those of a call"),
    ],
)  # fmt: skip
def test_descriptions_that_are_made_to_do_harm(identity: Path, change: Change, message: str) -> None:
    changed(identity, change)
    with pytest.raises(weft.ArtifactError, match=message):
        weft.load(identity)


def test_a_member_that_unpacks_to_very_much(file: Path) -> None:
    changed(file, lambda manifest, members: members.__setitem__("state.safetensors", bytes(10_000_000)))
    with pytest.raises(weft.ArtifactError, match=r"has more than \d+ bytes; pass a larger max_bytes="):
        weft.load(file, max_bytes=1_000_000)


def test_digests_tell_damage(file: Path) -> None:
    with zipfile.ZipFile(file) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    state = bytearray(members["state.safetensors"])
    state[-1] ^= 1
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, bytes(state) if name == "state.safetensors" else content)
    with pytest.raises(weft.ArtifactError, match=r"state\.safetensors is not what was written"):
        weft.load(file)


EXTRACT = """
module {{
  func.func @f(%a: tensor<4xf64>, %i: tensor<i64>) -> tensor<f64> {{
    {place}
    %x = tensor.extract %a[%c] : tensor<4xf64>
    %r = tensor.from_elements %x : tensor<f64>
    return %r : tensor<f64>
  }}
}}
"""


@pytest.mark.parametrize("place", PLACES)
def test_no_module_reads_outside_of_arrays(place: str, tmp_path: Path) -> None:
    @weft.function
    def f(a: Any, i: Any) -> Any:
        return a[i]

    path = tmp_path / "f.weft"
    weft.save(path, f=f.get_concrete_function(weft.TensorSpec([4]), weft.TensorSpec([], "int64")))
    changed(
        path,
        lambda manifest, members: members.__setitem__("code/f.0.mlir", EXTRACT.format(place=place).encode()),
    )
    loaded = weft.load(path).f
    with pytest.raises(IndexError, match="index 100000 is out of bounds for axis 0 with size 4"):
        loaded(np.zeros(4), np.int64(100000))
    if "constant" not in place:
        with pytest.raises(IndexError, match="index -3 is out of bounds"):
            loaded(np.zeros(4), np.int64(-3))
        assert loaded(np.arange(4.0), np.int64(3)) == 3


SIZES = """
module {
  func.func @f(%a: tensor<?xf64>, %b: tensor<?xf64>) -> tensor<?xf64> {
    %r = "weft.add"(%a, %b) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    return %r : tensor<?xf64>
  }
}
"""


def test_no_module_reads_behind_shorter_arrays(tmp_path: Path) -> None:
    @weft.function(input_signature=[weft.TensorSpec([None], "float64")] * 2)
    def f(a: Any, b: Any) -> Any:
        return np.concatenate([a, b])

    path = tmp_path / "f.weft"
    weft.save(path, f)
    module = SIZES.encode()
    changed(path, lambda manifest, members: members.__setitem__("code/f.0.mlir", module))
    loaded = weft.load(path).f
    with pytest.raises(ValueError, match=r"weft\.add: sizes 2 and 700 do not fit"):
        loaded(np.zeros(2), np.zeros(700))
    assert loaded(np.ones(3), np.ones(3)).tolist() == [2, 2, 2]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(25))
def test_damaged_text_is_refused_or_runs(file: Path, seed: int) -> None:
    chance = random.Random(seed)

    def damage(manifest: dict[str, Any], members: dict[str, bytes]) -> None:
        text = bytearray(members["code/f.0.mlir"])
        for _ in range(chance.randint(1, 3)):
            place = chance.randrange(len(text))
            text[place] = chance.choice(b'0123456789abcdefx%"()<>,:? \n')
        members["code/f.0.mlir"] = bytes(text)

    changed(file, damage)
    try:
        run(file)
    except weft.WeftError:
        pass  # ArtifactError, or the compiler's word on what cannot be compiled
    except (IndexError, ValueError, ZeroDivisionError, TypeError):
        pass  # what the changed program raises


def test_digest_of_members(file: Path) -> None:
    with zipfile.ZipFile(file) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        for name, digest in manifest["sha256"].items():
            assert hashlib.sha256(archive.read(name)).hexdigest() == digest
