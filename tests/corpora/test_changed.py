"""Documents of two snapshots compared, and where they come from, beside plain sets."""

import random

import pytest
from published import CORPUS, documents, publish, rewritten

from lexbeam.transforms.common.code.fingerprints import digest, hash_of
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.corpora.annotated_corpora import changed_documents, sources_of


def corpus(folder, names, parts):
    """A snapshot of documents, each with a source of its own, in the parts that their ids name."""
    found = [[] for _ in range(parts)]
    for name in names:
        id_ = digest([name])
        found[hash_of(id_) % parts].append({"document_id": id_, "source": f"{name % 7}/{name}.txt", "year": 1800})
    return publish(folder, {"corpus": CORPUS}, {"documents": [documents(*rows) for rows in found]})


@pytest.mark.parametrize("parts", [(2, 2), (1, 1), (2, 4)])
def test_added_and_removed_are_those_of_sets(tmp_path, parts):
    random_ = random.Random(5)
    old, new = (set(random_.sample(range(40), 25)) for _ in range(2))
    before, after = (
        corpus(tmp_path / name, names, number)
        for name, names, number in zip(("old", "new"), (old, new), parts, strict=True)
    )
    found = changed_documents(before, after, 100)
    assert (found.added, found.removed) == (len(new - old), len(old - new))
    expected = [("added", name) for name in new - old] + [("removed", name) for name in old - new]
    listed = sorted((f"{name % 7}/{name}.txt", what, digest([name])) for what, name in expected)
    rows = found.rows.to_pylist()
    assert [(row["source"], row["what"], row["document_id"]) for row in rows] == listed
    assert changed_documents(before, after, 3).rows.to_pylist() == rows[:3]
    same = changed_documents(before, before, 3)
    assert (same.added, same.removed, len(same.rows)) == (0, 0, 0)
    ids = {digest([name]): f"{name % 7}/{name}.txt" for name in range(20)}
    here = {digest([name]) for name in old}
    assert sources_of(before, ids) == {id_: source for id_, source in ids.items() if id_ in here}
    assert sources_of(before, []) == {}
    assert sources_of(Snapshot("", "", "", {"tables": {}}), ids) == {}


def test_documents_of_an_earlier_version(tmp_path):
    before, after = (corpus(tmp_path / name, names, 1) for name, names in (("old", [1, 2]), ("new", [2, 3])))
    rewritten(before, "documents", lambda rows: rows.drop_columns(["author", "year"]))
    found = changed_documents(before, after, 10)
    assert [(row["what"], row["source"], row["year"]) for row in found.rows.to_pylist()] == [
        ("removed", "1/1.txt", None),
        ("added", "3/3.txt", 1800),
    ]
    rewritten(before, "documents", lambda rows: rows.drop_columns("document_id"))
    with pytest.raises(LexbeamError, match="without column document_id"):
        changed_documents(before, after, 10)
    assert sources_of(before, [digest([1])]) == {}
