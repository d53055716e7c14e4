"""Tables of tokens that are easily taken for prose."""

from pathlib import Path
from typing import Any

from hostile_feeding import ingest_options
from hostile_meaning import Meaning

from lexbeam.schemas.rejects import RejectRow
from lexbeam.transforms.common.names import escape
from lexbeam.transforms.formats.ingest.ingestion import InputFile, read_documents


def read_annotation(path: Path, options: dict[str, Any]) -> str:
    """Return form, lemma and part of speech of each token, and the year of each document."""
    options = {name: tuple(value.split(",")) if name == "columns" else value for name, value in options.items()}
    file = InputFile(escape(path.name), str(path), path.stat().st_size, "in")
    found = []
    for outcome in read_documents(file, ingest_options({"engine": "", **options}, path.parent)):
        if isinstance(outcome, RejectRow):
            found.append(f"{outcome.reason}: {outcome.detail}")
            continue
        row, record, _ = outcome
        tokens = [
            "/".join(token)
            for sentence in record.sentences or ()
            for token in zip(
                sentence.forms or (),
                sentence.lemmas or ["-"] * len(sentence.forms or ()),
                sentence.upos or ["-"] * len(sentence.forms or ()),
                strict=True,
            )
        ]
        found.append(" ".join(tokens or [record.text or ""]) + (f" ({row['year']})" if row["year"] is not None else ""))
    return " | ".join(found)


_TOKENS = b"The\tDT\tthe\nships\tNNS\tship\nsail\tVBP\tsail\n.\tSENT\t.\n"
_READ = "The/the/DET ships/ship/NOUN sail/sail/VERB ././PUNCT"

VERTICAL: dict[str, list[Meaning]] = {
    "Vertical text": [
        Meaning("output of TreeTagger", "a.txt", _TOKENS, _READ, by=read_annotation),
        Meaning(
            "a text of a VRT file",
            "a.vrt",
            b'<text id="t1" year="1850">\n<s>\n' + _TOKENS + b"</s>\n</text>\n",
            f"{_READ} (1850)",
            {"dates": "field:year"},
            by=read_annotation,
        ),
        Meaning(
            "columns that a comment names, entities, an unknown lemma, several lemmas",
            "a.vrt",
            b"<!-- #vrt positional-attributes: word lemma pos -->\n<text>\n"
            b"AT&amp;T\t<unknown>\tNNP\nsaw\tsee|saw\tVBD\n",
            "AT&T/AT&T/PROPN saw/see/VERB",
            by=read_annotation,
        ),
        Meaning(
            "glue, without annotation",
            "a.vert",
            b"<doc>\n<s>\nships\n<g/>\n.\n</s>\n</doc>\n",
            "ships/-/- ./-/-",
            by=read_annotation,
        ),
        Meaning(
            "columns that nothing names",
            "a.vert",
            b"ship\tNcfsn\tlod\nsails\tVmip3s\tplout\n",
            "malformed: vertical text with 3 columns, which nothing names; see --columns word,pos,lemma",
            by=read_annotation,
        ),
        Meaning(
            "the same",
            "a.vert",
            b"ship\tNcfsn\tlod\nsails\tVmip3s\tplout\n",
            "ship/lod/- sails/plout/-",
            {"columns": "word,pos,lemma"},
            by=read_annotation,
        ),
        Meaning(
            "tags of a set that is not known, in a `.txt`",
            "a.txt",
            b"De\tdet__art\tde\nschepen\tnounpl\tschip\n.\t$.\t.\n",
            "malformed: vertical text with 3 columns, which nothing names; see --columns word,pos,lemma",
            by=read_annotation,
        ),
        Meaning(
            "a first row with the names of columns",
            "a.txt",
            b"token\tpos\tlemma\n" + _TOKENS,
            _READ,
            by=read_annotation,
        ),
        Meaning(
            "spaces between columns",
            "a.vert",
            b"<s>\nThe DT the\nships NNS ship\n</s>\n",
            "malformed: vertical text with spaces between its columns; put tabs there",
            by=read_annotation,
        ),
        Meaning(
            "a tag that is not whole",
            "a.vrt",
            b'<text id="a\n' + _TOKENS,
            f"malformed: a line begins like a tag, and is none | {_READ}",
            by=read_annotation,
        ),
        Meaning(
            "CoNLL-U without comments",
            "a.txt",
            b"".join(b"%d\t%s\t%s\tNOUN" % (n, w, w) + b"\t_" * 6 + b"\n" for n, w in ((1, b"ship"), (2, b"sea"))),
            "ship/ship/NOUN sea/sea/NOUN",
            by=read_annotation,
        ),
    ]
}
