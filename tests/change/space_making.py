"""A pair of small slices of random sentences, trained with two seeds."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from lexbeam.schemas.corpus_tables import UPOS
from lexbeam.transforms.change.graph.comparisons import Comparisons, SliceReady, facts_of, train_tasks
from lexbeam.transforms.change.graph.pair_tasks import align_tasks
from lexbeam.transforms.change.scores.ranking import RankedWordOptions
from lexbeam.transforms.change.scores.seed_scores import ScoreTask, VariantSpaces
from lexbeam.transforms.change.spaces.aligning import Align, AlignOptions, SliceSpace
from lexbeam.transforms.change.spaces.training import Train
from lexbeam.transforms.change.view.counts import COUNTS, SliceCounts
from lexbeam.transforms.change.view.feeds import FEED
from lexbeam.transforms.common.store.artefacts import Artefact, Workspace, make
from lexbeam.transforms.common.store.batches import BatchWriter
from lexbeam.transforms.embeddings.sgns import SgnsOptions

DIM = 5
SGNS = SgnsOptions(dim=DIM, epochs=1)
COMPARISONS = Comparisons(("early", "late"), (2, 3), ((0, 1),), (1, 2))
RANK = RankedWordOptions(min_count=5, min_documents=1)


class Made(NamedTuple):
    """Slices by place, and their spaces by place and seed."""

    slices: dict
    spaces: dict

    def sides(self, seed):
        """What the first pair is aligned from."""
        return tuple(
            SliceSpace(COMPARISONS.names[place], self.slices[place].tokens, self.spaces[0, place, seed].file)
            for place in (0, 1)
        )

    def facts(self):
        """What scoring knows of the slices of the first pair."""
        return tuple(facts_of(COMPARISONS, place, self.slices) for place in (0, 1))


def tag_of(word):
    """The tag of all uses of a word: every third is a preposition."""
    return "NOUN" if int(word[1:]) % 3 else "ADP"


def ready(folder, place, vocabulary=30, keys=range(200), sentences=None):
    """A slice of sentences, by default random, written as the earlier stages write it; each has its key's document."""
    random = np.random.default_rng(place)
    sentences = sentences or [[f"w{n}" for n in random.zipf(1.4, 12) % vocabulary] for _ in range(200)]
    words, counts = np.unique([word for s in sentences for word in s], return_counts=True)
    tags = [[(UPOS.index(tag_of(word)), count)] for word, count in zip(words, counts, strict=True)]
    table = pa.table([words.tolist(), counts, np.minimum(counts, 9), tags], schema=COUNTS)
    lists = pa.array(sentences, pa.list_(pa.string()))
    coded = pa.ListArray.from_arrays(lists.offsets, lists.values.dictionary_encode())
    numbers = pa.array(keys, pa.uint64())
    artefact = Artefact(str(folder / f"slice{place}"))
    for suffix, batch in (
        ("-counts.arrow", table.to_batches()[0]),
        ("-feed.arrow", pa.RecordBatch.from_arrays([coded, numbers, numbers], schema=FEED)),
    ):
        with artefact.writing(suffix) as stream, BatchWriter(stream, batch.schema) as writer:
            writer.write(batch)
    found = SliceCounts(
        counts=artefact.file("-counts.arrow"),
        documents=9,
        sentences=200,
        tokens=2400,
        largest_document=2400,
        types=len(words),
        tokens_before=2400,
        short=0,
        short_tokens=0,
        split=0,
        sampled_out=0,
    )
    return SliceReady(place, found, ((artefact.file("-feed.arrow"),),))


def train_all(folder):
    space = Workspace(str(folder / "work"))
    slices = [ready(folder, place) for place in (0, 1)]
    spaces = {key: make(space, Train(SGNS), task) for one in slices for key, task in train_tasks(one, COMPARISONS)}
    return Made({one.place: one.counts for one in slices}, spaces)


def align_all(space, made, seed, alignments, **options):
    """Return tasks and receipts of the first pair, by alignment."""
    return {
        task.alignment: (task, make(space, Align(), task))
        for task in align_tasks(made.sides(seed), seed, alignments, AlignOptions(**options))
    }


def score_task(space, made, seed, alignments, **options):
    """Align the first pair and return what scores it."""
    aligned = align_all(space, made, seed, alignments, **options)
    task = next(iter(aligned.values()))[0]
    maps = {name: None if name == "none" else receipt.file for name, (_, receipt) in aligned.items()}
    return ScoreTask(made.facts(), seed, (VariantSpaces("apart", tuple(side.space for side in task.sides), maps),))
