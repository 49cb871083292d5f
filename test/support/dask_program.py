"""Programs on a cluster of worker processes that go wrong: workers that die, an interrupt; each by its name."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

import weft


@weft.function
def centred(x: Any) -> Any:
    if x.sum() > 1e12:
        return x
    return x - x.mean(axis=0)


def dies_once(block: Any, flag: str = "", block_info: Any = None) -> Any:
    """Ends its worker where the third block is met first."""
    if block_info and block_info[0]["chunk-location"][0] == 2:
        try:
            os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return block
        os._exit(9)
    return block


def sleeps(block: Any) -> Any:
    time.sleep(300)
    return block


N = np.random.default_rng(0).normal(size=(80, 3))


def killed(client: Client, directory: Path) -> None:
    """A worker dies in the middle: its tasks run again, on the other one where none is started again in time."""
    flag = str(directory / "died")
    x = da.from_array(N, chunks=(10, 3)).map_blocks(dies_once, flag=flag, dtype=float, meta=np.empty((0, 0)))
    np.testing.assert_allclose(centred(x).compute(), N - N.mean(axis=0), atol=1e-12)
    assert os.path.exists(flag)


def interrupted(client: Client, directory: Path) -> None:
    """Ctrl-C ends the wait for a result."""
    x = da.from_array(N, chunks=(10, 3)).map_blocks(sleeps, dtype=float, meta=np.empty((0, 0)))
    threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    start = time.monotonic()
    try:
        centred(x).compute()
    except KeyboardInterrupt:
        assert time.monotonic() - start < 100
    else:
        raise AssertionError("it was not interrupted")


def keys_of_worker() -> list[str]:
    from weft.backend.cache import memory

    return sorted(memory.keys())


def loaded_modules(function: Any, x: Any) -> tuple[list[float], bool]:
    return function(x).tolist(), "torch_mlir" in sys.modules


def installed(client: Client, directory: Path) -> None:
    """What a session has compiled is on the workers, and on those that come later."""
    doubled = weft.function(lambda x: x * 2)
    doubled(np.ones(2))
    weft.dask.install(client)
    (found,) = client.run(keys_of_worker).values()
    assert len([key for key in found if "-" in key]) == 1
    with weft.settings.scope(ship_compiled=False):
        assert client.submit(loaded_modules, doubled, np.ones(2)).result(200) == ([2.0, 2.0], False)
        client.cluster.scale(2)
        client.wait_for_workers(2, timeout=200)
        assert set(map(len, client.run(keys_of_worker).values())) == {len(found)}


def main(name: str, directory: Path) -> None:
    with weft.settings.scope(cache=True, cache_dir=str(directory / "cache")):
        environment = {"WEFT_CACHE": "1", "WEFT_CACHE_DIR": str(directory / "workers")}
        with (
            LocalCluster(
                n_workers=2 if name == "killed" else 1,
                threads_per_worker=1,
                dashboard_address=None,
                host="127.0.0.1",
                env=environment,
            ) as cluster,
            Client(cluster) as client,
        ):
            globals()[name](client, directory)
    print("done", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
