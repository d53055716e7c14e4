"""Layers from the command to what tasks read, and corpora that were made without them."""

import json
import re

import apache_beam as beam
import pyarrow.parquet as pq
import pytest
from apache_beam.testing.util import assert_that, equal_to

from lexbeam.pipelines.cli import main
from lexbeam.schemas.corpus_tables import SENTENCES
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.publish.snapshots import open_snapshot
from lexbeam.transforms.corpora.annotated_corpora import Corpus, check_layers, common_layers
from lexbeam.transforms.corpora.document_reading import SentenceKey, column_names, fetch, read_annotated
from lexbeam.transforms.corpora.ptransforms import FetchSentences

BASE = SENTENCES.schema().names
TREES = """\
# newdoc id = a
1\tDogs\tdog\tNOUN\tNNS\tNumber=Plur\t2\tnsubj\t_\t_
2\tsleep\tsleep\tVERB\tVBP\t_\t0\troot\t_\tSpaceAfter=No
3\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_

1\tYes\tyes\tINTJ\tUH\t_\t_\t_\t_\t_
"""


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """The same input without layers and with, which are named in two orders."""
    folder = tmp_path_factory.mktemp("layers")
    (folder / "a.conllu").write_text(TREES, "utf-8")
    outs = {}
    for name, options in {
        "none": [],
        "all": ["--layers", "heads,xpos,feats"],
        "turned": ["--layers", "feats", "--layers", "heads,xpos"],
    }.items():
        outs[name] = folder / name
        words = ["corpus", folder / "a.conllu", "--out", outs[name], "--parts", "3"]
        assert main([str(word) for word in [*words, *options]]) == 0
    return outs


def rows(out):
    return pq.read_table(out / "current" / "sentences").to_pylist()


def manifest(out):
    return json.loads((out / "manifest.json").read_text("utf-8"))


def corpus(out):
    return Corpus.published(open_snapshot(str(out)))


def schemas(out):
    return [column_names(part) for part in open_snapshot(str(out)).parts("sentences")]


def test_columns_are_there_only_if_they_are_asked_for(folders):
    assert schemas(folders["none"]) == [BASE] * 3
    assert schemas(folders["all"]) == [[*BASE, "xpos", "feats", "heads"]] * 3
    assert [{k: row[k] for k in BASE} for row in rows(folders["all"])] == rows(folders["none"])
    assert manifest(folders["none"])["corpus"]["options"]["layers"] == []
    assert manifest(folders["all"])["corpus"]["columns"] == sorted(
        ["forms", "lemmas", "upos", "starts", "ends", "xpos", "feats", "heads"]
    )
    first, second = rows(folders["all"])
    assert (first["xpos"], first["feats"]) == (["NNS", "VBP", None], ["Number=Plur", None, None])
    assert (second["xpos"], second["feats"], second["heads"]) == (["UH"], None, None)


def test_the_order_in_which_they_are_asked_for_does_not_count(folders):
    assert manifest(folders["all"]) == manifest(folders["turned"])
    assert manifest(folders["all"])["corpus"]["options"]["layers"] == ["xpos", "feats", "heads"]


def test_input_that_has_none_of_it_has_nulls(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.conllu").write_text(TREES, "utf-8")
    (tmp_path / "in" / "b.xml").write_text(
        "<TEI><text><body><p><s><w lemma='dog'>Dogs</w></s></p></body></text></TEI>", "utf-8"
    )
    out = tmp_path / "out"
    assert main(["corpus", str(tmp_path / "in"), "--out", str(out), "--layers", "heads"]) == 0
    assert sorted(str(row["heads"]) for row in rows(out)) == ["None", "None", "[2, 0, 2]"]


def test_they_are_read_document_by_document_and_by_key(folders):
    found = corpus(folders["all"])
    documents = [one for pair in found.pairs for one in read_annotated(pair, columns=["heads", "sentence"])]
    (document,) = documents
    assert document.sentences["heads"].to_pylist() == [[2, 0, 2], None]
    keys = [SentenceKey(document.document.document_id, number) for number in range(3)]
    pair = next(pair for pair in found.pairs if pair.sentences.rows)
    passages = dict(fetch(pair, keys, columns=["forms", "heads", "xpos"], around=1, text=True))
    assert passages[keys[0]].layers == {"heads": [2, 0, 2], "xpos": ["NNS", "VBP", None]}
    assert passages[keys[1]].layers == {"heads": None, "xpos": ["UH"]}
    assert passages[keys[1]].before[0].forms == ["Dogs", "sleep", "."]
    assert passages[keys[2]] is None
    ((_, plain),) = fetch(pair, keys[:1], columns=["forms"])
    assert plain.layers is None


def test_they_are_fetched_in_a_pipeline(folders):
    found = corpus(folders["all"])
    name = rows(folders["all"])[0]["document_id"]
    with beam.Pipeline(runner="FnApiRunner") as pipeline:
        keys = pipeline | beam.Create([SentenceKey(name, 0), SentenceKey(name, 7)])
        fetched = keys | FetchSentences(corpora=[found], columns=["heads"])
        layers = fetched.fetched | beam.MapTuple(lambda key, passage: passage.layers)
        assert_that(layers, equal_to([{"heads": [2, 0, 2]}]))


def test_a_corpus_without_a_layer_is_told_of_with_the_remedy(folders):
    without, with_it = corpus(folders["none"]), corpus(folders["all"])
    check_layers([with_it], ["xpos", "heads"])
    with pytest.raises(UsageError, match=r"has no heads and no xpos: .*`layers` heads,xpos, from"):
        check_layers([with_it, without], {"xpos", "heads"})
    assert common_layers([with_it, without]) == []
    assert common_layers([with_it, with_it]) == ["xpos", "feats", "heads"]
    pair = without.pairs[0]
    with pytest.raises(UsageError, match=r"no column 'heads'.*anew with `layers` heads"):
        list(read_annotated(pair, columns=["forms", "heads"]))
    with pytest.raises(UsageError, match=r"no column 'heads'.*anew with `layers` heads"):
        list(fetch(pair, [], columns=["heads"]))
    keys = beam.Pipeline() | beam.Create([SentenceKey("a", 0)])
    with pytest.raises(UsageError, match=r"no column 'heads'.*anew with `layers` heads"):
        keys | FetchSentences(corpora=[with_it, without], columns=["heads"])


def test_they_are_shown(folders, capsys):
    assert main(["show", str(folders["all"] / "sentences"), "--tsv"]) == 0
    heading, first, second = capsys.readouterr().out.splitlines()
    shown = dict(zip(heading.split("\t"), first.split("\t"), strict=True))
    assert (shown["xpos"], shown["feats"], shown["heads"]) == ("NNS VBP _", "Number=Plur _ _", "2 0 2")
    assert second.endswith("\tUH\t\t")
    assert main(["show", str(folders["all"] / "sentences")]) == 0
    told = capsys.readouterr().out
    assert re.search(r"heads +list<element: int32> +syntactic head of each token", told)
