"""Which files have gone, against sets of names."""

from unittest import mock

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lexbeam.transforms.common.store.artefacts import Artefact
from lexbeam.transforms.common.store.resources import content_digest
from lexbeam.transforms.common.store.tables import Part
from lexbeam.transforms.formats.ingest import kept_files
from lexbeam.transforms.formats.ingest.ingestion import InputFile
from lexbeam.transforms.formats.ingest.input_listing import ListingWriter, key_of
from lexbeam.transforms.formats.ingest.kept_files import gone_keys

NAMES = st.lists(st.sampled_from([f"{number}.txt" for number in range(40)]), unique=True)


def published(folder, number, names):
    """A part of a table of input files."""
    path = folder / f"{number}-{len(names)}.parquet"
    pq.write_table(pa.table({"name": pa.array(sorted(names), pa.string())}), path)
    return Part("corpus/inputs", number, str(path), len(names), path.stat().st_size, content_digest(str(path)))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(before=NAMES, small=NAMES, large=NAMES, held=st.sampled_from((1, 7, 1000)))
def test_gone_is_what_was_taken_in_and_is_not_listed(tmp_path_factory, before, small, large, held):
    folder = tmp_path_factory.mktemp("gone")
    artefact = Artefact(str(folder / "listing"))
    with artefact.writing("-listed.arrow") as stream, ListingWriter(stream) as writer:
        for name in small:
            writer.add(InputFile(name, name, 1, ""))
    parts = [published(folder, number, before[number::2]) for number in range(2)]
    with mock.patch.object(kept_files, "HELD", held):  # files at a time
        rounds = [keys.tolist() for keys in gone_keys([artefact.file("-listed.arrow")], large, parts)]
    assert len(rounds) == max(-(-len(before) // held), 1)
    assert all(keys == sorted(keys) for keys in rounds)
    assert sorted(key for keys in rounds for key in keys) == sorted(
        key_of(name) for name in {*before} - {*small} - {*large}
    )
