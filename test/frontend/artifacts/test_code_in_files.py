"""Machine code in files: run without a compiler where it is trusted and fits, else left alone, with a reason."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from support.exported_programs import softmax
from support.saved_programs import CASES, Model, Program, outcome
from weft.frontend.artifacts.archive import write_archive
from weft.frontend.artifacts.recorded_function import RecordedFunction

X = np.linspace(-3, 3, 20)


@pytest.fixture
def no_compiler(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Lets functions of files fail that are compiled from now on."""

    def fail(*args: Any) -> Any:
        raise AssertionError("it is compiled")

    return lambda: monkeypatch.setattr(RecordedFunction, "_traced", fail)


def doubled(x: Any, i: Any) -> Any:
    return x * 2, x[i]


_saved: dict[Any, bytes] = {}


def saved(path: Path, code: Any = "native") -> Path:
    """A file with `doubled`, which is compiled once for the targets."""
    key = str(code)
    if key not in _saved:
        specs = weft.TensorSpec([None]), weft.TensorSpec([], "int64")
        weft.save(path, f=weft.function(doubled).get_concrete_function(*specs), code=code)
        _saved[key] = path.read_bytes()
    path.write_bytes(_saved[key])
    return path


def changed(path: Path, change: Callable[[dict[str, Any], dict[str, bytes]], None]) -> Path:
    """A file with another manifest or other members, whole as a file."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(members.pop("manifest.json"))
    del manifest["sha256"], manifest["weft"]
    change(manifest, members)
    write_archive(str(path), manifest, members)
    return path


class TestTrusted:
    @pytest.mark.parametrize(("program", "specs", "args"), CASES)
    def test_it_computes_what_the_source_computes(
        self,
        program: Program,
        specs: list[Any],
        args: tuple[Any, ...],
        tmp_path: Path,
        no_compiler: Callable[[], None],
    ) -> None:
        concrete = weft.function(program).get_concrete_function(*specs)
        weft.save(tmp_path / "a.weft", f=concrete, code="native")
        no_compiler()
        loaded = weft.load(tmp_path / "a.weft", trust_code=True)
        assert loaded.code == {"native": "taken"}
        for _ in range(3):  # the last calls are native
            with np.printoptions(precision=5):
                assert outcome(loaded.f, args) == outcome(program, args)
        assert loaded.f.trace_count == 0

    def test_state_is_shared_and_written_in_place(
        self, tmp_path: Path, no_compiler: Callable[[], None]
    ) -> None:
        model, same = Model(), Model()
        for each in (model, same):
            each.fit(np.ones(3))
            each.fit(np.ones(3))
            each.predict(np.ones(3))
        weft.save(tmp_path / "a.weft", fit=model.fit, predict=model.predict, code="native")
        no_compiler()
        loaded = weft.load(tmp_path / "a.weft", trust_code=True)
        w = loaded.state["w"]
        for _ in range(3):
            np.testing.assert_array_equal(loaded.fit(np.ones(3)), same.fit(np.ones(3)))
            np.testing.assert_array_equal(loaded.predict(np.ones(3)), same.predict(np.ones(3)))
        assert loaded.state["w"] is w
        np.testing.assert_array_equal(w, same.w)
        assert loaded.state["steps"] == same.steps

    def test_other_calls_are_compiled(self, tmp_path: Path) -> None:
        loaded = weft.load(saved(tmp_path / "a.weft"), trust_code=True)
        for size in (1, 3, 2):
            np.testing.assert_array_equal(loaded.f(np.ones(size), np.int64(-1))[0], np.full(size, 2.0))
        with pytest.raises(IndexError, match="index 0 is out of bounds for axis 0 with size 0"):
            loaded.f(np.ones(0), np.int64(0))
        assert loaded.f.trace_count == 0
        assert loaded.f(np.ones(3), 1)[1] == 1  # a number that is a constant of a call
        with pytest.raises(TypeError, match=r"f takes f64\[\?\] for 'x', not f32\[3\]"):
            loaded.f(np.ones(3, "f4"), np.int64(0))

    def test_all_sizes_are_called_natively(self, tmp_path: Path, no_compiler: Callable[[], None]) -> None:
        """An extent of 1 went the long way at each call."""
        path = saved(tmp_path / "a.weft")
        no_compiler()
        f = weft.load(path, trust_code=True).f
        for size in (1, 5, 1, 7):
            for _ in range(4):
                np.testing.assert_array_equal(f(np.ones(size), np.int64(0))[0], np.full(size, 2.0))
            before = f._native.calls
            f(np.ones(size), np.int64(0))
            assert f._native.calls == before + 1

    def test_code_for_one_size_goes_before_that_for_all(self, tmp_path: Path) -> None:
        f = weft.function(lambda x: x * 2, name="f", input_signature=[weft.TensorSpec([None])])
        f(np.ones(4))
        f(np.ones(1))  # of which there is code apart, as it might stretch
        weft.save(tmp_path / "a.weft", f, code="native")
        loaded = weft.load(tmp_path / "a.weft", trust_code=True).f
        for size in (1, 4):
            np.testing.assert_array_equal(loaded(np.ones(size)), np.full(size, 2.0))
        texts = loaded.pretty_printed_concrete_signatures()
        assert loaded.trace_count == 0
        assert "returns f64[1]" in texts
        assert "returns f64[?]" in texts

    @pytest.mark.sampled
    @pytest.mark.parametrize("program", [lambda x: x, lambda x: x + 1, lambda x: (x.T, x.copy(), x[()])])
    @pytest.mark.parametrize("scalar", [np.int64, np.array, int])
    def test_scalars_are_what_they_are_without_code(
        self, program: Program, scalar: Any, tmp_path: Path
    ) -> None:
        concrete = weft.function(program).get_concrete_function(weft.TensorSpec([], "int64"))
        weft.save(tmp_path / "a.weft", f=concrete, code="native")
        with_code, without = (weft.load(tmp_path / "a.weft", trust_code=trust).f for trust in (True, False))
        for number in (1, 2):
            found, expected = (f(scalar(number)) for f in (with_code, without))
            for one, other in zip(
                *(r if isinstance(r, tuple) else (r,) for r in (found, expected)), strict=True
            ):
                assert (type(one), one) == (type(other), other)

    def test_numbers_are_data(self, tmp_path: Path, no_compiler: Callable[[], None]) -> None:
        scaled = weft.function(lambda x, factor: x * factor, name="scaled")
        scaled(X, 2.0)
        scaled(X, 3.0)
        weft.save(tmp_path / "a.weft", scaled, code="native")
        no_compiler()
        loaded = weft.load(tmp_path / "a.weft", trust_code=True)
        for factor in (5.0, 6.0, 7.0):
            np.testing.assert_array_equal(loaded.scaled(X, factor), X * factor)

    def test_its_graph_is_there_too(self, tmp_path: Path) -> None:
        concrete = weft.function(lambda x: (np.tanh(x) ** 2).sum()).get_concrete_function(
            weft.TensorSpec([None])
        )
        weft.save(tmp_path / "a.weft", f=concrete, code="native")
        loaded = weft.load(tmp_path / "a.weft", trust_code=True)
        f = loaded.f
        assert "weft.tanh" in f.get_concrete_function().as_text("weft")
        np.testing.assert_allclose(weft.grad(f)(X), 2 * np.tanh(X) / np.cosh(X) ** 2)
        assert weft.function(lambda x: f(x) + 1)(X) == f(X) + 1

    def test_a_state_that_does_not_fit_is_refused_as_without_code(self, tmp_path: Path) -> None:
        model = Model()
        model.predict(np.ones(3))
        weft.save(tmp_path / "a.weft", predict=model.predict, code="native")
        loaded = weft.load(tmp_path / "a.weft", trust_code=True, state={"w": np.ones(4)})
        with pytest.raises(TypeError, match=r"predict needs f64\[3\] as the state 'w'"):
            loaded.predict(np.ones(3))

    def test_the_same_saved_twice_is_the_same_file(self, tmp_path: Path) -> None:
        first = saved(tmp_path / "a.weft").read_bytes()
        weft.save(tmp_path / "b.weft", f=weft.load(tmp_path / "a.weft").f, code=["native", "native"])
        assert (tmp_path / "b.weft").read_bytes() == first

    def test_a_process_needs_no_compiler(self, tmp_path: Path) -> None:
        saved(tmp_path / "a.weft")
        program = f"""
import sys, numpy as np, weft
f = weft.load({str(tmp_path / "a.weft")!r}, trust_code=True).f
print(f(np.arange(3.0), np.int64(1))[1], [n for n in sys.modules if "mlir" in n or n == "llvmlite.binding"])
"""
        kept = os.environ | {"WEFT_CACHE": "1", "WEFT_CACHE_DIR": str(tmp_path / "cache")}
        command = [sys.executable, "-c", program]
        for _ in range(2):  # the first finds no thread pool on disk, and lets LLVM make it
            run = subprocess.run(command, capture_output=True, text=True, check=True, env=kept)
        assert run.stderr == ""
        assert run.stdout == "1.0 []\n"


class TestDamage:
    """Nothing of the code is read unless it is trusted; what is read must be whole."""

    def refused(self, path: Path, match: str) -> None:
        assert weft.load(path).code["native"].startswith("not taken")
        with pytest.raises(weft.ArtifactError, match=match):
            weft.load(path, trust_code=True)

    def test_members_are_whole(self, tmp_path: Path) -> None:
        path = saved(tmp_path / "a.weft")
        with zipfile.ZipFile(path) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
        code = next(name for name in members if name.endswith(".o"))
        for content in (members[code][:-1], b"\x90" + members[code][1:], b""):
            with zipfile.ZipFile(path, "w") as archive:
                for name, given in (members | {code: content}).items():
                    archive.writestr(name, given)
            self.refused(path, rf"{code} is not what was written")

    @pytest.mark.parametrize(
        ("change", "match"),
        [
            (lambda m, _: m.update(code=3), "its code is described in another way"),
            (lambda m, _: m["code"].append(m["code"][0]), "it has code for one target twice"),
            (lambda m, _: m["code"][0].pop("needs"), r"its code is described in another way \('needs'\)"),
            (lambda m, _: m["code"][0]["needs"].pop("kind"), "is no Requirements"),
            (lambda m, _: m["code"][0].update(functions={}), "f has code for 0 of 1 signatures"),
            (lambda m, c: c.update({"code/native/f.0.json": b"{"}), "code/native/f.0.json: Expecting"),
            (lambda m, c: c.update({"code/native/f.0.json": b"[" * 100_000}), "code/native/f.0.json: "),
            (lambda m, c: c.update({"code/native/f.0.json": b"{}"}), "a program is none"),
            (lambda m, c: c.pop("code/native/f.0.json"), "it has no code/native/f.0.json"),
            (lambda m, c: c.pop(next(n for n in c if n.endswith(".o"))), r"it has no code/native/\w+\.o"),
        ],
    )
    def test_descriptions_are_checked(self, change: Any, match: str, tmp_path: Path) -> None:
        path = changed(saved(tmp_path / "a.weft"), change)
        with pytest.raises(weft.ArtifactError, match=match):
            weft.load(path, trust_code=True)

    @pytest.mark.sampled
    @pytest.mark.parametrize("place", ["types", "code", "outputs", "kept", "layouts"])
    @pytest.mark.parametrize("value", [None, -1, "f64[", [3], {"bytes": "x"}])
    def test_fields_are_of_their_types(self, place: str, value: Any, tmp_path: Path) -> None:
        def change(manifest: dict[str, Any], members: dict[str, bytes]) -> None:
            text = json.loads(members["code/native/f.0.json"])
            text["program"][place] = value
            members["code/native/f.0.json"] = json.dumps(text).encode()

        with pytest.raises(weft.ArtifactError):
            weft.load(changed(saved(tmp_path / "a.weft"), change), trust_code=True)


class TestFitting:
    @pytest.mark.parametrize(
        ("needs", "reason"),
        [
            ({"weft": "other"}, "it was made by another version of weft"),
            ({"numpy": "1.7"}, r"it was made for NumPy 1\.7, and this is "),
            ({"header": 8}, "it was made for another build of Python"),
            ({"kind": "", "architecture": "mips"}, "it is for mips and linux, and this is "),
            ({"kind": "", "system": "plan9"}, "it is for .* and plan9, and this is "),
            ({"kind": "", "needs": ["amx-9"]}, "this machine lacks amx-9"),
            ({"kind": "", "needs": None, "processor": "z80"}, "it is for z80, and this is "),
        ],
    )
    def test_what_does_not_fit_is_told_and_compiled(
        self, needs: dict[str, Any], reason: str, tmp_path: Path
    ) -> None:
        path = changed(saved(tmp_path / "a.weft"), lambda m, _: m["code"][0]["needs"].update(needs))
        with pytest.warns(weft.ArtifactWarning, match=rf"a.weft is not taken, .* \(for native: .*{reason}"):
            loaded = weft.load(path, trust_code=True)
        assert loaded.code["native"].startswith("not taken: it ") or "lacks" in loaded.code["native"]

    def test_settings_are_compared(self, tmp_path: Path) -> None:
        saved(tmp_path / "a.weft")
        with (
            weft.settings.scope(debug_info=True),
            pytest.warns(weft.ArtifactWarning, match="debug_info = False"),
        ):
            weft.load(tmp_path / "a.weft", trust_code=True)
        with (
            weft.settings.scope(target="x86-64-v2"),
            pytest.warns(weft.ArtifactWarning, match="the target x86-64-v2"),
        ):
            weft.load(tmp_path / "a.weft", trust_code=True)

    def test_it_is_not_taken_without_trust(self, tmp_path: Path) -> None:
        path = saved(tmp_path / "a.weft")
        told = {"native": "not taken: weft.load(..., trust_code=True) takes it"}
        loaded = weft.load(path)
        assert loaded.code == weft.load(path, only_look=True, trust_code=True).code == told
        loaded.f(X, np.int64(0))
        assert loaded.f.trace_count == 1
        assert weft.load(saved(tmp_path / "b.weft", code=()), trust_code=True).code == {}
        with pytest.raises(TypeError, match=r"trust_code= is True or False, not 'yes'"):
            weft.load(path, trust_code="yes")  # type: ignore[arg-type]

    def test_the_first_target_that_fits_is_taken(
        self, tmp_path: Path, no_compiler: Callable[[], None]
    ) -> None:
        foreign = "aarch64-linux" if "x86" in os.uname().machine else "x86-64-v2-linux"
        path = saved(tmp_path / "a.weft", code=[foreign, "native"])
        assert weft.load(path, trust_code=True).code == {
            "native": "taken",
            foreign: "not taken: that for native is",
        }
        alone = saved(tmp_path / "b.weft", code=foreign)
        with zipfile.ZipFile(alone) as archive:
            code = next(name for name in archive.namelist() if name.endswith(".o"))
            (machine,) = struct.unpack_from("<H", archive.read(code), 18)
        assert machine == (183 if foreign.startswith("aarch64") else 62)  # of ELF
        with pytest.warns(weft.ArtifactWarning, match="it is for "):
            weft.load(alone, trust_code=True)

    @pytest.mark.skipif("x86" not in os.uname().machine, reason="it is a level of x86-64")
    def test_a_target_that_is_named_is_taken(self, tmp_path: Path, no_compiler: Callable[[], None]) -> None:
        path = saved(tmp_path / "a.weft", code=["native", "x86-64"])
        no_compiler()
        loaded = weft.load(path, trust_code=True, target="x86-64")
        assert loaded.code == {"native": "not taken: calls are for the target x86-64", "x86-64": "taken"}
        np.testing.assert_array_equal(loaded.f(X, np.int64(2))[0], X * 2)

    @pytest.mark.skipif("x86" not in os.uname().machine, reason="it is a level of x86-64")
    def test_levels_of_processors_are_taken(self, tmp_path: Path, no_compiler: Callable[[], None]) -> None:
        path = saved(tmp_path / "a.weft", code="x86-64")
        no_compiler()
        for change in ({}, {"kind": ""}):
            changed(path, lambda m, _, change=change: m["code"][0]["needs"].update(change))  # type: ignore[misc]
            loaded = weft.load(path, trust_code=True)
            assert loaded.code == {"x86-64": "taken"}
            np.testing.assert_array_equal(loaded.f(X, np.int64(2))[0], X * 2)


class TestSaving:
    @pytest.mark.parametrize(
        ("code", "error", "match"),
        [
            ("z80", ValueError, "there is no target 'z80'"),
            ("wasm32", ValueError, r"weft loads no code for wasm32; weft\.export writes it"),
            (
                3,
                TypeError,
                r"code= names the targets .*, not 3; a function cannot be saved under the name code",
            ),
            (["native", 3], TypeError, "code= names the targets"),
            (weft.function(doubled), TypeError, "a function cannot be saved under the name code"),
        ],
    )
    def test_targets_are_checked(self, code: Any, error: type[Exception], match: str, tmp_path: Path) -> None:
        with pytest.raises(error, match=match):
            saved(tmp_path / "a.weft", code)
        assert not list(tmp_path.iterdir())

    def test_constants_of_the_process_are_arrays_of_the_file(self, tmp_path: Path) -> None:
        """A weft.constant is taken packed by code of this process; the arrays of a loaded file may be written."""
        weights = weft.constant(np.arange(60 * 70.0).reshape(60, 70))
        f = weft.function(lambda x: x @ weights, name="f")
        x = np.ones((50, 60))
        expected = f(x)
        weft.save(tmp_path / "a.weft", f, code="native")
        loaded = weft.load(tmp_path / "a.weft", trust_code=True)
        np.testing.assert_array_equal(loaded.f(x), expected)
        (key,) = loaded.state
        loaded.state[key][...] = 0
        np.testing.assert_array_equal(loaded.f(x), 0)


class TestDevices:
    def test_kernels_of_devices_are_in_files(self, tmp_path: Path, no_compiler: Callable[[], None]) -> None:
        concrete = weft.function(softmax).get_concrete_function(weft.TensorSpec([None, None], "float32"))
        weft.save(tmp_path / "a.weft", f=concrete, g=concrete, code=["native", "sm_90a"])
        with zipfile.ZipFile(tmp_path / "a.weft") as archive:
            names = archive.namelist()
            described = json.loads(archive.read("code/sm_90a/f.0.json"))
        kernels = described["program"]["code"]["kernels"]
        texts = {kernel["ptx"]["text"] for kernel in kernels}
        assert len(kernels) >= 2
        assert len([name for name in names if name.endswith(".ptx")]) == len(texts)  # those of f and g
        no_compiler()
        x = X.reshape(4, 5).astype("f4")
        with weft.settings.scope(cuda="emulator"):
            loaded = weft.load(tmp_path / "a.weft", trust_code=True)
            assert loaded.code == {"native": "taken", "sm_90a": "taken"}
            with weft.settings.scope(device="cuda"):
                for _ in range(3):
                    np.testing.assert_allclose(loaded.f(x), concrete(x), rtol=1e-6)
            there = loaded.f(weft.device_put(x))
            assert there.device == "cuda:0"
            np.testing.assert_allclose(np.asarray(there), concrete(x), rtol=1e-6)
        np.testing.assert_array_equal(loaded.f(x), concrete(x))

    def test_code_of_devices_needs_one(self, tmp_path: Path) -> None:
        path = saved(tmp_path / "a.weft", "sm_90a")
        loaded = weft.load(path, trust_code=True)
        with weft.settings.scope(cuda="off", device="cuda"), pytest.raises(weft.DeviceError):
            loaded.f(X, np.int64(0))
        np.testing.assert_array_equal(loaded.f(X, np.int64(0))[0], X * 2)  # compiled for the processor
        assert loaded.f.trace_count == 1
