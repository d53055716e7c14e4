"""What a corpus run keeps of a published corpus, of files that have gone since."""

from typing import NamedTuple

from lexbeam.schemas.columns import Table
from lexbeam.schemas.common_tables import REJECTS
from lexbeam.schemas.corpus.documents import DOCUMENTS
from lexbeam.schemas.corpus.inputs import INPUTS
from lexbeam.schemas.corpus.sentences import SENTENCES
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.formats.ingest.keep_stage import KeepSetting, KeptPart

_TABLES: tuple[Table, ...] = (DOCUMENTS, SENTENCES, REJECTS, INPUTS)


class KeptCorpus(NamedTuple):
    """A published corpus: the name of the snapshot, the parts of its tables, what is kept of documents."""

    snapshot: str
    parts: tuple[KeptPart, ...]
    setting: KeepSetting


def kept_corpus(snapshot: Snapshot, setting: KeepSetting) -> KeptCorpus:
    """Return a published corpus as what is kept of it.

    Raises:
        LexbeamError: the snapshot has no corpus, or one whose tables or layers are others.
    """
    section = snapshot.section("corpus")
    for table in _TABLES:
        if snapshot.tables[table.name]["schema_version"] != table.version:
            raise LexbeamError(
                f"`keep_missing`: table {table.name} at {snapshot.out!r} is of another version of Lexbeam, so that "
                "nothing can be kept of it: leave `keep_missing` out once"
            )
    # Without an engine, annotation is what is kept, and with one that of documents that have no text.
    layers = set(section["options"].get("layers", ()))
    if not layers >= set(setting.layers):
        raise LexbeamError(
            f"`keep_missing`: the corpus at {snapshot.out!r} lacks the layers "
            f"{', '.join(sorted(set(setting.layers) - layers))}: leave `keep_missing` out once"
        )
    return KeptCorpus(
        snapshot.name,
        tuple(map(KeptPart._make, zip(*(snapshot.parts(table.name) for table in _TABLES), strict=True))),
        setting,
    )
