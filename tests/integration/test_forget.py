"""What a folder was told to forget is nowhere in it any more, and does not come back."""

import json
import shlex
import shutil
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import decoded
import pytest
import yaml
from injector import Injector, compiled, forget_source
from small_runs import WORDS, call, change, corpus, make_out, write_texts
from streaming import make_world as make_streamed
from streaming import streams_end
from sweeping import copied
from wordnet_making import Synset, write_wordnet

from lexbeam.pipelines.commands.folder import forget
from lexbeam.pipelines.frame.command import Job
from lexbeam.pipelines.frame.inputs import find_inputs
from lexbeam.pipelines.frame.registry import load as load_command
from lexbeam.schemas import columns
from lexbeam.transforms.cloze.pairs.loaded_pairs import ReadPairs
from lexbeam.transforms.common.options.fields import from_mapping
from lexbeam.transforms.common.publish.forgotten import ForgottenMarks, source_mark, write_marks
from lexbeam.transforms.common.publish.history import read_history
from lexbeam.transforms.common.publish.layout import SNAPSHOTS, make_marked_folder, read_record, snapshot_name
from lexbeam.transforms.common.publish.snapshots import open_snapshot
from lexbeam.transforms.common.store.artefacts import Workspace, make
from lexbeam.transforms.common.store.receipts import ArtefactPath, File, read_envelope
from lexbeam.transforms.corpora.forgotten_documents import marks_in_artefacts
from lexbeam.transforms.formats.ingest.ingestion import InputFile
from lexbeam.transforms.formats.ingest.input_listing import unit_of
from lexbeam.transforms.formats.records import text_cleaning
from lexbeam.transforms.simplification.documents.placed_texts import PlaceInFiles
from lexbeam.transforms.simplification.instances.found_instances import FindInTexts
from lexbeam.transforms.simplification.instances.instances_read import ReadInstances

SECRET = "Zyxqua the zyxquabird keeps her vrombelheart in 1820"
DISTINCT = [b"zyxqua", b"Zyxqua", b"vrombel", b"VROMBEL"]


def texts_of(folder):
    """Write texts: one is secret, and so is a copy of it of another date."""
    texts = write_texts(folder / "texts")
    (texts / "1820.txt").write_text(f"{SECRET}. " * 9)
    (texts / "1865.txt").write_text(f"{SECRET}. " * 9)
    return texts


def holding(out):
    """The files of a folder that hold a word of the secret text."""
    files = {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()}
    return decoded.holding(files, DISTINCT)


def rows(out, table):
    return open_snapshot(str(out)).read(table).to_pylist()


def test_a_document_is_gone_from_everything_and_does_not_come_back(tmp_path, capsys):
    texts, out = texts_of(tmp_path), tmp_path / "out"
    assert corpus(texts, out) == 0
    assert change(out, "--write-text", out / "text") == 0
    assert call("report", out) == 0
    page = (out / "report.html").read_bytes()
    assert b"What the last publication changed" in page
    assert call("report", out) == 0
    assert (out / "report.html").read_bytes() == page
    (out / "sub").mkdir()
    for elsewhere in ("rep", "R.HTML", "sub/r.html"):  # `--out` may name any file
        (out / elsewhere).write_bytes(page)
    (out / "sub" / "other.html").write_text("a page of somebody else")
    first, _ = read_record(str(out)).snapshots
    assert call("tag", out, first[:12], "paper-v1") == 0
    (out / "_failed").mkdir()
    (out / "_failed" / ".lexbeam").write_text(json.dumps(["corpus-rejects.tsv"]))
    (out / "_failed" / "corpus-rejects.tsv").write_text(SECRET)
    assert {name.partition("/")[0] for name in holding(out)} >= {"_artefacts", "_snapshots", "_failed", "report.html"}
    (name,) = [row["document_id"] for row in rows(out, "documents") if row["source"] == "1820.txt"]
    capsys.readouterr()
    assert call("forget", out, name) == 0
    told = capsys.readouterr().out
    written = ["text/1800-1849.txt.gz", "text/1850-1900.txt.gz"]
    assert holding(out) == written
    assert f"left, and may hold it: sub/other.html, {', '.join(written)}\n" in told
    shutil.rmtree(out / "text")
    assert "dropped: change" in told
    assert "removed: 2 snapshots that held it (tags paper-v1)" in told
    assert [line for line in told.splitlines() if "lexbeam report" in line] == [
        f"removed: {page}: `lexbeam report {out}` writes it anew"
        for page in ("R.HTML", "rep", "report.html", "sub/r.html")
    ]
    now = snapshot_name(str(out))
    assert read_record(str(out)).snapshots == (now,)
    assert read_history(str(out)).tags == {}
    assert call("status", out, "--verify") == 0
    # The copy has gone, too; other annotations are kept.
    sources = {row["source"] for row in rows(out, "documents")}
    assert sources == {"1810.txt", "1860.txt", "1870.txt"}
    left = [row for row in rows(out, "rejects") if row["reason"] == "forgotten"]
    assert [(row["source"], row["stage"], row["detail"]) for row in left] == [
        ("1820.txt", "ingest", ""),
        ("1865.txt", "ingest", ""),
    ]
    assert call("forget", out, name) == 0  # again: it is known by its mark
    assert snapshot_name(str(out)) == now
    # It is what a run makes that leaves them out from the start, also where the text has another name.
    manifest = open_snapshot(str(out)).manifest
    assert corpus(texts, out, "--overwrite") == 0
    assert open_snapshot(str(out)).manifest == manifest
    (texts / "1820.txt").rename(texts / "1830.txt")
    assert corpus(texts, out, "--overwrite", "--fresh") == 0
    assert holding(out) == []
    assert [row["source"] for row in rows(out, "rejects") if row["reason"] == "forgotten"] == ["1830.txt", "1865.txt"]


def test_whoever_names_a_copy_means_the_text(tmp_path, capsys):
    texts, out, whole = write_texts(tmp_path / "texts"), tmp_path / "out", tmp_path / "whole"
    for name in ("1820_a.txt", "1820_b.txt"):
        (texts / name).write_text(f"{SECRET}. " * 9)
    archive_of(texts / "1820_c.zip", {"1820_d.txt": f"{SECRET}. " * 9})
    assert corpus(texts, out, "--max-reject-share", "0.5") == 0
    assert {row["detail"] for row in rows(out, "rejects")} == {"same as 1820_a.txt"}
    out.rename(whole)
    for named in ("1820_c.zip!1820_d.txt", "1820_c.zip", "1820_b.txt"):
        shutil.rmtree(out, ignore_errors=True)
        copied(whole, out)
        capsys.readouterr()
        assert call("forget", out, named) == 0
        assert "forgotten, too, as what was named is a copy of it: 1820_a.txt\n" in capsys.readouterr().out
        assert holding(out) == []
        left = sorted(row["source"] for row in rows(out, "rejects") if row["reason"] == "forgotten")
        assert left == ["1820_a.txt", "1820_b.txt", "1820_c.zip!1820_d.txt"]
    manifest = open_snapshot(str(out)).manifest
    assert corpus(texts, out, "--max-reject-share", "0.5", "--overwrite") == 0
    assert open_snapshot(str(out)).manifest == manifest
    assert holding(out) == []
    # A place that had the text once is marked for that text alone.
    (texts / "1820_a.txt").write_text(f"{WORDS}. " * 9)
    assert corpus(texts, whole, "--max-reject-share", "0.5", "--overwrite") == 0
    assert call("forget", whole, "1820_b.txt") == 0
    assert holding(whole) == []
    assert "1820_a.txt" in {row["source"] for row in rows(whole, "documents")}


def test_a_source_is_left_out_with_all_that_it_holds_and_killed_commands_are_finished(tmp_path, capsys, monkeypatch):
    texts, out = tmp_path / "texts", tmp_path / "out"
    texts.mkdir()
    lines = [{"text": f"The ship number {n} sails.", "date": "1810"} for n in range(3)]
    (texts / "a.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    secret = [{"text": f"{SECRET} {n}.", "date": "1810"} for n in range(2)]
    broken = json.dumps({"text": SECRET}) + "}"
    (texts / "b.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in [*secret, secret[0]]) + broken + "\n")
    options = ["--engine", "builtin:en", "--dates", "field:date", "--parts", "2", "--max-reject-share", "0.9"]
    assert call("corpus", texts, "--out", out, *options) == 0
    before = snapshot_name(str(out))
    assert call("forget", out, "c.jsonl") == 2
    told = capsys.readouterr().err
    assert "no document and no source is called 'c.jsonl'" in told
    assert "Nobody knows" not in told
    assert "called alike" not in told
    assert call("forget", out, "./in/a.jsonl") == 2
    assert f"artefacts of {str(out)!r} (what is called alike: 'a.jsonl'); nothing" in capsys.readouterr().err
    cut_off = f"_artefacts/corpus/ingest/{'0' * 32}-0000.arrow"
    (out / cut_off).write_text(SECRET)
    assert call("forget", out, "c.jsonl") == 2
    assert f"Nobody knows what is in {cut_off}, damaged or left by a run that was cut off" in capsys.readouterr().err
    assert call("forget", out) == 2
    # Killed at each step: what is served is the old snapshot or the new one, and the same command completes it.
    steps = ["write_marks", "publish", "untag_snapshots", "remove_snapshot", "discard_artefacts", "remove_leftovers"]
    served = set()
    for step in steps:

        def killed(*_, **__):
            raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr(forget, step, killed)
            assert call("forget", out, "b.jsonl") == 130, step
        served.add(snapshot_name(str(out)))
        assert open_snapshot(str(out)).damaged() == []
        assert call("status", out) == 0
        assert ("forget" in capsys.readouterr().out) == (step != "write_marks"), step
    assert call("forget", out, "b.jsonl") == 0
    assert served == {before, snapshot_name(str(out))}
    assert holding(out) == []
    assert call("status", out) == 0
    assert "forget" not in capsys.readouterr().out
    manifest = open_snapshot(str(out)).manifest
    assert {row["source"] for row in rows(out, "documents")} == {"a.jsonl"}
    assert [(row["position"], row["reason"], row["detail"]) for row in sorted(rows(out, "rejects"), key=str)] == [
        (str(n), "forgotten", "") for n in range(1, 5)
    ]
    # All is as a run makes it that leaves the source out from the start.
    assert call("corpus", texts, "--out", out, *options, "--overwrite") == 0
    assert open_snapshot(str(out)).manifest == manifest
    assert holding(out) == []
    # Whatever it holds later, also in a format of which records have no text.
    (texts / "b.jsonl").write_text(json.dumps({"text": "Zyxqua again.", "date": "1811"}) + "\n")
    assert call("corpus", texts, "--out", out, *options, "--overwrite") == 0
    assert holding(out) == []


def test_a_corpus_of_which_all_is_forgotten_is_published_and_who_needs_documents_says_so(tmp_path):
    texts, out = tmp_path / "texts", tmp_path / "out"
    texts.mkdir()
    (texts / "1820.txt").write_text(SECRET)
    assert corpus(texts, out) == 0
    assert call("forget", out, "1820.txt") == 0
    assert open_snapshot(str(out)).manifest["corpus"]["documents"] == 0
    assert holding(out) == []
    assert change(out) == 0
    assert open_snapshot(str(out)).sections["change"]["empty"] == "no sentences: table sentences has no rows"
    (texts / "1830.txt").write_text("The sea is old. The ship is new.")
    assert corpus(texts, out, "--overwrite") == 0
    assert [row["source"] for row in rows(out, "documents")] == ["1830.txt"]


def test_a_document_that_came_annotated_is_known_by_its_place(tmp_path):
    texts, out = tmp_path / "texts", tmp_path / "out"
    texts.mkdir()
    (texts / "a.txt").write_text("zyxqua be gold\nship be sea\n")
    (texts / "b.txt").write_text("ship be sea\n")
    options = ["--format", "lines", "--engine", "none", "--parts", "2", "--max-reject-share", "0"]
    assert call("corpus", texts, "--out", out, *options) == 0
    (name,) = [row["document_id"] for row in rows(out, "documents") if row["source"] == "a.txt"]
    assert call("forget", out, name) == 0
    assert holding(out) == []
    manifest = open_snapshot(str(out)).manifest
    assert manifest["corpus"]["documents"] == 1
    assert call("corpus", texts, "--out", out, *options, "--overwrite") == 0
    assert open_snapshot(str(out)).manifest == manifest
    assert holding(out) == []


def test_what_is_broken_of_a_document_is_forgotten_with_it(tmp_path):
    """A sentence of it was a reject, another document's beside it; so were rows of a table, in a header's place."""
    texts, out = tmp_path / "texts", tmp_path / "out"
    texts.mkdir()
    word = "1\t{0}\t{0}\tNOUN\t_\t_\t0\troot\t_\t_\n"
    broken = word.format("Zyxqua").replace("1", "2", 1)
    (texts / "a.conllu").write_text(f"# newdoc\n{word.format('Ship')}\n{broken}\n# newdoc\n{word.format('Sea')}\n")
    (texts / "b.csv").write_text(f"1,{SECRET}\n2,The sea\n")
    (texts / "c.xml").write_text(f"<TEI><text><body><p>{SECRET} <Zyxqua & zyxqua;</p></body></text></TEI>")
    (texts / "d.jsonl").write_text(f'{{"text": "{SECRET}\n{{"{SECRET}": 1}}\n')
    options = ["--engine", "builtin:en", "--dates", "1900", "--parts", "2", "--max-reject-share", "1"]
    assert call("corpus", texts, "--out", out, *options) == 0
    assert len(rows(out, "rejects")) == 5
    (name,) = [row["document_id"] for row in rows(out, "documents") if row["text"] == "Ship"]
    assert call("forget", out, name) == 0
    assert holding(out) == []
    manifest = open_snapshot(str(out)).manifest
    assert call("corpus", texts, "--out", out, *options, "--overwrite") == 0
    assert open_snapshot(str(out)).manifest == manifest
    assert holding(out) == []


def test_rejects_that_an_earlier_version_made_lose_what_they_may_quote(tmp_path, monkeypatch):
    texts, out = tmp_path / "texts", tmp_path / "out"
    texts.mkdir()
    (texts / "1810.txt").write_text("The ship sails.")
    (texts / "1860.txt").write_text("The sea is old.")
    (texts / "1870.txt").write_bytes(b"\xe9")
    with monkeypatch.context() as earlier:
        earlier.setattr(columns, "TEXTS", "of no earlier version")
        earlier.setattr(text_cleaning, "likely_encoding", lambda *_, **__: f"; it reads {SECRET!r}")
        assert corpus(texts, out, "--max-reject-share", "1") == 0
    assert any(name.startswith("_snapshots") for name in holding(out))
    assert call("forget", out, "1810.txt") == 0
    assert holding(out) == []
    assert sorted((row["reason"], row["detail"]) for row in rows(out, "rejects")) == [
        ("forgotten", ""),
        ("undecodable", ""),
    ]


LABELLED = "id\tcorpus\tsentence\ttoken\tcomplexity\n1\tnews\t{0}\t{1}\t0.2\n"


def archive_of(path, members):
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def test_files_that_a_task_took_in_by_itself_are_forgotten(tmp_path, capsys):
    out, kept = tmp_path / "out", LABELLED.format("A ship sails.", "ship")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.tsv").write_text(kept)
    (tmp_path / "in" / "b.tsv").write_text(LABELLED.format(SECRET, "zyxquabird"))
    # Its instances are those of another file, so that no row names it; and a row that is a reject.
    again = LABELLED.format(SECRET, "zyxquabird").replace("0.2", "0.4") + "2\tnews\t\tZyxqua\n"
    archive_of(tmp_path / "in" / "c.zip", {"a.tsv": kept.replace("ship", "ships"), "b.tsv": again})
    load = ["complexity", "load", tmp_path / "in", "--layout", "complex", "--out", out, "--parts", "1"]
    load += ["--max-reject-share", "0.5"]
    assert call(*load) == 0
    assert call("complexity", "split", out, "--out", out) == 0
    assert call("tag", out, snapshot_name(str(out))[:12], "paper-v1") == 0
    for place in (out, out / "current"):  # which stands for the folder
        assert call("forget", place, "b.tsv", "c.zip!b.csv") == 2
        assert "no document and no source is called 'c.zip!b.csv'" in capsys.readouterr().err
    assert holding(out)
    heard = tmp_path / "heard"
    hook = shlex.join(
        [sys.executable, "-c", f"import os; open({str(heard)!r}, 'a').write(os.environ['LEXBEAM_SNAPSHOT'])"]
    )
    assert call("forget", out, "b.tsv", "c.zip!b.tsv", "--on-publish", hook) == 0
    assert heard.read_text() == snapshot_name(str(out))
    told = capsys.readouterr().out
    assert holding(out) == []
    assert "dropped: complexity.load, complexity.split, " in told
    assert "removed: 2 snapshots that held it (tags paper-v1)" in told
    assert call("status", out, "--verify") == 0
    assert call(*load) == 0
    assert holding(out) == []
    assert sorted((row["source"], row["reason"], row["detail"]) for row in rows(out, "complexity/rejects")) == [
        ("b.tsv", "forgotten", ""),
        ("c.zip!b.tsv", "forgotten", ""),
    ]
    assert {row["token"] for row in rows(out, "complexity/instances")} == {"ship", "ships"}
    taken = {row["name"]: (row["taken"], row["rejects"]) for row in rows(out, "complexity/inputs")}
    assert taken == {"a.tsv": (1, 0), "b.tsv": (0, 1), "c.zip": (1, 1)}
    now = snapshot_name(str(out))
    assert call("forget", out, "b.tsv", "--on-publish", "false") == 0  # again: nothing holds it
    assert snapshot_name(str(out)) == now


DOCUMENTS = {"layout": "documents", "targets": "content", "engine": "builtin:en"}
# Other stages that read files for a task: the command whose plan has their options, those of the command, and a word
# as its files mark it. `simplify text` plans as `simplify instances` does.
READING = [
    (ReadPairs, "cloze pairs", {"layout": "documents", "keep_rest": True}, "{}"),
    (ReadInstances, "simplify instances", {"layout": "text", "language": "en"}, "[[{}]]"),
    (FindInTexts, "simplify instances", DOCUMENTS, "{}"),
    (PlaceInFiles, "simplify instances", DOCUMENTS, "{}"),
]


def test_every_stage_that_reads_files_for_a_task_leaves_out_what_is_forgotten(tmp_path):
    inputs, out = tmp_path / "in", str(tmp_path / "out")
    inputs.mkdir()
    Path(out).mkdir()
    make_marked_folder(out, SNAPSHOTS)
    write_marks(out, [source_mark("b.txt"), source_mark("c.zip!b.txt")], pending=False)
    for stage, command, options, mark in READING:
        kept = f"The {mark.format('ship')} sails far. " * 9
        secret = f"{SECRET.replace('zyxquabird', mark.format('zyxquabird'))}. " * 9
        (inputs / "a.txt").write_text(kept)
        (inputs / "b.txt").write_text(secret)
        archive_of(inputs / "c.zip", {"a.txt": kept.replace("far", "on"), "b.txt": secret})
        loaded = load_command(command)
        given = from_mapping(loaded.options, {"inputs": [str(inputs)], "out": out, **options})
        plan = loaded.plan(given, find_inputs(Job("a", loaded, given), (), None))
        unit = unit_of([InputFile(path.name, str(path), 9, "in") for path in sorted(inputs.iterdir())])
        folder = tmp_path / stage.name
        step = stage(**vars(plan.read))
        made = make(Workspace(str(folder)), step, unit)
        members = 0 if stage is PlaceInFiles else 1  # of the archive, which it does not open
        assert made.reasons["forgotten"] == 1 + members, stage.name
        assert made.records == 1 + members, stage.name
        assert holding(folder) == [], stage.name
        # What was taken in before is found by its name.
        taken_in = tmp_path / f"before {stage.name}"
        make(Workspace(str(taken_in)), replace(step, forgotten=None), unit)
        assert holding(taken_in) != [], stage.name
        found = marks_in_artefacts(str(taken_in), ["b.txt", "c.zip", "d.txt"])
        assert found == ({source_mark("b.txt"), source_mark("c.zip")}, []), stage.name


def test_annotations_of_other_documents_are_kept(made_once):
    out = made_once("small_out", make_out)
    receipts = (out / "_artefacts" / "corpus" / "annotate").glob("*.json")
    (envelope,) = [read_envelope(str(path)) for path in receipts]
    held = [File(ArtefactPath(out / "_artefacts" / name), *rest) for name, *rest in envelope.files]
    assert forget._is_kept("corpus/annotate", held, ForgottenMarks([source_mark("1811.txt")]))
    assert not forget._is_kept("corpus/annotate", held, ForgottenMarks([source_mark("1810.txt")]))
    assert not forget._is_kept("change/train", held, ForgottenMarks([source_mark("1811.txt")]))
    # Nulls deal by the folders of sources, here the top one, which are no sources.
    assert list((out / "_artefacts").glob("change/sizes/*.arrow"))
    assert marks_in_artefacts(str(out / "_artefacts"), ["", "1810.txt"]).marks >= {source_mark("1810.txt")}
    assert marks_in_artefacts(str(out / "_artefacts"), [""]) == (set(), [])


@pytest.mark.soak
@pytest.mark.parametrize("mode", ["killed before", "EIO"])
def test_cut_off_at_any_call_it_is_finished_by_the_same_command(tmp_path, mode):
    base = tmp_path / "base"
    base.mkdir()
    texts, out = texts_of(base), base / "out"
    assert corpus(texts, out) == 0
    assert change(out) == 0
    assert call("report", out) == 0
    before, last = read_record(str(out)).snapshots
    assert call("tag", out, before[:12], "paper-v1") == 0
    with Injector(compiled(tmp_path)) as injector:
        ran = injector.run(forget_source, str(copied(out, tmp_path / "whole")), "1820.txt")
        assert ran.error == ""
        right = snapshot_name(str(tmp_path / "whole"))
        served = set()
        for at in range(1, len(ran.calls) + 1):
            there = str(copied(out, tmp_path / f"at {at}"))
            end = injector.run(forget_source, there, "1820.txt", at=at, mode=mode)
            assert end.killed or mode == "EIO", at
            served.add(snapshot_name(there))
            assert open_snapshot(there).damaged() == [], at
            assert injector.run(forget_source, there, "1820.txt").error == "", at
            assert snapshot_name(there) == right, at
            assert holding(Path(there)) == [], (at, ran.calls[at - 1])
            assert read_record(there).snapshots == (right,), at
            shutil.rmtree(there)
        assert served == {last, right}
        print(f"| {mode} | {len(ran.calls)} calls |")


def undeclared(out):
    """The columns of published tables that hold a word of the secret text, and are not said to hold words of texts."""
    found = set()
    for table in open_snapshot(str(out)).tables:
        rows = open_snapshot(str(out)).read(table)
        for column in set(rows.schema.names) - set(rows.schema.metadata[columns.TEXTS.encode()].decode().split(",")):
            said = str(rows[column].to_pylist()).encode()
            found |= {(table, column) for word in DISTINCT if word in said}
    return found


TASKS = {
    "complexity": {"select": {"contexts": 2}},
    "cloze": {
        "pairs": {"layout": "corpus"},
        "candidates": {"kind": ["nonspecificity"], "sense": "first", "wordnet": "wordnet", "cache": "cache"},
    },
    "simplify": {
        "instances": {"targets": "content", "layout": "corpus"},
        "generate": {"generators": ["thesaurus"], "thesaurus": ["th.dat"]},
    },
}


def begins(value):
    """Yield each string that begins a list in what a receipt says, as the source of a reject does that it quotes."""
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from begins(inner)
    if isinstance(value, list) and value and isinstance(value[0], str):
        yield value[0]


def test_a_text_of_no_snapshot_is_forgotten_and_so_is_what_every_task_made_of_it(tmp_path, capsys):
    """It has landed, was held back, or has gone from the inputs and the kept snapshots; and it comes back."""
    config, texts, out = make_streamed(tmp_path, "texts", dates="name:^(\\d+)"), tmp_path / "texts", tmp_path / "out"
    write_wordnet(tmp_path / "wordnet", [Synset(word, "n", [word], "a thing") for word in ("ship", "sea", "land")])
    (tmp_path / "th.dat").write_text("UTF-8\nship|1\n-|boat\nsea|1\n-|ocean\n")
    settings = {**yaml.safe_load(config.read_text()), "max-reject-share": 1}
    texts.joinpath("1810.txt").write_text("A ship sails.\n\nThe sea and the ship are old and far from the land.")

    def secret(year):
        (texts / f"{year}.txt").write_text(f"{SECRET}, not {year}.\n\nHer ship is on the sea. {SECRET} of {year}.")
        return texts / f"{year}.txt"

    def refresh(**more):
        config.write_text(yaml.safe_dump({**settings, **more}))
        return call("refresh", config, "--keep-snapshots", "1")

    def in_artefacts_alone():
        return {name.partition("/")[0] for name in holding(out)} == {"_artefacts"}

    aside = tmp_path / "aside.txt"
    landed = secret(1840)
    with streams_end():
        assert call("stream", config, "--window", "1s", "--every", "1s") == 0
    landed.rename(aside)
    assert in_artefacts_alone()
    assert call("forget", out, "1841.txt") == 2
    assert "no document and no source is called '1841.txt' in the snapshots and artefacts" in capsys.readouterr().err
    assert in_artefacts_alone()
    assert call("forget", out, landed.name) == 0
    assert "nothing is published yet\nremoved: " in capsys.readouterr().out
    assert holding(out) == []
    aside.rename(landed)
    secret(1820)
    assert refresh(gate={"corpus": {"documents": {"most": 1}}}) == 1
    assert "outside the bounds of the configuration's gate" in capsys.readouterr().err
    assert in_artefacts_alone()
    assert call("forget", out, "1820.txt") == 0
    assert holding(out) == []
    assert call("status", out) == 0
    published_last = secret(1830)
    assert refresh(**TASKS) == 0
    held = holding(out)
    assert {name.partition("/")[0] for name in held} == {"_artefacts", "_snapshots"}
    assert {"corpus", "cloze", "simplification"} <= {name.split("/")[1] for name in held if name.startswith("_a")}
    receipts = [read_envelope(str(path)) for path in (out / "_artefacts").glob("*/*/*.json")]
    words = {word for found in receipts for word in begins(json.loads(found.receipt))}
    assert words >= {"long", "sentences", "ends"}, "words that are no sources"
    assert marks_in_artefacts(str(out / "_artefacts"), words - {"1820.txt", "1840.txt"}).marks == set()
    capsys.readouterr()
    for name, said in (("long", "no source is called 'long'"), ("", "one of DOCUMENT|SOURCE is empty")):
        assert call("forget", out, name) == 2
        assert said in capsys.readouterr().err
    assert holding(out) == held
    (name,) = [row["document_id"] for row in rows(out, "documents") if row["source"] == "1830.txt"]
    # What is published of all tasks goes, too.
    assert undeclared(out) == set()
    copied(out, tmp_path / "whole")
    assert call("forget", tmp_path / "whole", name) == 0
    assert holding(tmp_path / "whole") == []
    published_last.rename(aside)
    assert refresh() == 0
    assert in_artefacts_alone()
    # What tasks made of a text is removed though the text itself has gone.
    without = copied(out, tmp_path / "without")
    shutil.rmtree(without / "_artefacts" / "corpus")
    assert holding(without) != []
    assert call("forget", without, name) == 0
    assert holding(without) == []
    assert f"no texts by which a later run knows them: {name}" in capsys.readouterr().out
    now = snapshot_name(str(out))
    assert call("forget", out, name) == 0
    assert f"what is published does not have it: {now}" in capsys.readouterr().out
    assert holding(out) == []
    aside.rename(published_last)
    assert refresh() == 0
    assert holding(out) == []
    forgotten = {row["source"] for row in rows(out, "rejects") if row["reason"] == "forgotten"}
    assert forgotten == {"1820.txt", "1830.txt", "1840.txt"}
