"""Heuristics and graphs of one's own."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest

import taquin
from taquin.search import Node, astar, bae, bfs, dijkstra, idastar, nbs, steps


def misplaced(board: taquin.Board) -> int:
    return sum(tile not in (0, cell + 1) for cell, tile in enumerate(board.tiles))


@taquin.batch
def misplaced_in_arrays(boards: Any) -> Any:
    flat = boards.reshape(len(boards), -1)
    return ((flat != numpy.arange(1, flat.shape[1] + 1)) & (flat != 0)).sum(axis=1)


@pytest.mark.parametrize("method", ["astar", "ida", "greedy", "wastar"])
@pytest.mark.parametrize("heuristic", [misplaced, misplaced_in_arrays])
def test_counts_are_those_of_the_same_heuristic_in_rust(method: str, heuristic: Any) -> None:
    board = taquin.gen("3x3", depth=14, seed=2)
    own = taquin.solve(board, method, heuristic=heuristic)
    rust = taquin.solve(board, f"{method}:misplaced")
    assert (own.moves, own.counts.expanded, own.counts.generated) == (
        rust.moves,
        rust.counts.expanded,
        rust.counts.generated,
    )
    assert own.method == f"{method}:{heuristic.__name__}()"


def test_an_own_heuristic_proves_nothing() -> None:
    board = taquin.gen("3x3", depth=20, seed=1)
    report = taquin.solve(board, "astar", heuristic=lambda board: 40)
    assert report.solved and not report.optimal
    assert (report.lower_bound or 0) <= 20


@pytest.mark.parametrize("heuristic", [misplaced, misplaced_in_arrays])
def test_an_audit_is_that_of_the_same_heuristic_in_rust(heuristic: Any) -> None:
    own, rust = taquin.audit(heuristic, "2x3"), taquin.audit("misplaced", "2x3")
    assert own.admissible and own.consistent and own.boards == 360
    assert own.to_dict() == rust.to_dict()


def test_a_counterexample() -> None:
    audit = taquin.audit(lambda board: 3 * misplaced(board), "2x3")
    assert not audit.admissible and audit.counterexample is not None
    assert 3 * misplaced(audit.counterexample) > (taquin.solve(audit.counterexample).cost or 0)


def test_an_exception_in_a_heuristic_is_the_exception_of_the_call() -> None:
    def broken(board: taquin.Board) -> int:
        raise LookupError("no idea")

    with pytest.raises(LookupError, match="no idea") as caught:
        taquin.solve("867254301", "astar", heuristic=broken)
    assert caught.value.report.reason == "cancelled"  # type: ignore[attr-defined]
    with pytest.raises(LookupError):
        taquin.audit(broken, "2x3")
    with pytest.raises(ValueError, match="not a cost"):
        taquin.solve("867254301", "astar", heuristic=lambda board: -1)
    with pytest.raises(taquin.MethodError):
        taquin.solve("867254301", "bfs", heuristic=misplaced)


def broken(board: taquin.Board) -> int:
    raise LookupError("no idea")


def wrong_tiles(board: taquin.Board) -> int:
    return misplaced(board)


@pytest.mark.parametrize("heuristic", [wrong_tiles, misplaced_in_arrays])
def test_own_heuristics_work_everywhere(heuristic: Any) -> None:
    boards = taquin.gen("3x3", count=3, depth=12, seed=2)
    expected = [taquin.solve(board, "astar:misplaced").counts.expanded for board in boards]
    own = taquin.solve_many(boards, "astar", heuristic=heuristic)
    assert [report.counts.expanded for report in own] == expected
    assert pickle.loads(pickle.dumps(own)) == own and own[0].method == f"astar:{heuristic.__name__}()"
    name = f"astar:{heuristic.__name__}()"
    comparison = taquin.compare(boards, ["astar:misplaced", heuristic, ("astar", heuristic), ("ida", heuristic)])
    rows = [row for row in comparison if row["name"] == name]
    assert [row["expanded"] for row in rows] == expected and {row["method"] for row in rows} == {name}
    assert {row["name"] for row in comparison} == {"astar:misplaced", name, f"{name} 2", f"ida:{heuristic.__name__}()"}
    assert {row["verdict"] for row in comparison} == {"optimal"}
    steps = taquin.trace(boards[0], "astar", heuristic=heuristic)
    rust = taquin.trace(boards[0], "astar:misplaced")
    assert [str(step) for step in steps] == [str(step) for step in rust]
    assert steps.report is not None and steps.report.method == name


def test_an_exception_in_a_heuristic_ends_whatever_called_it() -> None:
    with pytest.raises(LookupError, match="no idea"):
        taquin.compare(["867254301"], ["bfs", broken])
    with pytest.raises(LookupError, match="no idea"):
        taquin.solve_many(["867254301"], "astar", heuristic=broken)
    with pytest.raises(LookupError, match="no idea"):
        list(taquin.trace("867254301", "astar", heuristic=broken))
    refusals: list[Callable[[], object]] = [
        lambda: taquin.compare(["867254301"], [("bfs", misplaced)]),
        lambda: taquin.solve_many(["867254301"], "bfs", heuristic=misplaced),
        lambda: taquin.trace("867254301", "bfs", heuristic=misplaced),
    ]
    for refused in refusals:
        with pytest.raises(taquin.MethodError, match="bfs cannot use a heuristic"):
            refused()


def manhattan(board: taquin.Board) -> int:
    return 0


def test_experiments_keep_runs_with_own_heuristics(tmp_path: Path) -> None:
    store, boards = tmp_path / "own.sqlite", ["depth 3x3 12..13 n=2 seed=1"]
    methods: list[Any] = ["astar:misplaced", "astar:manhattan", misplaced, ("wastar,w=2", misplaced_in_arrays), manhattan]
    experiment = taquin.Experiment(store=store, instances=boards, methods=methods, nodes=100_000)
    records = experiment.run(2).records.to_dict()
    columns = {name: [row for row, each in enumerate(records["name"]) if each == name] for name in records["name"]}
    expanded = {name: [records["expanded"][row] for row in rows] for name, rows in columns.items()}
    assert [len(rows) for rows in columns.values()] == [4] * 5
    assert expanded["astar:misplaced()"] == expanded["astar:misplaced"]
    assert sum(expanded["astar:manhattan()"]) > sum(expanded["astar:manhattan"])
    assert "wastar:misplaced_in_arrays(),w=2" in expanded
    assert [records["method"][row] for row in columns["astar:misplaced()"]] == ["astar:misplaced()"] * 4
    assert "astar:misplaced()" in experiment.report(format="markdown")
    # Another process opens the store.
    again = pickle.loads(pickle.dumps(experiment))
    assert again.records.to_dict() == records and len(again.run().records) == 20


def test_experiments_repeat_runs_whose_heuristic_has_failed(tmp_path: Path) -> None:
    fails = [True]

    def sometimes(board: taquin.Board) -> int:
        if fails[0] and board == taquin.Board("123456780"):
            raise LookupError("no idea")
        return 0

    facts: dict[str, Any] = dict(store=tmp_path / "own.sqlite", instances=["board 123456708"])
    experiment = taquin.Experiment(**facts, methods=[sometimes])
    with pytest.raises(LookupError, match="no idea"):
        experiment.run()
    assert len(experiment.records) == 0
    with pytest.raises(taquin.OptionError, match=r"the runs of astar:sometimes\(\) need its function"):
        taquin.Experiment(facts["store"]).run()
    fails[0] = False
    assert experiment.run().records.to_dict()["cost"] == [1]
    with pytest.raises(taquin.OptionError, match="there are two of astar:sometimes"):
        taquin.Experiment(**facts, methods=[sometimes, sometimes])
    with pytest.raises(taquin.MethodError, match="bfs cannot use a heuristic"):
        taquin.Experiment(**facts, methods=[("bfs", sometimes)])


@pytest.mark.parametrize("order", [1, -1])
def test_states_are_told_apart_as_in_a_set(order: int) -> None:
    start: Any = "start"
    states: list[Any] = [0, 2**61 - 1, 1, True, 1.0, -1, -2, -2.0, 5, 5.0, 40_000.0, 40_000, 2**31, 2**64, 2.0**64, "1", (1, 2), (1.0, 2)][::order]
    for search in (bfs, lambda *graph: dijkstra(graph[0], lambda state: [(next, 1) for next in graph[1](state)], graph[2])):
        found = search(start, lambda state: states, "nowhere")
        assert found.unreachable and found.counts.expanded == len({start, *states})


def test_a_trace_with_an_own_heuristic_can_be_left_early() -> None:
    steps = taquin.trace("15 14 8 12/10 11 9 13/2 6 5 1/3 7 4 0", "astar", heuristic=misplaced, goal="first")
    assert next(steps).event in ("bound", "expand")
    del steps


def test_progress_of_own_heuristics_and_checkpoints(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[taquin.types.Progress] = []
    hard = "15 14 8 12/10 11 9 13/2 6 5 1/3 7 4 0"
    taquin.solve(hard, "ida", heuristic=misplaced, goal="first", time=0.7, progress=seen.append)
    assert seen and seen[-1].done > 0 and seen[-1].total is None and "expanded" in seen[-1].text
    seen.clear()
    taquin.solve(hard, "ida:manhattan", goal="first", time=0.7, checkpoint=tmp_path / "kept", progress=seen.append)
    assert seen
    seen.clear()
    taquin.solve_many([hard] * 2, "ida", heuristic=misplaced, goal="first", nodes=10, progress=seen.append)
    assert [(each.done, each.total) for each in seen] == [(1, 2), (2, 2)]
    seen.clear()
    slow = time.monotonic()
    while not seen:  # An audit that takes less time than the next progress shows none.
        taquin.audit(misplaced, "3x3", nodes=200_000, progress=seen.append)
        assert time.monotonic() < slow + 60
    assert all((each.total, each.text[-7:]) == (181_440, " boards") for each in seen)
    assert capsys.readouterr().err == ""


def test_a_search_of_a_graph_step_by_step() -> None:
    def near(n: int) -> list[tuple[int, int]]:
        return [(n + 1, 1), (2 * n, 1)]

    arguments = (1, near, lambda n: 0 if n == 40 else 1, 40)
    whole = astar(*arguments)
    search = steps(astar, *arguments)
    nodes = []
    while True:
        try:
            nodes.append(next(search))
        except StopIteration as end:
            assert end.value == whole
            break
    assert len(nodes) == whole.counts.expanded
    assert nodes[0] == Node(1, 0, 1) and [node.g for node in nodes] == sorted(node.g for node in nodes)
    watched: list[tuple[int, int, int]] = []
    dijkstra(1, near, 40, watch=lambda *node: watched.append(node))
    assert [g for _, g, _ in watched] == sorted(g for _, g, _ in watched) and {h for *_, h in watched} == {0}
    path = [(node.g, node.h) for node in steps(idastar, 1, near, lambda n: 0 if n == 40 else 1, 40)]
    assert len(path) == idastar(*arguments).counts.expanded
    assert path.count((0, 1)) > 1 and max(g for g, _ in path) == (whole.cost or 0) - 1
    left = steps(dijkstra, 0, lambda n: [(n + 1, 1)], -1)  # It has no end.
    assert [next(left).state for _ in range(3)] == [0, 1, 2]
    left.close()
    with pytest.raises(ZeroDivisionError):
        list(steps(bfs, 0, lambda n: [1 // n], 9))
    with pytest.raises(LookupError, match="no idea"):
        dijkstra(1, near, 40, watch=lambda *_: broken(taquin.Board("123456780")))


@pytest.mark.parametrize("search", [bae, nbs])
def test_a_search_from_both_ends_step_by_step(search: Any) -> None:
    def ring(n: int) -> list[tuple[int, int]]:
        return [((n + 7) % 100, 2), ((n - 7) % 100, 2)]

    nodes = list(steps(search, 1, ring, 50))
    assert len(nodes) == search(1, ring, 50).counts.expanded
    firsts = {node.from_goal: node.state for node in reversed(nodes)}
    assert firsts == {False: 1, True: 50} and sum(node.g == 0 for node in nodes) == 2
    with pytest.raises(LookupError, match="no idea"):
        search(1, ring, 50, watch=lambda *_: broken(taquin.Board("123456780")))


def roads(town: str) -> list[tuple[str, int]]:
    return {"Basel": [("Bern", 100), ("Sion", 290)], "Bern": [("Sion", 150)], "Sion": []}[town]


def test_searching_any_graph() -> None:
    found = dijkstra("Basel", roads, "Sion")
    assert (found.path, found.cost, found.optimal) == (["Basel", "Bern", "Sion"], 250, True)
    assert bfs(1, lambda n: [2 * n, n + 3], lambda n: n == 10).path == [1, 2, 5, 10]
    assert dijkstra("Sion", roads, "Basel").unreachable
    stopped = bfs(0, lambda n: [n + 1], -1, nodes=100)
    assert stopped.stopped == "expanded" and stopped.counts.expanded == 100


@pytest.mark.parametrize("search", [astar, idastar])
def test_searching_boards_as_a_graph(search: Any) -> None:
    board = taquin.gen("3x3", depth=12, seed=4)
    goal = taquin.Board("123456780")

    def distance(board: taquin.Board) -> int:
        return sum(
            abs(cell // 3 - (tile - 1) // 3) + abs(cell % 3 - (tile - 1) % 3)
            for cell, tile in enumerate(board.tiles)
            if tile
        )

    found = search(board, lambda at: [(near, 1) for near in at.neighbors()], distance, goal, admissible=True)
    assert (found.cost, found.optimal) == (12, True)
    assert found.path[0] == board and found.path[-1] == goal


def test_errors_of_functions_and_states() -> None:
    with pytest.raises(ZeroDivisionError):
        bfs(1, lambda n: [1 // 0], 5)
    with pytest.raises(TypeError, match="pairs"):
        dijkstra(1, lambda n: [n + 1], 5)
    with pytest.raises(TypeError, match="unhashable"):
        bfs([1], lambda n: [n], [2])  # type: ignore[type-var]


@pytest.mark.parametrize("search", [bae, nbs])
def test_searching_from_both_ends(search: Any) -> None:
    goal = taquin.Board("123456780")

    def distance(a: taquin.Board, b: taquin.Board) -> int:
        homes = {tile: divmod(cell, 3) for cell, tile in enumerate(b.tiles)}
        places = ((homes[tile], divmod(cell, 3)) for cell, tile in enumerate(a.tiles) if tile)
        return sum(abs(row - y) + abs(col - x) for (row, col), (y, x) in places)

    for start in taquin.gen("3x3", depth=16, count=3, seed=4):
        found = search(
            start,
            lambda at: [(near, 1) for near in at.neighbors()],
            goal,
            to_goal=lambda at: distance(at, goal),
            from_start=lambda at: distance(at, start),
            consistent=True,
        )
        assert (found.cost, found.optimal, found.lower_bound) == (16, True, 16)
        assert found.path[0] == start and found.path[-1] == goal
        assert all(b in a.neighbors() for a, b in zip(found.path, found.path[1:]))


@pytest.mark.parametrize("search", [bae, nbs])
def test_both_ends_agree_with_dijkstra_on_random_graphs(search: Any) -> None:
    random = numpy.random.default_rng(5)
    for _ in range(60):
        edges = [(int(a), int(b), int(c)) for a, b, c in random.integers(0, (12, 12, 6), (20, 3))]
        after = {n: [(b, c) for a, b, c in edges if a == n] for n in range(12)}
        before = {n: [(a, c) for a, b, c in edges if b == n] for n in range(12)}
        truth = dijkstra(0, after.__getitem__, 11)
        found = search(0, after.__getitem__, 11, predecessors=before.__getitem__)
        assert (found.cost, found.unreachable) == (truth.cost, truth.unreachable)
        assert found.optimal == truth.optimal


@pytest.mark.parametrize("search", [bae, nbs])
def test_errors_from_both_ends(search: Any) -> None:
    def broken(n: int) -> list[tuple[int, int]]:
        raise LookupError("no map")

    for options in [{}, {"predecessors": broken}]:
        with pytest.raises(LookupError, match="no map") as caught:
            search(0, broken if not options else lambda n: [(n + 1, 1)], -1, **options)
        assert caught.value.found.stopped == "cancelled"  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match="predecessors is a function"):
        search(0, lambda n: [], 1, predecessors=5)
    guess = search(0, lambda n: [(n + 1, 1), (n - 1, 1)], 5, to_goal=lambda n: abs(5 - n))
    assert guess.cost == 5 and not guess.optimal and guess.lower_bound == 0
    assert search(0, lambda n: [(n + 1, 1), (n - 1, 1)], 5, to_goal=lambda n: float("inf")).unreachable
    assert search(0, lambda n: [(n + 1, 1), (n - 1, 1)], 500, nodes=10).stopped == "expanded"


def test_costs_in_other_units() -> None:
    networkx = pytest.importorskip("networkx")
    random = numpy.random.default_rng(11)
    for _ in range(40):
        edges = [(int(a), int(b)) for a, b in random.integers(0, 12, (30, 2))]
        costs = {edge: round(float(cost), 2) for edge, cost in zip(edges, random.uniform(0, 9, 30))}
        graph = networkx.DiGraph()
        graph.add_weighted_edges_from([(a, b, cost) for (a, b), cost in costs.items()])
        graph.add_nodes_from(range(12))

        def successors(n: int) -> list[tuple[int, float]]:
            return [(b, cost) for (a, b), cost in costs.items() if a == n]

        def predecessors(n: int) -> list[tuple[int, float]]:
            return [(a, cost) for (a, b), cost in costs.items() if b == n]

        try:
            truth = round(networkx.dijkstra_path_length(graph, 0, 11) * 100)
        except networkx.NetworkXNoPath:
            truth = None
        left = {n: float("inf") for n in range(12)} | networkx.single_source_dijkstra_path_length(graph.reverse(), 11)
        for found in [
            dijkstra(0, successors, 11, unit=0.01),
            astar(0, successors, left.__getitem__, 11, unit=0.01, admissible=True),
            idastar(0, successors, left.__getitem__, 11, unit=0.01, admissible=True),
            bae(0, successors, 11, predecessors=predecessors, unit=0.01),
        ]:
            assert found.cost == truth and found.unreachable == (truth is None)
            assert found.optimal == (truth is not None)


def test_large_costs_and_wrong_units() -> None:
    def far(n: int) -> list[tuple[int, float]]:
        return [(n + 1, 3_000_000_000)]

    assert dijkstra(0, far, 4).stopped == "cost"
    assert dijkstra(0, far, 4, unit=1000).cost == 12_000_000
    # Costs that are no multiples of the unit are rounded up.
    assert dijkstra(0, lambda n: [(n + 1, 0.25)], 3, unit=0.1).cost == 9
    for unit in [0, -1, float("nan"), float("inf")]:
        with pytest.raises(ValueError, match="unit is a number above 0"):
            dijkstra(0, far, 4, unit=unit)
    with pytest.raises(ValueError, match="choose a unit"):
        dijkstra(0, lambda n: [(n + 1, 0.5)], 3)
