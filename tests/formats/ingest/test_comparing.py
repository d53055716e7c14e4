"""What has changed between files as they were taken in and as they are listed, against sets of names."""

import hashlib
import random

import pytest

from lexbeam.transforms.formats.ingest import file_changes
from lexbeam.transforms.formats.ingest.file_changes import SKEW, Some, compare_inputs, is_touched
from lexbeam.transforms.formats.ingest.ingestion import InputFile
from lexbeam.transforms.formats.ingest.input_listing import key_of


def digest(text):
    """What is noted of a file: its SHA-256, or why it could not be read."""
    return text if text.startswith("unreadable: ") else hashlib.sha256(text.encode()).hexdigest()


def compared(then, now, touched=(), kept=()):
    """Compare files, each a name with its bytes."""
    reads = []

    def rows():
        names = sorted(then)
        for start in range(0, len(names), 3):
            some = names[start : start + 3]
            yield some, [len(then[name]) for name in some], [digest(then[name]) for name in some]

    def sha256(file):
        reads.append(file.name)
        return None if now[file.name] is None else digest(now[file.name])

    def listed():
        names = list(now)
        random.Random(len(names)).shuffle(names)
        for name in names:
            yield InputFile(name, f"/in/{name}", len(then.get(name, "") if now[name] is None else now[name]), "in")

    return compare_inputs(listed, rows, len(then), lambda file, _: file.name in touched, sha256, kept), reads


def expected(names):
    return Some(len(names), sorted(names)[: file_changes.SHOWN])


@pytest.mark.parametrize("held", [1 << 22, 7, 1])
def test_changes_are_those_of_sets_of_names(held, monkeypatch):
    monkeypatch.setattr(file_changes, "HELD", held)
    monkeypatch.setattr(file_changes, "_BATCH", 4)
    draw = random.Random(held)
    for size in (0, 1, 5, 40):
        every = {f"é/{number}.txt": draw.choice("ab") * draw.randrange(3) for number in range(size)}
        then = {name: text for name, text in every.items() if draw.random() < 0.8}
        now = {name: draw.choice([text, text, "c" * len(text), "cc"]) for name, text in every.items()}
        now = {name: text for name, text in now.items() if draw.random() < 0.8}
        touched = {name for name in every if draw.random() < 0.5}
        had_gone = {name for name in every if draw.random() < 0.5}
        found, reads = compared(then, now, touched, map(key_of, had_gone))
        assert found.new == expected(now.keys() - then.keys())
        assert found.gone == expected(then.keys() - now.keys())
        both = then.keys() & now.keys()
        assert found.back == expected(both & had_gone)
        assert found.changed == expected(
            [n for n in both if len(then[n]) != len(now[n]) or (n in touched and then[n] != now[n])]
        )
        # What has the same size is read if it was touched, nothing else, and once.
        assert sorted(reads) == sorted(n for n in both & touched if len(then[n]) == len(now[n]))


@pytest.mark.parametrize(
    ("path", "changed", "now", "touched"),
    [
        ("/in/a", 4999, 9000, True),  # a folder above it may have another name since
        ("s3://b/a", 5000, 9000, True),
        ("s3://b/a", 5000 - SKEW, 9000, True),  # by a clock of its own
        ("s3://b/a", 4999 - SKEW, 9000, False),
        ("s3://b/a", 0, 9000, True),  # nobody knows
        ("s3://b/a", 4999 - SKEW, 4999, True),
    ],
)
def test_what_was_not_touched_since_it_was_listed_is_not_read_again(path, changed, now, touched):
    assert is_touched(InputFile("a", path, 1, "in", changed), 5000, now) is touched


def test_what_cannot_be_read_any_more_has_changed():
    found, _ = compared({"a": "x"}, {"a": None}, {"a"})
    assert (found.new.number, found.gone.number, found.changed) == (0, 0, Some(1, ["a"]))


def test_what_could_not_be_read_and_cannot_be_now_has_not_changed():
    then = dict.fromkeys("ab", "unreadable: Permission denied")
    found, _ = compared(then, {"a": None, "b": "x" * len(then["b"])}, {"a", "b"})
    assert found.changed == Some(1, ["b"])
