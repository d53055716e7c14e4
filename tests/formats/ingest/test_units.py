from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.common.store.artefacts import Artefact, Workspace
from lexbeam.transforms.formats.ingest import input_listing
from lexbeam.transforms.formats.ingest.ingestion import InputFile
from lexbeam.transforms.formats.ingest.input_listing import (
    KEY_BITS,
    UNIT_BYTES,
    UNIT_FILES,
    ListingWriter,
    bits_for,
    key_of,
    listed_units,
    opened,
    settle_bits,
    units_of,
)


def file_of(name, size=100):
    return InputFile(name, f"/in/{name}", size, "in", 7)


MANY = [file_of(f"{n // 100}/{n}.txt") for n in range(5 * UNIT_FILES)]


def moved(before, after):
    """How many units of `after` are not there before: they are taken in anew."""
    return len({unit.files for unit in after} - {unit.files for unit in before})


def test_a_file_touches_its_own_unit_alone():
    before = units_of(MANY)
    assert 4 <= len(before) <= 8
    first = file_of("! before all others")
    assert moved(before, units_of([first, *MANY])) == 1
    assert moved(before, units_of(MANY[1:])) == 1
    changed = [MANY[0]._replace(size=200), *MANY[1:]]
    assert moved(before, units_of(changed)) == 1
    assert moved(before, units_of([*MANY, file_of("large", UNIT_BYTES)])) == 1


def test_doubling_halves_units_and_no_other_file_moves():
    before, after = units_of(MANY, 3), units_of(MANY, 4)
    whole = {frozenset(unit.files) for unit in before}
    halves = [frozenset(unit.files) for unit in after]
    assert len(halves) == 2 * len(whole)
    assert all(sum(half <= unit for unit in whole) == 1 for half in halves)


def test_the_number_of_buckets_follows_a_rule_and_stays_while_it_is_near():
    assert bits_for(0, 0) == bits_for(UNIT_FILES, UNIT_BYTES) == 0
    assert bits_for(UNIT_FILES + 1, 0) == bits_for(1, UNIT_BYTES + 1) == 1
    assert bits_for(200_000, 0) == 8
    assert bits_for(1_000_000, 0, kept=9) == 9
    assert bits_for(1_000_000, 0, kept=11) == 11
    assert bits_for(1_000_000, 0, kept=8) == bits_for(1_000_000, 0, kept=12) == 10


def listing_of(path, files):
    artefact = Artefact(str(path))
    with artefact.writing("-listed.arrow") as stream, ListingWriter(stream) as writer:
        for file in files:
            writer.add(file)
    return writer.listing(artefact.file("-listed.arrow"))


def test_workers_read_the_units_of_a_listing(tmp_path, monkeypatch):
    monkeypatch.setattr(input_listing, "RUN_ROWS", 700)
    monkeypatch.setattr(input_listing, "BATCH_ROWS", 60)
    odd = InputFile("odd\\xFF", "/in/odd\udcff", 1, "in")
    files = [*MANY, odd]
    listings = [listing_of(tmp_path / "a", files[::2]), listing_of(tmp_path / "b", files[1::2])]
    assert list(listings[0].keys) == sorted(listings[0].keys)
    for bits in (0, 3, 11):
        units = list(listed_units(listings, bits))
        found = [unit for unit in map(opened, units) if unit is not None]
        assert sorted(found, key=lambda unit: unit.files[0].name) == units_of(files, bits)
        assert abs(sum(unit.size for unit in units) - sum(file.size for file in files)) < 1
    # What a unit has is read, and little else, however many runs were merged.
    read = [sum(stop - start for _, start, stop in unit.spans) for unit in listed_units(listings, 3)]
    assert sum(read) < sum(len(listing.keys) for listing in listings) + 2 * 2 * len(read)


def test_keys_at_borders_are_in_one_unit(tmp_path, monkeypatch):
    monkeypatch.setattr(input_listing, "RUN_ROWS", 7)
    monkeypatch.setattr(input_listing, "BATCH_ROWS", 2)
    borders = [number << KEY_BITS - 3 for number in range(9)]
    keys = [key for border in borders for key in (border - 1, border, border, border + 1) if 0 <= key < 1 << KEY_BITS]
    names = {f"{place}.txt": key for place, key in enumerate(keys)}
    monkeypatch.setattr(input_listing, "key_of", names.__getitem__)
    units = listed_units([listing_of(tmp_path / "a", map(file_of, names))], 3)
    found = {unit.bucket: [file.name for file in opened(unit).files] for unit in units}
    expected = {}
    for name in sorted(names):
        expected.setdefault(names[name] >> KEY_BITS - 3, []).append(name)
    assert found == expected


def test_empty_buckets_are_no_units(tmp_path):
    listings = [listing_of(tmp_path / "a", MANY[:3])]
    assert len(list(listed_units(listings, 10))) == 3


def test_the_number_of_buckets_is_kept_beside_artefacts(tmp_path):
    workspace = Workspace(str(tmp_path / "work"))
    assert settle_bits([listing_of(tmp_path / "a", MANY)], workspace) == 3
    assert settle_bits([listing_of(tmp_path / "b", MANY[: 3 * UNIT_FILES])], workspace) == 3
    assert settle_bits([listing_of(tmp_path / "c", MANY[:UNIT_FILES])], workspace) == 0
    (tmp_path / "work" / "listing" / "buckets.json").write_text("{")
    assert settle_bits([listing_of(tmp_path / "d", MANY)], workspace) == 3


@given(st.sets(st.text(min_size=1), max_size=60), st.integers(0, 6))
def test_each_file_is_in_one_unit(names, bits):
    files = [file_of(name) for name in sorted(names)]
    units = units_of(files, bits)
    assert sorted(file.name for unit in units for file in unit.files) == sorted(names)
    for unit in units:
        assert len({key_of(file.name) >> KEY_BITS - bits for file in unit.files}) == 1
