"""What became of sections between two snapshots: files that they took in, and what they keep of others."""

from pathlib import Path

from published import publish

from lexbeam.transforms.common.publish.differences import SectionChange, changes
from lexbeam.transforms.common.publish.sections import inputs_entry

FILES = (("a", "x"), ("b", "y"))


def published(folder, inputs=FILES, parts=1, documents=1, **entry):
    """Publish a section that took in these files, names with digests, each of five bytes."""
    counts = {"bytes": 5, "records": 1, "documents": documents, "rejects": 1 - documents}
    rows = [
        [{"name": name, "sha256": digest, **counts} for name, digest in inputs[number::parts]]
        for number in range(parts)
    ]
    made = publish(folder, {"corpus": {"options": {}, "parts": str(folder)}}, {"corpus/inputs": rows})
    made.sections["corpus"] |= {
        "inputs": inputs_entry("corpus/inputs", made.parts("corpus/inputs"), 5 * len(inputs)),
        **entry,
    }
    return made


def section(before, after):
    return changes(before, after)[0]["corpus"]


def test_inputs_are_others_only_where_files_are(tmp_path):
    before = published(tmp_path / "before")
    same = {
        "other parts": published(tmp_path / "parts", parts=2),
        "records that became something else": published(tmp_path / "records", documents=0),
    }
    others = {
        "one more": published(tmp_path / "more", (*FILES, ("c", "z"))),
        "other content of as many bytes": published(tmp_path / "content", (("a", "x"), ("b", "z"))),
        "another name": published(tmp_path / "name", (("a", "x"), ("c", "y")), parts=2),
    }
    assert {what: section(before, after) for what, after in same.items()} == dict.fromkeys(
        same, SectionChange("remade")
    )
    wanted = SectionChange("remade", inputs=True)
    assert {what: section(before, after) for what, after in others.items()} == dict.fromkeys(others, wanted)
    for path in before.paths("corpus/inputs"):
        Path(path).unlink()
    assert section(before, same["other parts"]) == wanted  # it cannot be told


def test_parts_that_a_section_reads_are_no_inputs(tmp_path):
    before, after = (published(tmp_path / name) for name in "ab")
    for snapshot, digest in ((before, "x"), (after, "y")):
        snapshot.sections["corpus"]["inputs"] = [[1, digest]]
    assert section(before, after) == SectionChange("remade")


def test_what_is_kept_of_another_snapshot_is_told(tmp_path):
    first, second = "1" * 32, "2" * 32
    entries = [{}, {"kept": first}, {"kept": second}, {"resources": {"kept": first}}, {"kept": ["a model"]}]
    none, splits, other, documents, models = (
        published(tmp_path / str(number), **entry) for number, entry in enumerate(entries)
    )
    assert section(none, splits) == SectionChange("remade", kept={"splits": first})
    assert section(splits, other) == SectionChange("remade", kept={"splits": second})
    assert section(other, none) == SectionChange("remade", kept={"splits": None})
    assert section(none, documents) == SectionChange("remade", kept={"documents": first})
    assert section(none, models) == SectionChange("remade")


def test_what_is_forgotten_is_told_by_itself(tmp_path):
    before = published(tmp_path / "before", resources={"engine": "one"})
    after = published(tmp_path / "after", resources={"engine": "one", "forgotten": "a digest"})
    assert section(before, after) == SectionChange("remade", forgotten=True)
