"""Boards: every way to write one, and what they can do."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

import taquin
from taquin import Board

TILES = [8, 6, 7, 2, 5, 4, 3, 0, 1]
ROWS = [[8, 6, 7], [2, 5, 4], [3, 0, 1]]


@pytest.mark.parametrize(
    "written",
    ["867254301", "8 6 7/2 5 4/3 0 1", TILES, tuple(TILES), ROWS, numpy.array(ROWS), Board(ROWS)],
)
def test_every_way_to_write_a_board(written: Any) -> None:
    board = Board(written)
    assert list(board.tiles) == TILES
    assert board.rows == ROWS
    assert board.size == (3, 3)
    assert board.blanks == [7]
    assert len(board) == 9


@given(st.permutations(range(12)))
def test_a_board_survives_repr_pickle_copy_and_arrays(tiles: list[int]) -> None:
    board = Board(tiles, "3x4")
    assert eval(repr(board)) == board
    assert pickle.loads(pickle.dumps(board)) == board
    assert copy.copy(board) == copy.deepcopy(board) == board
    assert hash(Board(tiles, (3, 4))) == hash(board)
    assert numpy.asarray(board).tolist() == board.rows
    assert (numpy.array(board) - numpy.array(board[board.moves()[0]])).min() < 0
    assert tuple(board) == board.tiles and 11 in board and 12 not in board
    assert Board(numpy.asarray(board)) == board


@given(st.permutations(range(9)), st.text("UDLR", max_size=20))
def test_moves_can_be_undone(tiles: list[int], wanted: str) -> None:
    start = board = Board(tiles)
    back = {"U": "D", "D": "U", "L": "R", "R": "L"}
    made = ""
    for move in wanted:
        if move in board.moves():
            board = board[move]
            made += move
    assert start.slide(made) == board
    assert board.slide("".join(back[move] for move in reversed(made))) == start


def test_neighbors_are_the_boards_of_the_moves() -> None:
    board = Board(ROWS)
    assert board.moves() == ["U", "L", "R"]
    assert board.neighbors() == [board[move] for move in board.moves()]
    assert all(board in near.neighbors() for near in board.neighbors())


def test_several_blanks_name_the_tile() -> None:
    board = Board("1 2 0/3 4 0")
    assert board.blanks == [2, 5]
    assert {move[0] for move in board.moves()} <= set("1234")
    assert board[board.moves()[0]] in board.neighbors()


def test_an_impossible_move_names_the_possible_ones() -> None:
    with pytest.raises(KeyError, match="U, L, R"):
        Board(ROWS)["D"]
    with pytest.raises(TypeError, match="indexed by a move"):
        Board(ROWS)[0]  # type: ignore[index]
    with pytest.raises(taquin.BoardError):
        Board(ROWS).slide("DDD")


@given(st.permutations(range(9)))
def test_solvable_is_what_parity_says(tiles: list[int]) -> None:
    numbers = [tile for tile in tiles if tile]
    inversions = sum(a > b for i, a in enumerate(numbers) for b in numbers[i + 1 :])
    board = Board(tiles)
    assert board.is_solvable() == (inversions % 2 == 0)
    assert bool(board.explain()) == board.is_solvable()


def test_errors_have_the_field_the_place_and_a_remedy() -> None:
    with pytest.raises(taquin.BoardError) as caught:
        Board("1 2 3\n4 5 6\n7 7 0")
    assert caught.value.field == "board"
    assert caught.value.place is not None
    with pytest.raises(taquin.BoardError):
        Board([1, 2, 3, 4, 5, 6, 7, 8])
    with pytest.raises(TypeError):
        Board(3.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        Board(["a", "b"])  # type: ignore[arg-type]
    with pytest.raises(taquin.BoardError):
        Board([1] * 9)
    error = pickle.loads(pickle.dumps(caught.value))
    assert (error.field, error.place, str(error)) == (
        caught.value.field,
        caught.value.place,
        str(caught.value),
    )


@given(st.text(max_size=60))
def test_any_text_is_a_board_or_an_error(text: str) -> None:
    try:
        Board(text)
    except taquin.BoardError as error:
        assert str(error)


def test_a_board_is_a_picture_and_a_text() -> None:
    board = Board(ROWS)
    assert board._repr_svg_().startswith("<svg")
    assert board.text("nested") == "[[8,6,7],[2,5,4],[3,0,1]]"
    assert board.text("slashes", "_") == "8 6 7/2 5 4/3 _ 1"
    with pytest.raises(taquin.OptionError):
        board.text("roman")
