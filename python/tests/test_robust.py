"""Wrong input of every kind, and signals: an exception that says what to do, and never a panic."""

from __future__ import annotations

import gc
import itertools
import math
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest

import taquin
from taquin.search import astar, bfs, dijkstra, idastar

HARD15 = "15 14 8 12/10 11 9 13/2 6 5 1/3 7 4 0"


class Unshown:
    def __repr__(self) -> str:
        raise LookupError


def wrong_values() -> list[Any]:
    endless: list[Any] = []
    endless.append(endless)
    return [
        None, math.nan, math.inf, 1.5, -1, 10**30, 10**5000, b"123", "", "\0", "1\x002 3", "\ud800",
        "1 2 3/4 5", [], [[]], endless, [1.0] * 9, [None] * 9, ["1"] * 9, [10**30, *range(8)],
        [-1, *range(8)], numpy.zeros((3, 3)), numpy.array(5), numpy.zeros((3, 3, 3), int),
        numpy.arange(9) * 1j, {}, {1: 2}, object(), Unshown(), itertools.count(), itertools.repeat([1]),
        len, "9" * 100_000,
    ]  # fmt: skip


def with_option(function: Callable[..., Any], first: str, keyword: str) -> Callable[[Any], Any]:
    return lambda value: function(first, **{keyword: value})


CALLS: dict[str, Callable[[Any], Any]] = {
    "Board": taquin.Board,
    "size": lambda value: taquin.Board("123406758", value),
    "solve": lambda value: taquin.solve(value, time=1),
    "solve_many": lambda value: taquin.solve_many([value], time=1),
    "method": lambda value: taquin.solve("123406758", value),
    **{
        keyword: with_option(taquin.solve, "123406758", keyword)
        for keyword in (
            "goal", "size", "as_", "cost", "time", "nodes", "memory", "threads", "jumps", "search_anyway",
            "resume", "checkpoint_every", "heuristic",
        )
    },
    **{
        f"gen {keyword}": with_option(taquin.gen, "3x3", keyword)
        for keyword in ("seed", "depth", "walk", "goal", "blanks", "memory")
    },
    "audit": lambda value: taquin.audit(value, "2x2"),
    "match": lambda value: taquin.match("123406758", expanded=value, limit=1000),
    "instances": taquin.instances,
    "trace": lambda value: next(taquin.trace(value)),
    "slide": lambda value: taquin.Board("123406758").slide(value),
    "text": lambda value: taquin.Board("123406758").text(value),
    "from_json": taquin.Report.from_json,
    "estimate": lambda value: astar(0, lambda n: [(n + 1, 1)], lambda n: value, 5, nodes=20),
    "table": lambda value: astar((0,), lambda n: [(n, 1)], value, (1,), nodes=20),
    "cost of an edge": lambda value: dijkstra(0, lambda n: [(n + 1, value)], 5, nodes=20),
    "successor": lambda value: idastar(0, lambda n: [(value, 1)], lambda n: 0, 5, nodes=20),
    "limit": lambda value: bfs(0, lambda n: [n + 1], 5, nodes=value),
    "own heuristic": lambda value: taquin.solve("123406758", "astar", heuristic=lambda _: value, nodes=20),
    "own batch": lambda value: taquin.audit(taquin.batch(lambda _: value), "2x2"),
}  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_wrong_values_are_exceptions(call: str) -> None:
    refused = 0
    for value in wrong_values():
        started = time.monotonic()
        try:
            CALLS[call](value)
        except Exception as error:
            refused += 1
            assert str(error) and "a fault in taquin" not in str(error)
            assert not isinstance(error, (SystemError, RecursionError))
        assert time.monotonic() - started < 5
    assert refused > len(wrong_values()) // 3


@pytest.mark.parametrize(
    ("board", "message"),
    [
        (numpy.zeros((3, 3)), "whole numbers, not of float: 0.0 .*dtype such as int"),
        ([10**30, *range(8)], "1000000000"),
        (itertools.count(), "at most 65535 cells"),
        (None, "a board is a str, a list, .*not NoneType"),
    ],
)
def test_what_is_wrong_with_a_board(board: Any, message: str) -> None:
    with pytest.raises((TypeError, taquin.BoardError), match=message):
        taquin.Board(board)


def test_what_is_wrong_with_functions() -> None:
    def edges(cost: Any) -> Callable[[int], Any]:
        return lambda n: [(n + 1, cost)]

    with pytest.raises(ValueError, match="unit=0.01 for costs that are fractions"):
        dijkstra(0, edges(0.5), 3)
    with pytest.raises(ValueError, match="from 0 to .*, not -1"):
        dijkstra(0, edges(-1), 3)
    assert dijkstra(0, edges(2.0), 3).cost == 6
    with pytest.raises(ValueError, match="is a number, not nan"):
        astar(0, edges(1), lambda n: math.nan, 3)
    assert astar(0, edges(1), lambda n: -5, 3).cost == 3
    with pytest.raises(ValueError, match="the table has no cost for"):
        astar((0, 9), lambda s: [], [[0], [0]], (0, 0))
    with pytest.raises(TypeError, match="unexpected keyword argument 'threads'"):
        bfs(0, lambda n: [n + 1], 3, threads=2)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="returned 0 estimates for"):
        taquin.solve("867254301", "astar", heuristic=taquin.batch(lambda boards: []))
    # Successors that are not the same when they are asked for again.
    numbers = itertools.count()
    with pytest.raises(ValueError, match="called again"):
        bfs(-1, lambda n: [next(numbers)], 3)


class Odd:
    """A state whose comparison fails."""

    def __hash__(self) -> int:
        return 1

    def __eq__(self, other: object) -> bool:
        raise ZeroDivisionError


@pytest.mark.parametrize("search", [astar, idastar])
def test_a_comparison_that_fails_is_the_exception(search: Any) -> None:
    with pytest.raises(ZeroDivisionError):
        search(Odd(), lambda state: [(Odd(), 1)], lambda state: 0, lambda state: False, nodes=100)


def endless_graph(n: int) -> list[tuple[int, int]]:
    return [(n + 1, 1), (n + 2, 1)]


LONG: dict[str, tuple[Callable[[], Any], str | None]] = {
    "solve": (lambda: taquin.solve(HARD15, "ida:manhattan", goal="first"), "report"),
    "auto": (lambda: taquin.solve(taquin.gen("5x5", seed=1), time=60), "report"),
    "solve_many": (lambda: taquin.solve_many([HARD15] * 4, "ida:manhattan", goal="first"), "reports"),
    "solutions": (lambda: taquin.solutions(HARD15, "ida:manhattan", goal="first"), "solutions"),
    "own": (lambda: taquin.solve(HARD15, "ida", goal="first", heuristic=lambda board: 0), "report"),
    "built-in": (lambda: taquin.solve(HARD15, "ida", goal="first", heuristic=len, nodes=10**9), "report"),
    "trace": (lambda: [None for _ in taquin.trace(HARD15, "ida:manhattan", goal="first")], None),
    "enumerate": (lambda: taquin.enumerate("3x4", metric="multi"), None),
    "audit": (lambda: taquin.audit("gaschnig", "3x4"), None),
    "own audit": (lambda: taquin.audit(lambda board: 0, "2x5"), None),
    "gen": (lambda: taquin.gen("4x4", depth=60, count=1000), None),
    "walk": (lambda: taquin.gen("4x4", walk=10**9), None),
    "compare": (lambda: taquin.compare([HARD15], ["ida:manhattan"], goal="first"), "comparison"),
    "astar": (lambda: astar(0, endless_graph, lambda n: 0, -1, time=20), "found"),
    "no Python": (lambda: bfs(tuple(range(10)), itertools.permutations, (), time=20), "found"),
    "idastar": (lambda: idastar(0, endless_graph, lambda n: 0, -1, time=20), "found"),
}


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize("name", LONG)
def test_ctrl_c_ends_everything_at_once(name: str) -> None:
    call, attribute = LONG[name]
    # Python drops an exception that is raised in such a callback, as one of hypothesis.
    callbacks = gc.callbacks[:]
    gc.callbacks.clear()
    sent: list[float] = []

    def interrupt() -> None:
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.4, interrupt)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt) as caught:
            call()
        ended = time.monotonic()
    finally:
        timer.cancel()
        gc.callbacks.extend(callbacks)
    # 0.1 s, and what a busy machine adds.
    assert ended - sent[0] < 0.35
    # After 0.07 s, what is known is not waited for any longer.
    if attribute is not None and ended - sent[0] < 0.07:
        assert hasattr(caught.value, attribute)


def test_everything_can_be_pickled(tmp_path: Path) -> None:
    steps = list(taquin.trace("123406758", "astar:manhattan"))
    report = taquin.solve("867254301", "astar:manhattan")
    things = [
        *steps,
        report,
        report.counts,
        *report.stages,
        taquin.Board("123406758"),
        taquin.instances("korf100")[0],
        bfs(1, lambda n: [2 * n, n + 3], 10),
        taquin.enumerate("2x3"),
        taquin.audit("manhattan", "2x3"),
        taquin.Board("123406758").explain(),
        taquin.match("072461358", expanded=1757, queue=967),
        taquin.compare(["123406758"]),
        taquin.compare(["123406758"]).plot(),
        taquin.solutions("123406758"),
    ]
    for thing in things:
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            assert pickle.loads(pickle.dumps(thing, protocol)) == thing
        assert str(thing) and "\n" not in repr(thing)
    experiment = taquin.Experiment(store=tmp_path / "s.sqlite", instances=["courses"], methods=["ucs"])
    again = pickle.loads(pickle.dumps(experiment.run()))
    assert len(again.records) == 8 and repr(again) == repr(experiment)


def test_a_fork_during_a_search(tmp_path: Path) -> None:
    program = f"""
import os, threading, time, taquin
thread = threading.Thread(target=taquin.solve, args=("{HARD15}", "ida:manhattan"), kwargs=dict(goal="first", time=1))
thread.start()
time.sleep(0.2)
child = os.fork()
if child == 0:
    os._exit(0 if taquin.solve("123406758").cost == 2 else 1)
assert os.waitpid(child, 0)[1] == 0
thread.join()
"""
    if os.name != "nt":
        subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_checkpoints(tmp_path: Path) -> None:
    file = tmp_path / "search.json"
    first = taquin.solve(HARD15, "ida:manhattan", goal="first", checkpoint=file, nodes=100_000, threads=1)
    assert first.reason == "expanded" and file.is_file()
    with pytest.raises(taquin.OptionError, match="resume"):
        taquin.solve(HARD15, "ida:manhattan", goal="first", checkpoint=file)
    again = taquin.solve(resume=file, nodes=200_000, threads=1)
    assert again.counts.expanded > first.counts.expanded and again.board == taquin.Board(HARD15)
    with pytest.raises(taquin.TaquinError, match="checkpoint"):
        file.write_text("{}")
        taquin.solve(resume=file)
    with pytest.raises(taquin.OptionError):
        taquin.solve("123406758", checkpoint_every=5)


def test_progress_has_a_total(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    taquin.compare(taquin.instances("hard15")[:2], ["ida:manhattan"], time=0.4, progress=True)
    taquin.solve_many([HARD15] * 3, "ida:manhattan", goal="first", time=0.4, progress=True)
    taquin.enumerate("2x6", progress=True)
    shown = capsys.readouterr().err
    assert "1 of 2 searches" in shown and "of 3 searches" in shown

    class Bar:
        made: list[Bar] = []

        def __init__(self, total: int | None, unit: str) -> None:
            self.n, self.total, self.closed = 0, total, False
            Bar.made.append(self)

        def refresh(self) -> None: ...

        def close(self) -> None:
            self.closed = True

    module: Any = type(sys)("tqdm.auto")
    module.tqdm = Bar
    monkeypatch.setitem(sys.modules, "tqdm.auto", module)
    taquin.compare(taquin.instances("hard15")[:2], ["ida:manhattan"], time=0.4, progress=True)
    assert [(bar.n, bar.total, bar.closed) for bar in Bar.made] == [(2, 2, True)]


def test_random_calls_find_nothing() -> None:
    program = Path(__file__).parents[1] / "fuzz.py"
    done = subprocess.run([sys.executable, program, "2", "1"], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0 and "refused" in done.stdout, done.stdout + done.stderr
