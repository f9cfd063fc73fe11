"""Solving: answers against whole spaces, options, limits, threads, signals."""

from __future__ import annotations

import concurrent.futures
import json
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import taquin
from taquin import Board, Report

HARD15 = "15 14 8 12/10 11 9 13/2 6 5 1/3 7 4 0"


def distances() -> dict[Board, int]:
    """The distances of all 2x3 boards, by a search in Python."""
    known = {Board("1 2 3/4 5 0"): 0}
    layer = list(known)
    while layer:
        layer = [near for board in layer for near in board.neighbors() if near not in known]
        depth = max(known.values()) + 1
        known.update((board, depth) for board in layer)
        layer = list(dict.fromkeys(layer))
    return known


BOTH_ENDS = ["bae:manhattan", "nbs:linear", "mm:manhattan", "dvcbs:manhattan"]


@pytest.mark.parametrize("method", [None, "astar:manhattan", "bfs", "ida:linear", "bidirectional", *BOTH_ENDS])
def test_all_boards_of_2x3_are_solved_optimally(method: str | None) -> None:
    for board, distance in distances().items():
        report = taquin.solve(board, method)
        assert (report.cost, report.optimal) == (distance, True)
        assert board.slide(report.moves or "").is_solved()


def test_a_report_is_that_of_the_command_line() -> None:
    report = taquin.solve("867254301", "astar:manhattan")
    assert report.solved and report.optimal
    assert report.cost == report.depth == len(report.moves or "") == 31
    assert report.boards[0] == Board("867254301") and report.boards[-1] == report.goal
    assert report.counts.expanded > 0 and report.counts.generated > report.counts.expanded
    assert report.stages[0].method == report.method
    assert report.to_dict() == json.loads(report.to_json())
    assert report.to_dict()["counts"] == report.counts.to_dict()
    assert "solved in 31 moves" in repr(report) and len(repr(report)) < 120
    assert pickle.loads(pickle.dumps(report)) == report
    assert "optimal" in str(report) and "data:image/svg" in report._repr_html_()


def test_options_are_those_of_the_command_line() -> None:
    solve = taquin.solve
    assert solve("123406758", "bfs", nodes=1).reason == "expanded"
    assert solve("123406758", "bfs", nodes="1").reason == "expanded"
    assert solve("867254301", "bfs", memory="10k").reason == "memory"
    assert solve("1 2 3/8 0 4/7 6 5", goal="snail").cost == 0
    assert solve("1 2 3/8 0 4/7 6 5", goal=[[1, 2, 3], [8, 0, 4], [7, 6, 5]]).cost == 0
    assert solve([1, 2, 3, 4, 5, 0], "bfs", size=(2, 3)).cost == 0
    assert solve("123406758", "astar", cost="tile").cost == 5 + 8
    assert solve("123406758", "astar", cost=[1] * 8).cost == 2
    assert solve(as_="ucr-list", method="manhattan").method.startswith("astar")
    assert solve("123456870").outcome == "unsolvable"
    with pytest.raises(taquin.Unsolvable):
        solve("123456870", raise_unsolvable=True)
    with pytest.raises(TypeError, match="unexpected keyword argument 'tmie'"):
        solve("123406758", tmie=5)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("keyword", "value", "kind"),
    [
        ("method", "astr", taquin.MethodError),
        ("as_", "nowhere", taquin.CourseError),
        ("goal", "middle", taquin.BoardError),
        ("time", "soon", taquin.OptionError),
        ("time", -1, taquin.OptionError),
        ("nodes", 1.5, taquin.OptionError),
        ("threads", 0, taquin.OptionError),
        ("jumps", "yes", taquin.OptionError),
        ("cost", "free", taquin.OptionError),
        ("size", "3y3", taquin.BoardError),
    ],
)
def test_a_wrong_option_is_named(keyword: str, value: object, kind: type[taquin.TaquinError]) -> None:
    with pytest.raises(kind) as caught:
        taquin.solve("123406758", **{keyword: value})  # type: ignore[arg-type]
    assert caught.value.field == keyword


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**63))
def test_random_boards_are_solvable_and_solved(seed: int) -> None:
    board = taquin.gen("3x3", seed=seed)
    assert board.is_solvable()
    assert board == taquin.gen("3x3", seed=seed)
    report = taquin.solve(board)
    assert report.optimal and board.slide(report.moves or "").is_solved()


def test_many_boards_in_their_order() -> None:
    boards = taquin.gen("3x3", count=50, seed=3)
    reports = taquin.solve_many(boards, "astar:linear", threads=3)
    assert [report.board for report in reports] == boards
    assert [report.cost for report in reports] == [taquin.solve(board).cost for board in boards]
    assert taquin.solve_many([]) == []
    each = [report.counts for report in taquin.solve_each(boards, "astar:linear", threads=3)]
    assert each == [report.counts for report in reports]


def test_reports_come_one_by_one() -> None:
    hard = "15 14 8 12/10 11 9 13/2 6 5 1/3 7 4 0"
    reports = taquin.solve_each(["1 2 3/4 0 6/7 5 8", hard], "ida:manhattan", goal="last", threads=1)
    # The second search takes minutes.
    assert next(reports).cost == 2
    del reports
    assert sum(1 for _ in taquin.solve_each("courses", "astar:manhattan")) == 8
    with pytest.raises(taquin.BoardError, match=r"boards\[1\]: tile 7"):
        taquin.solve_each(["123456780", "1 2 3/4 5 6/7 7 0"])
    with pytest.raises(taquin.BoardError, match=r"boards\[1\]: tile 7"):
        list(taquin.solve_each(["123456780", "1 2 3/4 5 6/7 7 0"], "astar", heuristic=lambda board: 0))


def test_a_trace_is_the_search_step_by_step() -> None:
    steps = taquin.trace("867254301", "astar:manhattan")
    kinds: dict[str, int] = {}
    for step in steps:
        kinds[step.event] = kinds.get(step.event, 0) + 1
        if step.event == "generate":
            assert step.verdict in ("kept", "cheaper", "duplicate", "reopened", "pruned")
            assert step.board is not None and step.move in ("U", "D", "L", "R")
    assert steps.report is not None
    assert kinds["expand"] == steps.report.counts.expanded
    assert kinds["generate"] == steps.report.counts.generated
    with pytest.raises(taquin.MethodError):
        taquin.trace("867254301", "layers")


@pytest.mark.parametrize("method", BOTH_ENDS)
def test_a_trace_has_both_searches_and_the_bound(method: str) -> None:
    steps = taquin.trace("867254301", method)
    events = [step.to_dict() for step in steps]
    assert {event["id"] % 2 for event in events if event["event"] == "expand"} == {0, 1}
    bounds = [event["bound"] for event in events if event["event"] == "bound"]
    assert steps.report is not None and steps.report.optimal
    assert bounds == sorted(bounds) and 0 < bounds[-1] <= (steps.report.cost or 0) == 31


def test_a_trace_can_be_left_early() -> None:
    before = threading.active_count()
    for _ in range(20):
        steps = taquin.trace(HARD15, "astar:manhattan", goal="first", memory="200M")
        assert next(steps).event in ("bound", "expand")
        del steps
    assert threading.active_count() == before


def test_threads_run_at_once() -> None:
    boards = taquin.gen("3x3", count=80, seed=5)
    expected = [taquin.solve(board, "astar:manhattan").counts.expanded for board in boards]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        reports = list(pool.map(lambda board: taquin.solve(board, "astar:manhattan"), boards))
    assert [report.counts.expanded for report in reports] == expected


def test_python_goes_on_during_a_search() -> None:
    beats = 0
    ended = threading.Event()

    def beat() -> None:
        nonlocal beats
        while not ended.wait(0.005):
            beats += 1

    thread = threading.Thread(target=beat)
    thread.start()
    taquin.solve(HARD15, "ida:manhattan", goal="first", time=0.5)
    ended.set()
    thread.join()
    assert beats > 20


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_processes(start: str) -> None:
    taquin.solve(HARD15, "ida:pdb=5-5-5", goal="first", nodes=10)
    context = multiprocessing.get_context(start)
    boards = taquin.gen("3x3", count=6, seed=1)
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        reports = list(pool.map(taquin.solve, boards))
    assert [report.cost for report in reports] == [taquin.solve(board).cost for board in boards]


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_ctrl_c_ends_a_search_with_what_is_known() -> None:
    # On a busy machine the search may take longer to end than it is waited for.
    for _ in range(5):
        threading.Timer(0.5, signal.raise_signal, [signal.SIGINT]).start()
        started = time.monotonic()
        with pytest.raises(KeyboardInterrupt) as caught:
            taquin.solve(HARD15, "ida:manhattan", goal="first", time=20)
        assert time.monotonic() - started < 5
        report: Report | None = getattr(caught.value, "report", None)
        if report:
            break
    assert report and report.reason == "cancelled" and (report.lower_bound or 0) > 0


def test_progress_is_reported_and_may_raise() -> None:
    class Enough(Exception):
        pass

    seen = []

    def show(*facts: object) -> None:
        seen.append(facts)
        if len(seen) == 2:
            raise Enough

    with pytest.raises(Enough):
        taquin._core.solve(HARD15, "ida:manhattan", {"goal": "first"}, None, show)
    assert len(seen) == 2


def test_memory_does_not_grow() -> None:
    resource = pytest.importorskip("resource")
    board = Board("123406758")

    def peak() -> int:
        used: int = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return used

    for _ in range(1_000):
        taquin.solve(board)
    before = peak()
    for _ in range(10_000):
        taquin.solve(board)
    assert peak() - before < 4_096


def test_a_damaged_table_is_a_warning(tmp_path: Path) -> None:
    program = f"import taquin; print(taquin.solve('{HARD15}', 'ida:pdb=5-5-5', goal='first', nodes=1).lower_bound)"
    environment = {**os.environ, "TAQUIN_CACHE": str(tmp_path)}
    command = [sys.executable, "-c", program]
    bound = subprocess.run(command, env=environment, check=True, capture_output=True).stdout
    for file in tmp_path.rglob("*.pdb"):
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 255
        file.write_bytes(data)
    again = subprocess.run(command, env=environment, check=True, capture_output=True)
    assert again.stdout == bound and b"UserWarning" in again.stderr


def test_a_killed_process_leaves_no_broken_table(tmp_path: Path) -> None:
    program = f"import taquin; taquin.solve('{HARD15}', 'ida:pdb=5-5-5', goal='first', nodes=1)"
    environment = {**os.environ, "TAQUIN_CACHE": str(tmp_path)}
    kills = 0
    for tables in (0, 1, 2):
        process = subprocess.Popen([sys.executable, "-c", program], env=environment)
        while process.poll() is None and len(list(tmp_path.rglob("*.pdb"))) < tables:
            time.sleep(0.001)
        process.kill()
        kills += process.wait() != 0
    assert kills > 1
    check = program.replace("nodes=1", "time=0.2")
    subprocess.run([sys.executable, "-c", check], env=environment, check=True)
