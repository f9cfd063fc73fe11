"""Whole spaces, matches, comparisons, experiments, tables."""

from __future__ import annotations

import os
import signal
import threading
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow
import pytest

import taquin

PLAN = """
title = "small"
instances = ["courses"]
methods = ["ucs", "astar:manhattan"]
"""


def test_whole_spaces() -> None:
    space = taquin.enumerate("3x3")
    assert sum(space.depths) == space.states == 181_440
    assert (space.max_depth, space.depths[-1], len(space.farthest)) == (31, 2, 2)
    assert all(taquin.solve(board).cost == 31 for board in space.farthest)
    with pytest.raises(taquin.TaquinError):
        taquin.enumerate("4x4", memory="1M")


def test_an_enumeration_is_kept_and_continued(tmp_path: Path) -> None:
    plain = taquin.enumerate("2x5")
    file = tmp_path / "saved"

    def interrupt() -> None:
        while not file.exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        taquin.enumerate("3x4", metric="single", blanks=2, checkpoint=file, checkpoint_every=0.01)
    assert file.exists()
    with pytest.raises(taquin.OptionError, match="exists"):
        taquin.enumerate("3x4", checkpoint=file)
    assert taquin.enumerate("2x5", checkpoint=tmp_path / "other") == plain
    assert taquin.enumerate("2x5", disk=tmp_path / "disk", memory="4M") == plain
    file.write_bytes(b"damaged")
    wrongs: list[dict[str, Any]] = [{"resume": file}, {"resume": tmp_path / "nowhere"}, {"size": "3x3", "resume": file}, {}]
    for wrong in wrongs:
        with pytest.raises(taquin.TaquinError):
            taquin.enumerate(**wrong)


def test_gen() -> None:
    assert [taquin.solve(board).cost for board in taquin.gen("3x3", count=3, depth=17, seed=1)] == [17] * 3
    assert taquin.gen("2x5", blanks=2, seed=1).blanks.__len__() == 2
    with pytest.raises(taquin.TaquinError):
        taquin.gen("3x3", depth=32)
    with pytest.raises(taquin.OptionError):
        taquin.gen("3x3", depth=3, walk=3)


def test_instances() -> None:
    korf = taquin.instances("korf100")
    assert len(korf) == 100 and korf[0].optimum == 57
    assert korf[0].board.is_solvable(korf[0].goal)
    with pytest.raises(taquin.OptionError):
        taquin.instances("korf101")


def test_a_space_is_a_graph() -> None:
    space = taquin.enumerate("2x3")
    graph = space.to_networkx()
    assert (graph.number_of_nodes(), graph.number_of_edges()) == (360, 420)
    depths = [0] * len(space.depths)
    for _, depth in graph.nodes(data="depth"):
        depths[depth] += 1
    assert depths == space.depths
    with pytest.raises(taquin.OptionError):
        space.to_networkx(100)


def test_match() -> None:
    matches = taquin.match("072461358", expanded=1757, queue=967)
    assert matches.complete and matches.found


def test_compare_as_table_and_picture() -> None:
    comparison = taquin.compare(taquin.gen("3x3", count=3, seed=1), ["ucs", "astar:manhattan"])
    assert comparison.complete and len(comparison.rows) == 6
    frame = polars.DataFrame(comparison)
    assert frame["expanded"].to_list() == comparison.to_dict()["expanded"]
    assert pyarrow.table(comparison).num_rows == 6
    assert comparison.plot()._repr_svg_().startswith("<svg")
    assert "<table>" in comparison._repr_html_()


def test_tables_have_types() -> None:
    table = pyarrow.table(taquin.enumerate("2x3"))
    assert [str(field.type) for field in table.schema] == ["int64", "int64"]
    assert sum(table["boards"].to_pylist()) == 360
    assert polars.DataFrame(taquin.audit("manhattan", "2x3"))["mean"].dtype == polars.Float64


def test_schemas_do_not_depend_on_the_data() -> None:
    boards = ["8 6 7/2 5 4/3 0 1", "1 2 3/4 0 6/7 5 8"]
    some = [taquin.compare(boards, ["astar:manhattan"]), taquin.compare(boards, ["ucs"], nodes=1)]
    assert len({tuple(polars.DataFrame(one).schema.items()) for one in some}) == 1
    assert polars.concat([one.to_polars() for one in some]).height == 4
    for table in [*some, taquin.enumerate("2x2"), taquin.audit("manhattan", "2x2"), taquin.table(taquin.solve_many(boards))]:
        frame = pandas.DataFrame(table)
        assert list(frame.columns) == list(table.to_dict()) == polars.DataFrame(table).columns
        assert len(frame) == len(table) == table.to_pandas().shape[0] == len(list(table))
        assert len(repr(table)) < 100 and type(table).__name__ in repr(table)
    empty = taquin.table([])
    full = taquin.table(taquin.solve_many(boards))
    assert len(empty) == 0 and list(empty) == [] and empty.to_polars().schema == full.to_polars().schema
    assert list(empty.to_pandas().columns) == list(empty.to_dict()) and str(empty.to_pandas()["cost"].dtype) == "Int64"


def test_tables_of_searches_share_their_columns(tmp_path: Path) -> None:
    boards = ["8 6 7/2 5 4/3 0 1"]
    shared = taquin.table(taquin.solve_many(boards, "astar:manhattan")).to_dict()
    comparison = taquin.compare(boards, ["astar:manhattan"]).to_dict()
    experiment = taquin.Experiment(store=tmp_path / "e.sqlite", instances=["board 8 6 7/2 5 4/3 0 1"], methods=["astar:manhattan"])
    before = experiment.records
    assert len(before) == 0 and before.to_polars().height == 0
    records = experiment.run().records.to_dict()
    assert set(shared) <= set(comparison) and set(shared) <= set(records)
    for name in set(shared) - {"seconds", "memory_peak"}:
        assert shared[name] == comparison[name] == records[name], name
    assert {"label", "optimum", "name"} <= set(comparison) & set(records)
    assert experiment.records.to_polars().schema == before.to_polars().schema


def test_errors_in_lists_name_the_board(tmp_path: Path) -> None:
    good = "1 2 3/4 0 6/7 5 8"
    with pytest.raises(taquin.BoardError, match=r"boards\[1\]: tile 7") as caught:
        taquin.compare([good, "1 2 3/4 5 6/7 7 0"], ["bfs"])
    assert (caught.value.field, caught.value.index) == ("board", 1)
    with pytest.raises(taquin.BoardError, match=r"boards\[2\]: tile 7"):
        taquin.solve_many([good, good, "1 2 3/4 5 6/7 7 0"])
    with pytest.raises(TypeError, match=r"boards\[2\]: "):
        taquin.compare([good, good, 5], ["bfs"])  # type: ignore[list-item]
    with pytest.raises(taquin.OptionError, match="one board, not a list"):
        taquin.compare(taquin.Board(good))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="while processing 'method'"):
        taquin.solve(good, 5)  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError) as missing:
        taquin.solve(good).animate(tmp_path / "no" / "x.svg")
    assert missing.value.filename == str(tmp_path / "no" / "x.svg") and missing.value.errno == 2
    for wrong in (lambda file: taquin.solve(resume=file), taquin.Experiment):
        absent = tmp_path / "typo.sqlite"
        with pytest.raises(FileNotFoundError) as missing:
            wrong(absent)
        assert missing.value.filename == str(absent) and missing.value.errno == 2 and not absent.exists()


def test_names_that_can_be_asked_for() -> None:
    assert "ucr-list" in taquin.courses() and all(taquin.courses().values())
    for name in taquin.courses():
        taquin.compare(["1 2 3/4 0 6/7 5 8"], as_=name, nodes=10)
    for text in taquin.instances():
        if not text.startswith("file"):
            assert taquin.instances(text)


def test_a_plan_takes_times_as_searches_do(tmp_path: Path) -> None:
    limits: list[taquin.types.Time] = [1.5, "1500ms", timedelta(seconds=1.5)]
    for number, limit in enumerate(limits):
        experiment = taquin.Experiment(store=tmp_path / f"{number}.sqlite", instances=["courses"], methods=["ucs"], time=limit)
        assert set(experiment.run().records.to_dict()["limit_seconds"]) == {1.5}


def test_experiment(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN)
    experiment = taquin.Experiment(plan).run(2)
    assert len(experiment.records) == 16
    assert polars.DataFrame(experiment.records).height == 16
    assert len(taquin.Experiment(tmp_path / "plan.sqlite").run().records) == 16
    assert "<html" in experiment.report() and experiment.charts()
    assert len(experiment.state["methods"]) == 2
    plan.write_text("instances = 3\nmethods = ['astr']\n")
    with pytest.raises(taquin.PlanError) as caught:
        taquin.Experiment(plan)
    assert caught.value.place == (1, 13)


def test_methods() -> None:
    listed = taquin.methods()
    assert "astar" in [algorithm["name"] for algorithm in listed["algorithms"]]
