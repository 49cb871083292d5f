"""threadpoolctl knows the pool, whichever is imported first."""

from __future__ import annotations

import subprocess
import sys

import pytest

import weft

threadpoolctl = pytest.importorskip("threadpoolctl")


def test_limits_hold_inside_of_the_block():
    assert weft.function  # whose import registers
    before = weft.get_num_threads()
    with threadpoolctl.threadpool_limits(3, user_api="weft"):
        assert weft.get_num_threads() == 3
    with threadpoolctl.threadpool_limits(1):
        assert weft.get_num_threads() == 1
    with threadpoolctl.threadpool_limits(1, user_api="blas"):
        assert weft.get_num_threads() == before
    assert weft.get_num_threads() == before
    weft.set_num_threads(None)


@pytest.mark.parametrize(
    "imports", ["import weft, threadpoolctl; weft.function", "import threadpoolctl, weft; weft.function"]
)
def test_the_order_of_imports_does_not_matter(imports):
    program = (
        f"{imports}\n"
        "with threadpoolctl.threadpool_limits(5, user_api='weft'):\n"
        "    print(weft.get_num_threads())\n"
        "print([info['user_api'] for info in threadpoolctl.threadpool_info()].count('weft'))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.split() == ["5", "1"]
