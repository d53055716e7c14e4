import pyarrow as pa
from reader_tables import KIND, part

from lexbeam.schemas.cloze import PAIRS
from lexbeam.transforms.cloze.answers.data import ASKED_ROWS, EncodeAsked, VocabularyOptions
from lexbeam.transforms.cloze.readers.data import GroupTask, QuestionGroup
from lexbeam.transforms.common.store.artefacts import Artefact, Workspace, make
from lexbeam.transforms.common.store.tables import Part, read_table, write_part

OPTIONS = ["dog", "cat", "fox", "cow", "hen"]


def test_most_words_keeps_all_options_and_the_most_frequent_others(tmp_path):
    pair = {
        "pair_id": "p",
        "article_id": "a",
        "language": "en",
        "summary_forms": ["The", "dog", "barks"],
        "passage_forms": ["one", "two", "one", "three", "one", "two", "three"],
    }
    asked = {"question_id": "q", "kind": KIND, "language": "en", "article_id": "a", "pair_id": "p", "token": 1}
    asked |= {"options": OPTIONS, "label": 0, "split": None, "standing": [False] * 5}
    written = write_part(Artefact(str(tmp_path / "asked")), ASKED_ROWS, [pa.Table.from_pylist([asked], ASKED_ROWS)])
    task = GroupTask(QuestionGroup("", "en"), (part(tmp_path, PAIRS, [pair]),), (Part.of("cloze/asked", 0, written),))

    def words(**options):
        encoded = make(Workspace(str(tmp_path)), EncodeAsked(VocabularyOptions(**options)), task)
        return read_table([encoded.words.path])["word"].to_pylist()

    assert words() == [*sorted(OPTIONS), "one", "three", "two"]
    assert words(most_words=1) == [*sorted(OPTIONS), "one"]
