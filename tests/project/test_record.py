"""Records are what dataclasses would be, but for what they cost."""

import copy
import subprocess
import sys
from functools import cached_property

import pytest

from vllmctl.record import Record, field, names, replace


class Place(Record, frozen=True):
    name: str
    depth: int = 0
    said: object = print


class Hole(Place, frozen=True):
    full: bool = False


class Bag(Record):
    owner: str
    things: list[str] = field(factory=list)


class Key(Record, hidden=("value",)):
    source: str
    value: str = "abc"


class Square(Record):
    side: int

    @cached_property
    def area(self) -> int:
        return self.side**2


class Own(Record, eq=False):
    name: str


def test_values_are_given_by_place_and_by_name() -> None:
    assert Place("here", depth=2).depth == 2
    assert Place("here").said is print  # and no method of it
    hole = Hole("there", 1, full=True)
    assert (hole.name, hole.depth, hole.full) == ("there", 1, True)


@pytest.mark.parametrize("values", [{}, {"name": "here", "width": 1}])
def test_values_that_are_missing_or_unknown_are_refused(values: dict) -> None:
    with pytest.raises(TypeError, match=r"Place\('name', 'depth', 'said'\) cannot be made of"):
        Place(**values)


def test_too_many_values_are_refused() -> None:
    with pytest.raises(TypeError, match="Own"):
        Own(*"ab")


def test_each_object_gets_a_default_of_its_own() -> None:
    one, other = Bag("a"), Bag("b")
    one.things.append("key")
    assert other.things == []
    assert Bag("c", ["pen"]).things == ["pen"]


def test_equal_values_make_equal_records_of_one_class() -> None:
    assert Place("here") == Place("here") != Place("there")
    assert Place("here") != Hole("here")
    assert Bag("a") == Bag("a")
    assert Own("a") != Own("a")


def test_frozen_records_never_change_and_have_a_hash() -> None:
    assert {Place("here"), Place("here")} == {Place("here")}
    with pytest.raises(AttributeError, match=r"Place\.name never changes"):
        setattr(Place("here"), "name", "there")  # noqa: B010
    with pytest.raises(TypeError, match="unhashable"):
        hash(Bag("a"))


def test_a_record_is_copied_and_replaced_in_part() -> None:
    here = Hole("here", 1)
    assert replace(here, full=True) == Hole("here", 1, full=True)
    assert copy.deepcopy(here) == here
    with pytest.raises(TypeError):
        replace(here, width=2)
    assert Square(2).area == 4
    square = Square(3)
    assert (square.area, replace(square, side=2).area) == (9, 4)


def test_a_record_shows_its_values() -> None:
    assert repr(Bag("a")) == "Bag(owner='a', things=[])"
    assert names(Bag) == ("owner", "things")


def test_a_record_hides_its_secrets() -> None:
    assert repr(Key("a file")) == "Key(source='a file')"


def test_a_record_is_matched_by_place() -> None:
    match Hole("here", 1):
        case Hole(name, depth):
            assert (name, depth) == ("here", 1)


def test_records_do_without_the_machinery_of_dataclasses() -> None:
    code = "import sys, vllmctl.record; sys.exit('inspect' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
