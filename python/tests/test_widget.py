"""The widgets, from the side of Python."""

from __future__ import annotations

import pytest

import taquin

widget = pytest.importorskip("taquin.widget")


def test_playing() -> None:
    play = widget.Play("1 2 3/4 0 6/7 5 8")
    play._answer(None, {"ask": "hint"}, None)
    assert play.message == "move 5; exactly 2 moves are left"
    play._answer(None, {"ask": "tile", "y": 2, "x": 1}, None)
    assert play.message == "1 move"
    play._answer(None, {"ask": "tile", "y": 0, "x": 0}, None)
    assert play.message == "1 move"
    play._answer(None, {"ask": "tile", "y": 2, "x": 2}, None)
    assert play.message == "2 moves: solved" and play.board.is_solved()
    play._answer(None, {"ask": "undo"}, None)
    assert play.message == "1 move" and play.rows == play.board.rows
    play._answer(None, {"ask": "reset"}, None)
    assert play.board == taquin.Board("1 2 3/4 0 6/7 5 8")


def test_steps_and_races() -> None:
    assert len(widget.Steps("1 2 3/4 0 6/7 5 8").steps) == 3
    assert len(widget.Steps("867254301", "bfs", most=50).steps) == 50
    own = widget.Steps("1 2 3/4 0 6/7 5 8", "astar", heuristic=lambda board: 0)
    assert len(own.steps) > 3
    assert widget.Race("123406758", ["bfs", len]).results[1]["method"] == "astar:len()"
    race = widget.Race("867254301", ["astar:misplaced", "astar:manhattan"])
    assert race.results[0]["expanded"] > race.results[1]["expanded"]
