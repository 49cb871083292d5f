"""The contents of the documentation, in reading order: the site and `docs/README.md` are made of this table."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Section:
    """Some pages that are read together; of the site it is a page with their list."""

    name: str
    title: str
    text: str
    pages: dict[str, str]
    """What each page tells, by its path from the root of the repository, or from `docs/` where it has no folder."""

    def paths(self) -> list[str]:
        """The pages by their paths from the root of the repository."""
        return [path_of(page) for page in self.pages]


def path_of(page: str) -> str:
    """The path of a page from the root of the repository; `./NAME` is there itself."""
    if page.startswith("./"):
        return page[2:]
    return page if "/" in page else f"docs/{page}"


def title(path: str) -> str:
    """The heading of a page."""
    found = re.search(r"^# (.+)$", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None, f"{path} has no heading"
    return found[1]


SECTIONS = (
    Section(
        "start",
        "Start here",
        "Install weft, make a program fast, and learn what became of it. Read this first, in this order.",
        {
            "first_steps.md": "from install to an explained speed-up, in ten minutes",
            "performance.md": "making it faster: what to look at, in which order",
            "limits.md": "what weft does not do, on one honest page",
            "training.md": "from a NumPy function to a trained network, in one compiled function",
        },
    ),
    Section(
        "guides",
        "How to",
        "One task each. Read what you need, when you need it.",
        {
            "profiling.md": "timelines, and the lines that take most of the time",
            "explain.md": "what became of a program, in sentences with its lines; logs, and notebooks",
            "page.md": "a page for a browser: every stage and pass beside the lines of a program",
            "summary.md": "TensorBoard: graphs of functions, and values out of compiled loops",
            "gradients.md": "derivatives of whole programs: branches, loops, updates in place",
            "rows.md": "`weft.vmap`: one row written, all rows computed",
            "random.md": "NumPy's random numbers, to the bit, in compiled loops",
            "data.md": "data sets, and loaders of other libraries, as part of a compiled loop",
            "files.md": "compiled functions in files, with their state, for processes without their source",
            "export.md": "libraries for C, C++ and Rust that need no Python",
            "onnx.md": "models of ONNX as functions, and functions as models of ONNX",
            "stablehlo.md": "what JAX exported, and what XLA runs",
            "gpu.md": "the same function on GPUs",
            "engines.md": "functions in joblib, Dask, Ray and MPI, and over arrays that Dask holds in blocks",
            "distributed.md": "ranks that work together: collectives, meshes, MPI",
            "partition.md": "one unmodified program of NumPy over arrays in blocks on many ranks",
            "threads.md": "several threads, and how many",
            "libraries.md": "what a library needs whose functions are called in compiled code, too",
            "integrations/keras_weft/README.md": "models of Keras 3, trained and run as compiled steps",
            "examples/keras/README.md": "five models of Keras, step by step",
        },
    ),
    Section(
        "concepts",
        "Concepts",
        "What compiled code means, and why it does what it does.",
        {
            "semantics.md": "what compiled code means, and where it is not NumPy",
            "autograph.md": "Python's control flow on arrays: what is compiled, what is not",
            "memory.md": "where results lie, what is copied, what is planned ahead",
            "cache.md": "what is kept on disk, for the next process",
            "machine.md": "what code is made for: caches, vectors, processors",
            "beside.md": "files of functions, beside those of other compilers",
            "shown_beside.md": "what one can see of a program, beside other tools",
            "glossary.md": "one word for each thing",
        },
    ),
    Section(
        "coming_from",
        "Coming from",
        "What you know, and what it is called here. The tables are read both ways, and every row is run by a test.",
        {
            "coming_from_tensorflow.md": "`tf.function`, `tf.Variable`, `tf.data`, `GradientTape`",
            "coming_from_jax.md": "`jax.jit`, `jax.grad`, `jax.vmap`, `jax.lax`",
            "coming_from_numba.md": "`@njit`, `prange`, typed lists, `objmode`",
            "coming_from_pytorch.md": "`torch.compile`, `torch.func`, methods of tensors",
            "coming_from_matlab.md": "matrices, indices, loops: NumPy for those who think in MATLAB",
        },
    ),
    Section(
        "lookup",
        "Reference",
        "Every name, every setting, every op.",
        {
            "errors.md": "every error and warning: cause, cure, and an example that raises it",
            "names.md": "what becomes of each name of NumPy's and SciPy's",
            "settings.md": "every setting, with its environment variable",
        },
    ),
    Section(
        "internals",
        "Internals",
        "A book for those who change the compiler, or want to know what is under the hood. Read in this order.",
        {
            "walkthrough.md": "one function, through every file that matters",
            "pipeline.md": "all stages from Python to machine code",
            "ops.md": "the ops of the weft dialect",
            "passes.md": "the passes and pipelines by name",
            "schedules.md": "the ways in which kernels are written, by name",
            "weft_opt.md": "`weft-opt`, its options beside mlir-opt's, and passes and ops of your own",
            "integrations/weft_emulator/README.md": "kernels of GPUs without one, and the check on a card",
            "./CONTRIBUTING.md": "how to set up, test, and add an op, a pass, a function",
        },
    ),
    Section(
        "figures",
        "Figures",
        "What was measured, on which machine, and beside what.",
        {
            "bench/results/peers.md": "weft beside NumPy, Numba, JAX, PyTorch and others",
        },
    ),
    Section(
        "project",
        "Project",
        "What you may rely on: versions, changes, what is trusted.",
        {
            "versions.md": "what is promised between versions, what weft runs on, dependencies and extras",
            "./CHANGELOG.md": "what has changed",
            "./SECURITY.md": "what is trusted, and how to report what is wrong",
        },
    ),
)

REFERENCE = "lookup"
"""The section that the pages of all public names belong to."""


def readme() -> str:
    """`docs/README.md`: the contents for those who read the files, in the same order."""
    parts = [
        "# Documentation\n\nGenerated from `docs/site/contents.py` by `make docs`. "
        "`make docs-site` builds all of it as a site,\nwith a reference of every public name and a search "
        "that works without a network: open `build/site/html/index.html`.\n"
    ]
    for section in SECTIONS:
        parts.append(f"\n## {section.title}\n\n{section.text}\n\n")
        for page, text in section.pages.items():
            path = path_of(page)
            link = path.removeprefix("docs/") if path.startswith("docs/") else f"../{path}"
            parts.append(f"* [{title(path)}]({link}): {text}\n")
    return "".join(parts)
