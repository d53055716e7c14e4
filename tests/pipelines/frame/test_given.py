"""What a section was given is compared with what its options give now; of what is written, also whether it is there."""

from dataclasses import dataclass

import pytest

from lexbeam.pipelines.frame.inputs import given_by, given_otherwise
from lexbeam.transforms.common.options.fields import option


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of a command that writes beside its tables."""

    dim: int = option(3, help="published")
    stage: str | None = option(None, help="not published", published=False)
    save: str | None = option(None, help="the manifest tells of it", path="kept", published=False)
    to: str | None = option(None, help="nothing tells of it", path="written", published=False)


THERE, GONE = "{folder}/there", "{folder}/gone"
CASES = {
    "saved now": ({}, {"save": THERE}, ["option: `save` None to {folder}/there"]),
    "saved elsewhere": ({"save": GONE}, {"save": THERE}, ["option: `save` {folder}/gone to {folder}/there"]),
    "not saved any more": ({"save": THERE}, {}, ["option: `save` {folder}/there to None"]),
    "the model is gone": ({"save": GONE}, {"save": GONE}, ["option: `save`: nothing is at {folder}/gone"]),
    "written now": ({}, {"to": GONE}, ["option: `to` None to {folder}/gone"]),
    "not written any more": ({"to": THERE}, {}, []),
    "the file is gone": ({"to": GONE}, {"to": GONE}, ["option: `to`: nothing is at {folder}/gone"]),
    "all is there": ({"save": THERE, "to": THERE}, {"save": THERE, "to": THERE}, []),
    "files of kinds and splits": ({"to": GONE + "/{split}"}, {"to": GONE + "/{split}"}, []),
    "on a store": ({"to": "gs://bucket/easy"}, {"to": "gs://bucket/easy"}, []),
    "another value": ({"stage": "rank"}, {}, ["option: `stage` rank to None"]),
}


def given(values, folder):
    return Options(**{name: value.replace("{folder}", str(folder)) for name, value in values.items()})


@pytest.mark.parametrize("case", CASES)
def test_what_is_written_counts_where_it_is_to_be_written_or_the_manifest_tells_of_it(case, tmp_path):
    before, now, reasons = CASES[case]
    (tmp_path / "there").mkdir()
    noted = given_by(given(before, tmp_path), {}, {})
    wanted = [reason.replace("{folder}", str(tmp_path)) for reason in reasons]
    assert list(given_otherwise(given(now, tmp_path), noted)) == wanted


def test_a_note_of_an_earlier_version_says_nothing_of_places(tmp_path):
    (tmp_path / "there").mkdir()
    noted = {"stage": None}
    assert not list(given_otherwise(given({"save": THERE, "to": THERE}, tmp_path), noted))
    assert not list(given_otherwise(Options(), noted))
    assert len(list(given_otherwise(given({"save": GONE, "to": GONE}, tmp_path), noted))) == 2


def test_options_that_an_earlier_version_did_not_have_are_changes_where_they_are_set(tmp_path):
    @dataclass(frozen=True, kw_only=True)
    class Later(Options):
        """Options of a later version."""

        words: tuple[str, ...] = option(("a",), help="not published", published=False)
        names: str | None = option(None, help="a file", path="file")

    noted = given_by(Options(), {}, {}) | {"gone": 3}
    assert not list(given_otherwise(Later(), noted))
    assert list(given_otherwise(Later(words=("b",)), noted)) == ["option: `words` None to ['b']"]
    (tmp_path / "names").write_text("x")
    assert list(given_otherwise(Later(names=str(tmp_path / "names")), noted)) == ["option: `names` has other content"]
