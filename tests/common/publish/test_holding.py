"""Which values are outside their bounds, and which sections are held where others have failed."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.common.errors import HeldBackError
from lexbeam.transforms.common.publish.holding import (
    FAILED,
    Bound,
    Gauge,
    SectionContent,
    Unmade,
    check_bounds,
    held_sections,
    made_from,
)
from lexbeam.transforms.common.publish.sections import Made

MADE = [Made(name="corpus", parts=(), entry={})]


def outside(values, *bound):
    gauge = Gauge(lambda made: values, doc="shares")
    try:
        check_bounds(MADE, {"corpus": [Bound("shares", gauge, *bound)]})
    except HeldBackError as error:
        return [*error.reasons]
    return []


@pytest.mark.parametrize(
    ("values", "bound", "reasons"),
    [
        ({"en": 0.5}, (None, 0.5, 0.5), []),
        ({"en": 0.5, "de": 0.4}, (None, 0.5, None), ["shares of de: 0.4 is less than 0.5"]),
        ({"en": 0.5}, ("de", 0.1, None), ["shares of de: 0 is less than 0.1"]),
        ({"en": 0.5}, ("de", None, 0.1), []),
        ({}, (None, 0.5, None), ["shares: there is none, and 0.5 is the least"]),
        ({}, (None, 0, None), []),
        ({}, (None, None, 0.5), []),
    ],
)
def test_each_value_or_the_named_one_keeps_its_bounds(values, bound, reasons):
    assert outside(values, *bound) == [f"corpus: {reason}" for reason in reasons]


def test_a_bound_from_above_of_what_is_not_there_is_told(caplog):
    assert outside({"en": 0.5, "de": 0.4}, "eng", None, 0.6) == []
    (record,) = caplog.records
    assert record.getMessage() == "the gate's bound of corpus: shares: there is no eng, but de, en"
    assert outside({"en": 0.5}, "en", None, 0.6) == []
    assert len(caplog.records) == 1


def side(reads=(), **tables):
    """A section by the digests of its tables; it reads tables with the digests that are given, as `table digest`."""
    return SectionContent(tables, dict(read.split() for read in reads))


CORPUS = side(documents="1")
CHANGE = side(["documents 1"], scores="1")
PAIRS = side(["documents 1"], pairs="1")
CANDIDATES = side(["pairs 1"], candidates="1")
LOAD = side(instances="1")
PUBLISHED = {"corpus": CORPUS, "change": CHANGE, "pairs": PAIRS, "candidates": CANDIDATES, "load": LOAD}
NEW = {
    "corpus": side(documents="2"),
    "change": side(["documents 2"], scores="2"),
    "pairs": side(["documents 2"], pairs="2"),
    "candidates": side(["pairs 2"], candidates="2"),
    "load": side(instances="2"),
}


def hold(made, *failed, published=PUBLISHED, **lacking):
    """Return what is held where some have failed, and others lack what they would be made from."""
    unmade = {name: Unmade(tuple(NEW[name].tables), FAILED) for name in failed}
    unmade |= {name: Unmade(tuple(NEW[name].tables), made_from(of)) for name, of in lacking.items()}
    return held_sections(published, {name: made[name] for name in made if name not in unmade}, unmade)


def test_a_failed_section_holds_what_feeds_it_and_what_is_made_of_that():
    held = {
        "change": "failed",
        "corpus": "feeds change",
        "pairs": "is made from corpus",
        "candidates": "is made from pairs",
    }
    assert hold(NEW, "change") == held
    assert hold(NEW, "load") == {"load": "failed"}


def test_what_has_come_out_as_it_is_published_need_not_be_held():
    """Nor what is made of it; of a section between, its own options may be others."""
    same = NEW | {
        "corpus": CORPUS,
        "pairs": side(["documents 1"], pairs="1"),
        "change": side(["documents 1"], scores="2"),
    }
    assert hold(same, "candidates") == {"candidates": "failed"}


def test_a_section_that_was_never_published_holds_nothing_that_feeds_it():
    published = {name: section for name, section in PUBLISHED.items() if name not in ("pairs", "candidates")}
    held = {"pairs": "failed", "candidates": "is made from pairs"}
    assert hold(NEW, "pairs", published=published, candidates="pairs") == held
    assert hold(NEW, "change", published={}) == {"change": "failed"}


def test_what_no_section_of_the_run_makes_stays_for_what_is_held():
    """Candidates are held, and read pairs that are published and left alone, which read documents."""
    made = {name: section for name, section in NEW.items() if name != "pairs"}
    held = {"candidates": "failed", "corpus": "feeds candidates", "change": "is made from corpus"}
    assert hold(made, "candidates") == held


def test_a_section_that_takes_the_place_of_one_that_must_stay_is_held():
    """Two sections make the same table; the one that is published is not the one that is made."""
    published = {"select": side(instances="1"), "features": side(["instances 1"], features="1")}
    made = {"load": side(instances="2")}
    unmade = {"features": Unmade(("features",), FAILED)}
    assert held_sections(published, made, unmade) == {"features": "failed", "load": "feeds features"}
    assert held_sections(published, made, {"select": Unmade(("instances",), FAILED)}) == {
        "select": "failed",
        "load": "shares tables with select",
    }


@st.composite
def runs(draw):
    """A folder, and a run of some of its sections and new ones, of which some fail; each makes a table or two."""
    number = draw(st.integers(1, 6))
    reads = {n: draw(st.sets(st.sampled_from(range(n)))) if n else set() for n in range(number)}
    outside = draw(st.sets(st.sampled_from(range(number))))
    # What is published and not of the run is made from nothing that is of it, or from what nobody else reads.
    there = {n for n in range(number) if n in outside or draw(st.booleans())}
    there = {n for n in there if reads[n] <= there}
    outside &= there
    published = {f"s{n}": SectionContent({f"t{n}": "old"}, {f"t{m}": "old" for m in reads[n]}) for n in there}
    made, unmade = {}, {}
    for n in (n for n in range(number) if n not in outside):
        lacking = next((m for m in sorted(reads[n]) if f"s{m}" in unmade), None)
        if lacking is not None:
            unmade[f"s{n}"] = Unmade((f"t{n}",), made_from(f"s{lacking}"))
        elif draw(st.booleans()):
            digest = draw(st.sampled_from(["old", "new"]))
            inside = {f"t{m}": made[f"s{m}"].tables[f"t{m}"] if f"s{m}" in made else "old" for m in reads[n]}
            made[f"s{n}"] = SectionContent({f"t{n}": digest}, inside)
        else:
            unmade[f"s{n}"] = Unmade((f"t{n}",), FAILED)
    return published, made, unmade


def consistent(published, made, unmade, new):
    """Whether `new` can be published: what is held is there as before, and all reads are of what is there."""
    of_run = {*made, *unmade}
    final = {name: side for name, side in published.items() if name not in new} | {name: made[name] for name in new}
    went = set()
    while True:
        there = {table: digest for side in final.values() for table, digest in side.tables.items()}
        lost = [name for name, side in final.items() if not side.reads.items() <= there.items()]
        # What is not of the run goes with what it was made from, as it does without a failure.
        gone = [name for name in lost if name not in of_run]
        if not gone:
            return all(name in new and dict(final[name].reads.items() - there.items()).keys() <= went for name in lost)
        for name in gone:
            went |= final.pop(name).tables.keys()


@given(runs())
def test_as_much_is_published_as_can_be(run):
    published, made, unmade = run
    held = held_sections(published, made, unmade)
    assert held.keys() >= unmade.keys()
    new = made.keys() - held.keys()
    sets = [{*chosen} for size in range(len(made) + 1) for chosen in combinations(made, size)]
    fitting = [chosen for chosen in sets if consistent(published, made, unmade, chosen)]
    assert new in fitting or not fitting
    assert all(chosen <= new for chosen in fitting)
