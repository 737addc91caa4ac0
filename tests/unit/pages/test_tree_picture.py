"""The picture of a tree and its page."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from support.sample_tree import TREE, leaf

from sdcdb.errors import SdcdbError
from sdcdb.pages.tree_picture import check_format, page, save, svg
from sdcdb.trees.c45 import grow
from sdcdb.trees.nodes import CategorySplit
from sdcdb.trees.table import Attribute, TrainingTable
from sdcdb.trees.tree import Tree


def texts(picture: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")]  # noqa: S314 - our own


def test_the_picture_holds_every_test_branch_and_leaf() -> None:
    shown = texts(svg(TREE))
    for text in ("age", "city", "<= 40", "> 40", "= A", "= B", "0: low, 6", "4: high, 9"):
        assert text in shown


def test_branches_without_records_are_drawn_as_one() -> None:
    values = tuple(f"v{n}" for n in range(20))
    children = tuple(leaf(n, 1, 0) if n < 3 else leaf(n, 0, 0) for n in range(20))
    root = CategorySplit(attribute="k", values=values, children=children, default=0)
    tree = Tree(target="risk", classes=("low", "high"), attributes=(Attribute("k", "category", values),), root=root)
    shown = texts(svg(tree))
    assert "17 values without records" in shown
    assert "= v3" not in shown


def test_names_with_odd_characters_are_drawn() -> None:
    table = TrainingTable.of({"<a & b>\x00": ["x<y", "z"] * 6, "class": ["p\ud800", "q"] * 6}, "class")
    assert any("<a & b>" in text for text in texts(svg(grow(table))))


@pytest.mark.parametrize("ending", ["svg", "png", "html", "txt"])
def test_every_format_is_written(tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"tree.{ending}"
    save(TREE, file)
    begin = {"svg": b"<svg", "png": b"\x89PNG", "html": b"<!DOCTYPE html>", "txt": b"risk: 5 leaves"}[ending]
    assert file.read_bytes().startswith(begin)


def test_the_page_holds_picture_and_rules() -> None:
    assert "<svg" in page(TREE)
    assert "leaf 0: age &lt;= 40 and city = A" in page(TREE)


def test_an_unknown_ending_or_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SdcdbError, match="allowed endings"):
        check_format(Path("tree.gif"))
    with pytest.raises(SdcdbError, match="create it first"):
        save(TREE, tmp_path / "nowhere" / "tree.svg")
