"""The content of a path is told by its form and by few lines; never a key, and never what another closes."""

from __future__ import annotations

import struct
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.node.tree import V2, LiveTree, Tree
from unstuck.collect.node.contents import of_file, of_line
from unstuck.collect.node.file_forms import find_expected_size, find_form, find_processor
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.node_files import PathContent
from unstuck.facts.core import Ref

NOW = datetime(2026, 11, 29, 7, 0, tzinfo=UTC)
ELF = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHI", 2, 183, 1) + bytes(16)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    made = Tree(tmp_path)
    made.node(V2)
    return made


def read(tree: Tree, path: str, number: int = 0) -> PathContent | None:
    view = NodeView(LiveTree(str(tree.root)), NOW)
    if number:
        return of_line(view, Ref("FileLine", "n", f"{path}:{number}"))
    return of_file(view, Ref("File", "n", path))


def test_the_marks_of_a_merge_and_the_line(tree: Tree) -> None:
    tree.write("/opt/mill/levels.conf", "# own\n<<<<<<< HEAD\na = 1\n=======\na = 2\n>>>>>>> spring\n")
    found = read(tree, "/opt/mill/levels.conf", 3)
    assert found is not None and found.line is not None
    assert found.line.text == "a = 1"
    assert [(m.number, m.text) for m in found.marks] == [
        (2, "<<<<<<< HEAD"),
        (4, "======="),
        (6, ">>>>>>> spring"),
    ]
    assert found.lines == 6


def test_one_row_of_signs_is_no_merge(tree: Tree) -> None:
    tree.write("/opt/mill/readme.txt", "Title\n=======\ntext\n")
    found = read(tree, "/opt/mill/readme.txt")
    assert found is not None and found.marks == ()


def test_the_first_line_that_is_no_utf_8(tree: Tree) -> None:
    tree.write("/opt/mill/names.csv", b"1;Oslo\n2;Gj\xf8vik\n3;Bod\xf8\n")
    found = read(tree, "/opt/mill/names.csv")
    assert found is not None and found.foreign is not None
    assert (found.form, found.foreign.number, found.foreign.text) == ("foreign text", 2, "2;Gj\\xf8vik")


def test_an_asked_line_beyond_the_end(tree: Tree) -> None:
    tree.write("/opt/mill/levels.conf", "one\ntwo\n")
    found = read(tree, "/opt/mill/levels.conf", 9)
    assert found is not None and found.line is None and found.lines == 2


def test_a_directory_by_its_names(tree: Tree) -> None:
    tree.write("/opt/mill/b.conf", "x\n")
    tree.write("/opt/mill/a/inner", "x\n")
    found = read(tree, "/opt/mill")
    assert found is not None
    assert (found.names, found.count) == (("a/", "b.conf"), 2)


def test_the_name_beside_an_empty_directory(tree: Tree) -> None:
    (tree.root / "opt/Grain").mkdir(parents=True)
    tree.write("/opt/grain/x", "x\n")
    found = read(tree, "/opt/Grain")
    assert found is not None
    assert (found.count, found.beside[:1]) == (0, ("grain",))


def test_a_value_of_one_line(tree: Tree) -> None:
    tree.write("/etc/site-id", "5d1c0f7e9a3b4c52b8e61f0a77d3c9e1\n")
    found = read(tree, "/etc/site-id")
    assert found is not None and found.value == "5d1c0f7e9a3b4c52b8e61f0a77d3c9e1"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("/opt/mill/api.key", "hunter2\n"),
        ("/opt/mill/db-password", "hunter2\n"),
        ("/opt/mill/plain", "hunter2hunter2hunter2\n"),
        ("/opt/mill/app.conf", "password=hunter2\n"),
    ],
)
def test_a_secret_is_no_value(tree: Tree, path: str, text: str) -> None:
    tree.write(path, text)
    assert "hunter2" not in str(read(tree, path))
    assert "hunter2" not in str(read(tree, path, 1))


@pytest.mark.parametrize(
    "path", ["/etc/shadow", "/etc/kubernetes/pki/ca.crt", "/root/.ssh/known_hosts", "/opt/../etc/hosts"]
)
def test_what_is_closed(tree: Tree, path: str) -> None:
    tree.write("/etc/hosts", "127.0.0.1 localhost\n")
    if ".." not in path:
        tree.write(path, "text\n")
    assert read(tree, path) is None


def test_a_link_to_what_is_closed(tree: Tree) -> None:
    tree.write("/etc/shadow", "root:x\n")
    tree.write("/opt/mill/x", "x\n")
    (tree.root / "opt/mill/users").symlink_to("/etc/shadow")
    assert read(tree, "/opt/mill/users") is None


@pytest.mark.parametrize(
    ("data", "form"),
    [
        (b"\x1f\x8b\x08rest", "gzip"),
        (b"<!DOCTYPE html>\n<html></html>", "HTML"),
        (b"  <html><head>", "HTML"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\n", "pointer of git-lfs"),
        (b"\0" * 4096, "zeros"),
        (b"a = 1\n", "text"),
        (b"a\xe9 = 1\n", "foreign text"),
        (b"\xff\xfea\0b\0", "UTF-16 text"),
        (b"abc\0def", "binary"),
        (ELF, "ELF"),
        (bytes(257) + b"ustar", "tar"),
    ],
)
def test_forms(data: bytes, form: str) -> None:
    assert find_form(data) == form


def test_the_processor_of_a_program() -> None:
    data = ELF + bytes(64)
    assert find_processor(data) == "arm64"
    assert find_processor(data[:18] + struct.pack("<H", 62) + data[20:]) == "amd64"
    assert find_processor(b"\x7fELF") == ""


def test_the_size_that_a_header_wants() -> None:
    head = b'{"w":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}}'
    tensors = struct.pack("<Q", len(head)) + head
    assert find_form(tensors) == "safetensors"
    assert find_expected_size(tensors, "safetensors", len(tensors)) == len(tensors) + 16
    assert find_expected_size(tensors + bytes(16), "safetensors", len(tensors) + 16) == 0
    pages = b"SQLite format 3\0" + struct.pack(">H", 4096) + bytes(10) + struct.pack(">I", 3) + bytes(80)
    assert find_expected_size(pages, "SQLite", 8192) == 12288


def test_a_character_that_is_cut_off_at_the_end_of_what_is_read(tree: Tree) -> None:
    tree.write("/opt/mill/names.csv", b"x" * ((1 << 20) - 1) + "ø\n".encode())
    found = read(tree, "/opt/mill/names.csv")
    assert found is not None and (found.form, found.foreign) == ("text", None)
