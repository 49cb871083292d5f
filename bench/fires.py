"""Which passes change something in which programs: `python bench/fires.py` writes bench/results/fires.md.

Programs are those of the tests' catalogue, compiled for the processor and for a GPU, those of guides, the examples, the
workloads that weft is measured on, and, where they are named, folders with scripts (--scripts), clones of public
repositories (--checkouts) and one of NPBench (--npbench). Each runs in a process of its own. A pass fires in a program
if it counts a change in one compilation.
"""

from __future__ import annotations

import argparse
import importlib
import io
import json
import os
import resource
import runpy
import signal
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any

os.environ["WEFT_CACHE"] = "0"  # what is on disk is not compiled

import weft
from weft.passes.listening import listening
from weft.passes.timing import CompileTimes
from weft.tools.catalogue import all_passes, all_text_passes

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "bench" / "results" / "fires.md"
SECONDS = 120
"""Of processor time, after which a program is stopped."""
TARGET = "sm_90a"
BENCHMARKS = ("workloads", "NPBench")
"""The corpora that weft is tuned for."""

Fired = Mapping[str, Iterable[str]]
"""For each program the passes that counted a change, or, as one text that is no name of a pass, why it did not run."""
Programs = Iterable[tuple[str, Callable[[], object]]]


class Tally:
    """Listens to compilations, and notes the passes that count something."""

    def __init__(self) -> None:
        self.fired: set[str] = set()

    def span(self, name: str, category: str, begin: int, end: int, **told: Any) -> None:
        if category == "compile" and any(told.values()):
            self.fired.add(name)

    def event(self, name: str, category: str, **told: Any) -> None:
        """What happens at a moment is no pass."""

    def executable_of(self, concrete: Any) -> Any:
        return concrete._executable

    def take(self) -> list[str]:
        """What fired since this was asked for last."""
        fired, self.fired = sorted(self.fired), set()
        return fired


# Where programs run


def in_child(run: Callable[[Tally], Fired]) -> Fired:
    """What a function returns in a process of its own, which begins as this one is now."""
    with tempfile.TemporaryFile("w+") as answer:
        sys.stdout.flush()
        child = os.fork()
        if not child:
            try:
                json.dump(told(run), answer)
                answer.flush()
            finally:
                os._exit(0)
        _, status = os.waitpid(child, 0)
        answer.seek(0)
        if os.WIFSIGNALED(status):
            return {"": [f"ended by {signal.Signals(os.WTERMSIG(status)).name}"]}
        text = answer.read()
        return dict(json.loads(text)) if text else {"": ["the process ended"]}


def allow(seconds: int) -> None:
    """Let this process have so many seconds of processor time."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def told(run: Callable[[Tally], Fired]) -> Fired:
    """What a function returns, without what it prints; or how it fails."""
    listening.listener = tally = Tally()
    allow(SECONDS)
    try:
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            return run(tally)
    except SystemExit as error:
        return {"": [f"it exits with {error.code}"] if error.code else tally.take()}
    except Exception as error:
        return {"": [f"{type(error).__name__}: {error}".splitlines()[0][:100]]}


def fired_in(programs: Programs) -> Fired:
    """What fires in programs, each in a process of its own."""

    def run(program: Callable[[], object], tally: Tally) -> Fired:
        with CompileTimes().recording():
            program()
        return {"": tally.take()}

    return {name: in_child(partial(run, program))[""] for name, program in programs}


def fired_in_tests(*arguments: str) -> Fired:
    """What fires in tests, a program each; those that are marked for longer runs are left out."""

    def run(tally: Tally) -> Fired:
        import pytest

        found: dict[str, Iterable[str]] = {}

        class Plugin:
            @pytest.hookimpl(wrapper=True)
            def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
                tally.take()
                yield
                found[item.name] = tally.take()

        os.chdir(ROOT)
        allow(10 * SECONDS)
        pytest.main(["-q", "-p", "no:cacheprovider", *arguments], plugins=[Plugin()])
        return found

    return in_child(run)


# Which programs


def catalogue(options: argparse.Namespace) -> Fired:
    """The programs of the tests, with their largest arguments."""
    return fired_in(
        (p.name, lambda p=p: weft.function(p.function)(*p.arguments(p.sizes[-1])))
        for p in importlib.import_module("programs.catalogue").PROGRAMS
        if options.only is None or p.name in options.only
    )


def catalogue_for_gpus(options: argparse.Namespace) -> Fired:
    """The same, compiled for a GPU, which need not be there."""

    def compiled(p: Any) -> str:
        concrete = weft.function(p.function, target=TARGET).get_concrete_function(*p.arguments(p.sizes[-1]))
        return str(concrete.as_text("ptx"))

    return fired_in(
        (p.name, lambda p=p: compiled(p))
        for p in importlib.import_module("programs.catalogue").PROGRAMS
        if options.only is None or p.name in options.only
    )


def guides(options: argparse.Namespace) -> Fired:
    """What tutorials and guides teach, and gradients, rows, layers and training of the catalogue: tests."""
    kept = [] if options.only is None else ["-k", " or ".join(options.only)]
    return fired_in_tests("test/programs", "--ignore=test/programs/test_against_eager.py", *kept)


def scripts_of(paths: Iterable[Path], options: argparse.Namespace) -> Fired:
    """Scripts as they are started without arguments."""

    def run(path: Path) -> None:
        sys.argv = [str(path), *EXAMPLE_ARGUMENTS.get(path.stem, ())]
        sys.path.insert(0, str(path.parent))
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            runpy.run_path(str(path), run_name="__main__")

    return fired_in(
        (path.stem, lambda path=path: run(path))
        for path in sorted(paths)
        if options.only is None or path.stem in options.only
    )


EXAMPLE_ARGUMENTS = {"digits_gpu": ("--device", "emulator", "--digits", "300")}


def examples(options: argparse.Namespace) -> Fired:
    """The examples."""
    return scripts_of((ROOT / "examples").glob("*.py"), options)


def scripts(options: argparse.Namespace) -> Fired:
    """The scripts of the folders that were named."""
    return scripts_of((path for folder in options.scripts for path in folder.rglob("*.py")), options)


def public(options: argparse.Namespace) -> Fired:
    """Functions of public repositories that nobody tuned for."""

    def run(program: Any, path: Path) -> None:
        sys.path[:0] = [str(path), str(path / program.folder)]
        corpora = importlib.import_module("corpora")
        corpora.surroundings()
        function = corpora.function_of(program)
        corpora.seed()
        weft.function(function)(*program.arguments())

    return fired_in(
        (f"{program.repository} {program.name}, {program.size}", partial(run, program, path))
        for program in importlib.import_module("corpora_programs").PROGRAMS
        if (path := options.checkouts / program.repository.replace("/", "+")).is_dir()
        if options.only is None or program.name in options.only
    )


def workloads(options: argparse.Namespace) -> Fired:
    """The workloads of the peers' table."""
    arguments = importlib.import_module("workloads").workload
    return fired_in(
        (name, lambda name=name, program=program: program(*arguments(name).arguments())())
        for name, program in importlib.import_module("peers.weft_programs").PROGRAMS.items()
        if options.only is None or name in options.only
    )


def npbench(options: argparse.Namespace) -> Fired:
    """The kernels of NPBench, with their small arguments."""
    folder = options.npbench
    sys.path.insert(0, str(folder))

    def run(told: Mapping[str, Any]) -> None:
        place = f"npbench.benchmarks.{told['relative_path'].replace('/', '.')}.{told['module_name']}"
        values = dict(told["parameters"]["S"])
        initial = told.get("init")
        if initial:
            make = getattr(importlib.import_module(place), initial["func_name"])
            made = make(*(values[name] for name in initial["input_args"]))
            names = initial["output_args"]
            values.update(zip(names, made if len(names) > 1 else (made,), strict=True))
        kernel = getattr(importlib.import_module(f"{place}_numpy"), told["func_name"])
        weft.function(kernel)(*(values[name] for name in told["input_args"]))

    told = [json.loads(path.read_text())["benchmark"] for path in sorted(folder.glob("bench_info/*.json"))]
    return fired_in(
        (one["short_name"], lambda one=one: run(one))
        for one in told
        if options.only is None or one["short_name"] in options.only
    )


CORPORA: Mapping[str, Callable[[argparse.Namespace], Fired]] = {
    "catalogue": catalogue,
    "catalogue, GPU": catalogue_for_gpus,
    "guides": guides,
    "examples": examples,
    "scripts": scripts,
    "public": public,
    "workloads": workloads,
    "NPBench": npbench,
}


# The page


def page(fired: Mapping[str, Fired]) -> str:
    """The table of all passes, and what it says."""
    passes = [*sorted(all_passes()), *all_text_passes()]
    known = set(passes)
    counts = {
        name: {
            corpus: sum(name in found for found in programs.values()) for corpus, programs in fired.items()
        }
        for name in passes
    }
    ran = {
        corpus: sum(known.issuperset(found) for found in programs.values())
        for corpus, programs in fired.items()
    }
    elsewhere = [corpus for corpus in fired if corpus not in BENCHMARKS]
    tuned = [corpus for corpus in fired if corpus in BENCHMARKS]
    only = [
        p for p in passes if not any(counts[p][c] for c in elsewhere) and any(counts[p][c] for c in tuned)
    ]
    never = [p for p in passes if not any(counts[p].values())]
    lines = [
        "# In which programs passes change something",
        "",
        "In how many programs of each corpus a pass counted a change; written by `make fires` ([how](../fires.py)).",
        "",
        *(f"* {corpus}: {(CORPORA[corpus].__doc__ or '').strip()}" for corpus in fired),
        "",
        f"**{len(passes)} passes.** In no program outside of benchmarks {len(only)}: {named(only)}.",
        f"In none at all {len(never)}: {named(never)}.",
        "",
        f"| pass | {' | '.join(fired)} |",
        f"|---|{'---:|' * len(fired)}",
        f"| *programs* | {' | '.join(str(ran[corpus]) for corpus in fired)} |",
    ]
    for name in passes:
        cells = (str(counts[name][corpus] or "") for corpus in fired)
        lines.append(f"| `{name}` | {' | '.join(cells)} |")
    failed = [
        f"* {corpus}: {name} ({'; '.join(found)})"
        for corpus, programs in fired.items()
        for name, found in programs.items()
        if not known.issuperset(found)
    ]
    if failed:
        lines += ["", "Not run:", "", *failed]
    return "\n".join(lines) + "\n"


def named(passes: Sequence[str]) -> str:
    """Names of passes in a sentence.

    >>> named(["weft-fold", "cse"]), named([])
    ('`weft-fold`, `cse`', 'none')
    """
    return ", ".join(f"`{name}`" for name in passes) or "none"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the corpora and write the page."""
    parser = argparse.ArgumentParser(prog="fires.py", description=__doc__)
    parser.add_argument("--corpora", nargs="*", choices=list(CORPORA), help="only these")
    parser.add_argument("--only", nargs="*", help="names of programs")
    parser.add_argument("--scripts", nargs="*", type=Path, default=[], help="folders with scripts")
    parser.add_argument("--checkouts", type=Path, help="a folder with clones, as for bench/corpora.py")
    parser.add_argument("--npbench", type=Path, help="a clone of NPBench")
    parser.add_argument("--print", action="store_true", help="print the page instead of writing it")
    options = parser.parse_args(arguments)
    sys.path[:0] = [str(ROOT / "test"), str(ROOT / "bench")]
    there = {"scripts": options.scripts, "public": options.checkouts, "NPBench": options.npbench}
    chosen = options.corpora or [corpus for corpus in CORPORA if there.get(corpus, True)]
    fired = {}
    for corpus in chosen:
        fired[corpus] = CORPORA[corpus](options)
        print(f"{corpus}: {len(fired[corpus])} programs", file=sys.stderr, flush=True)
    if options.print:
        print(page(fired), end="")
    else:
        PAGE.write_text(page(fired))
    return 0


if __name__ == "__main__":
    sys.exit(main())
