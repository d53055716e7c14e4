"""Our own vectors as a resource, against those that Python and `lexbeam export` give."""

import numpy as np
import pyarrow as pa
import pytest
from kinds_opened import opened

import lexbeam
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.lexicon.compiled.static_vectors import VECTORS


def test_a_slice_and_seed_of_a_published_folder(results):
    for words, options in (("slice=a", {"slice": "a"}), ("slice=b,seed=2", {"slice": "b", "seed": 2})):
        keyed = lexbeam.vectors(results, **options)
        actual = opened(VECTORS, f"{results.folder}:{words}")
        assert actual.facts["format"] == "table"
        taken, there = actual.vectors(pa.array(keyed.index_to_key))
        assert there.all()
        assert np.array_equal(taken, keyed.vectors)


def test_what_is_exported_is_the_same_resource(results, tmp_path):
    lexbeam.export(results, format="word2vec", out=tmp_path)
    ours = opened(VECTORS, f"{results.folder}:slice=a,seed=1,unit=yes")
    exported = opened(VECTORS, f"{tmp_path / 'a_seed1.vec'}:unit=yes")
    assert exported.facts["format"] == "word2vec"
    assert np.array_equal(ours.matrix, exported.matrix)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (":slice=z", "no slice 'z'; there are a, b, c"),
        ("", "give `slice=`; there are a, b, c"),
        (":slice=a,seed=9", "no seed 9; there are 1, 2"),
    ],
)
def test_a_wrong_slice_or_seed_is_told(results, options, message):
    with pytest.raises(LexbeamError) as failed:
        opened(VECTORS, f"{results.folder}{options}")
    assert message in str(failed.value)
