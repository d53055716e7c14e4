"""Corpora of what a command has named."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from making import made_section, read_of
from making import put as publish

from lexbeam.pipelines.frame.command import Command, Inputs, InputTable, Job, TableSource
from lexbeam.pipelines.frame.common_options import PublishOptions
from lexbeam.pipelines.frame.given import described_in
from lexbeam.pipelines.frame.inputs import corpora_of, find_inputs, list_inputs
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.publish.snapshots import open_snapshot
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.receipts import ArtefactPath
from lexbeam.transforms.common.store.tables import Part
from lexbeam.transforms.formats.ingest.input_listing import InputPatterns, find_files, shares_of


def part(table, folder):
    return Part(table, 0, ArtefactPath(f"{folder}/{table}"), 1, 2, "ab")


def test_tables_of_one_section_are_one_corpus_in_the_order_named():
    one, two = {"engine": 1}, {"engine": 1}  # equal, and yet two
    inputs = Inputs(
        (
            InputTable("sentences", (part("sentences", "b"),), "corpus", two, False),
            InputTable("documents", (part("documents", "a"),), "corpus", one, True),
            InputTable("sentences", (part("sentences", "a"),), "corpus", one, True),
        )
    )
    second, first = corpora_of(inputs)
    assert first.parts == {t: (part(t, "a"),) for t in ("documents", "sentences")}
    assert second.parts == {"sentences": (part("sentences", "b"),)}
    assert first.section is one
    assert second.section is two


@dataclass(frozen=True, kw_only=True)
class Reading(PublishOptions):
    tables: tuple[str, ...] = option((), help="tables")


class Reader(Command[Reading, None]):
    options = Reading

    def reads(self, options):
        return [TableSource(table, optional=True) for table in options.tables]


def test_no_table_is_read_of_a_section_that_goes_with_what_the_run_has_made(tmp_path):
    """Files had labels, and have none any more; and instances were made of what the corpus was before."""
    out = tmp_path / "out"
    load = made_section(tmp_path / "1", "load", {"instances": [["a"]], "labels": [["b"]]})
    corpus = made_section(tmp_path / "2", "corpus", {"documents": [["c"]]})
    select = made_section(tmp_path / "3", "select", {"targets": [["d"]]}, reads=(read_of(corpus, "documents"),))
    publish(out, load, corpus, select)
    old = open_snapshot(str(out))
    job = Job("split", Reader(), Reading(out=str(out), tables=("instances", "labels", "documents", "targets")))

    def found(*made):
        return [(table.table, len(table.parts)) for table in find_inputs(job, made, old).tables]

    everything = [("instances", 1), ("labels", 1), ("documents", 1), ("targets", 1)]
    assert found() == found(load) == found(corpus) == everything
    assert found(made_section(tmp_path / "4", "load", {"instances": [["a"], ["e"]]})) == [
        ("instances", 2),
        *everything[2:],
    ]
    assert found(made_section(tmp_path / "5", "corpus", {"documents": [["c"], ["f"]]})) == [
        *everything[:2],
        ("documents", 2),
    ]


class Model(NamedTuple):
    digest: str

    def described(self):
        return {"digest": self.digest}


class Several(NamedTuple):
    models: dict[str, Model]

    def described_by_name(self):
        return {name: model.described() for name, model in self.models.items()}


@dataclass(frozen=True)
class Setting:
    lexicon: Several
    encoder: Model | None
    encoders: tuple[Model, ...] = ()


class Plan(NamedTuple):
    parts: tuple[Part, ...]
    setting: Setting
    by_name: Mapping[str, Setting]


def test_resources_that_a_plan_holds_describe_themselves_under_the_names_of_their_fields():
    lexicon = Several({"wordnet": Model("w")})
    own = Setting(lexicon, None, (Model("1"), Model("2")))
    plan = Plan((part("sentences", "a"),), own, {"x": Setting(Several({}), Model("e"))})
    expected = {"wordnet": "w", "encoder_1": "1", "encoder_2": "2", "encoder": "e"}
    assert described_in(plan) == {name: {"digest": digest} for name, digest in expected.items()}
    assert described_in({"rows": [1, "a", None]}) == described_in(None) == {}


def put(*paths):
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(path.name)


def names(*inputs, exclude=()):
    return [file.name for file in list_inputs([str(i) for i in inputs], exclude, "/nowhere/out")]


def test_a_file_that_several_inputs_hold_is_listed_once_as_the_first_has_it(tmp_path):
    put(tmp_path / "a/b/x.txt", tmp_path / "a/y.txt")
    inner, file = tmp_path / "a/b", tmp_path / "a/b/x.txt"
    assert names(tmp_path / "a", inner, file) == ["a/b/x.txt", "a/y.txt"]
    assert names(file, tmp_path / "a") == ["a/y.txt", "b/x.txt"]
    assert names(inner / "*.txt", file) == ["x.txt"]


def test_a_folder_that_a_link_leads_to_is_listed_once_whatever_it_is_called(tmp_path):
    put(tmp_path / "a/x.txt", tmp_path / "c/d/y.txt")
    (tmp_path / "b").symlink_to("a")
    (tmp_path / "c/e").symlink_to("../a")
    assert names(tmp_path / "a", tmp_path / "b") == ["a/x.txt"]
    assert names(tmp_path / "b", tmp_path / "a") == ["b/x.txt"]
    assert names(tmp_path / "c", tmp_path / "a") == ["c/d/y.txt", "c/e/x.txt"]


def test_a_file_that_a_pattern_leads_to_in_several_ways_is_listed_once(tmp_path):
    put(tmp_path / "a/x.txt", tmp_path / "b/c/y.txt")
    (tmp_path / "d").symlink_to("b")
    (tmp_path / "b/e").symlink_to("../a")
    for pattern in ("**", "**/*", "**/*.txt"):
        assert names(tmp_path / pattern) == ["a/x.txt", "b/c/y.txt"]
    assert names(tmp_path / "*/*/*") == ["b/c/y.txt", "b/e/x.txt"]
    assert names(tmp_path / "d/**") == ["c/y.txt", "e/x.txt"]


def test_links_to_files_are_files(tmp_path):
    put(tmp_path / "a/x.txt")
    (tmp_path / "a/soft.txt").symlink_to("x.txt")
    os.link(tmp_path / "a/x.txt", tmp_path / "a/hard.txt")
    assert names(tmp_path / "a") == ["hard.txt", "soft.txt", "x.txt"]


def test_two_inputs_of_one_label(tmp_path):
    put(*(tmp_path / name / "a.txt" for name in ("1/x", "2/x", "3/x~2", "4/x!y", "5/x")))
    actual = names(*(tmp_path / name for name in ("5/x", "1/x", "2/x", "3/x~2", "4/x!y")))
    assert actual == [r"x/a.txt", r"x\!y/a.txt", r"x\~2/a.txt", r"x\~3/a.txt", "x~2/a.txt"]
    listed = list_inputs([str(tmp_path / "1/x"), str(tmp_path / "2/x")], (), "/nowhere")
    assert [file.collection for file in listed] == ["x", r"x\~2"]


def test_an_object_and_objects_below_it_have_names_of_their_own(monkeypatch):
    entries = [files.ListedFile("s://b/a", "a", 1), files.ListedFile("s://b/a/a", "a", 1)]
    monkeypatch.setattr(files, "find_files", lambda _: entries)
    monkeypatch.setattr(files, "root_of", lambda _: "s://b")
    assert names("s://b/a") == ["a", r"a\~2"]


def test_inputs_on_a_store_are_listed_side_by_side_if_none_lies_in_another(monkeypatch):
    objects = [f"s://b/{folder}/{number}.txt" for folder in ("a", "a2", "c/d", *range(40)) for number in range(3)]

    def find(path):
        root = path.rstrip("/") + "/"
        return (files.ListedFile(name, name.removeprefix(root), 1) for name in objects if name.startswith(root))

    monkeypatch.setattr(files, "find_files", find)
    monkeypatch.setattr(files, "root_of", lambda path: path)

    def shares(*inputs, exclude=()):
        return shares_of(InputPatterns(inputs, exclude, "/out"))

    many = ("s://b/a", "s://b/a2", "s://b/c", *(f"s://b/{number}/" for number in range(40)))
    for inputs, number in ((many[:1], 1), (many[:3], 3), (many, 16)):
        found = shares(*inputs, exclude=("a/0.txt", "2.txt"))
        assert len(found) == number
        listed = [file for share in found for file in find_files(share)]
        assert sorted(listed) == list_inputs(inputs, ("a/0.txt", "2.txt"), "/out")
    assert list(find_files(shares(*many, exclude=("*",))[1])) == []  # of others there may be files
    for inputs in (("s://b/c", "s://b/c/d"), ("s://b/c", "s://b/c"), ("/b", "/c"), ("s://b/a", "/c")):
        assert len(shares(*inputs)) == 1


def test_folders_whose_names_look_like_patterns_are_folders(tmp_path):
    put(*(tmp_path / f"Novels [{name}]" / "a.txt" for name in ("1800-1850", "1850-1900")))
    folders = sorted(tmp_path.iterdir())
    assert names(*folders) == ["Novels [1800-1850]/a.txt", "Novels [1850-1900]/a.txt"]
    assert names(folders[0]) == ["a.txt"]


def test_a_glob_at_the_root_of_the_file_system(tmp_path):
    put(tmp_path / "a.txt")
    first, *rest = str(tmp_path / "a.txt").strip("/").split("/")
    assert names("/".join(["", first[:-1] + "?", *rest])) == [str(tmp_path / "a.txt")[1:]]
