import pyarrow as pa
import pytest
import yaml

from lexbeam.pipelines.commands.folder.export import LISTED, data_card
from lexbeam.schemas.columns import Table, column

COLUMNS = [
    column("word", pa.string(), "the word, see `words`"),
    column("share", pa.float64(), "share|part", unit="%", range="0 to 100", nullable=True),
]
WORDS = Table(name="toy/words", row="a word", key=("word",), columns=COLUMNS)
PARTS = [{"file": "part-0", "rows": 2, "bytes": 9, "sha256": "a" * 64}]


def manifest(inputs, **options):
    return {
        "lexbeam": {"manifest_version": 2},
        "tables": {"toy/words": {"rows": 2, "parts": PARTS}, "other": {"rows": 1, "parts": PARTS}},
        "environments": {
            "e1": {"lexbeam": "1.2.3", "commit": "0123456789ab", "python": "3.11.7", "packages": {"numpy": "2"}}
        },
        "toy": {
            "parts": {"toy/words": ["part-0"]},
            "inputs": inputs,
            "environment": "e1",
            "options": {"least": 3, "note": "", "dates": "name:(\\d+)_```", **options},
        },
        "rest": {"parts": {"other": ["part-0"]}, "inputs": [], "options": {"secret": 1}},
    }


def card(inputs=(), license=None, **options):
    return data_card(manifest(list(inputs), **options), {"toy/words": WORDS.schema()}, license)


def front(text):
    _, head, body = text.split("---\n", 2)
    return yaml.safe_load(head), body


def test_the_front_matter_names_the_files_of_each_table():
    head, _ = front(card(license="cc-by-4.0"))
    assert head == {
        "license": "cc-by-4.0",
        "configs": [{"config_name": "toy.words", "data_files": "toy/words/part-*.parquet"}],
    }


@pytest.mark.parametrize("license", ["other: see below", "no", "[x]", "© me\nand you", "`a` | *b*"])
def test_any_licence_is_read_as_it_was_given(license):
    assert front(card(license=license))[0]["license"] == license


def test_a_missing_licence_is_to_be_filled_in():
    head, body = front(card())
    assert head["license"] == "unknown"
    assert "To be filled in" in body
    assert "To be filled in" not in card(license="mit")


def test_columns_have_types_meanings_units_and_ranges():
    lines = card().splitlines()
    assert "| `word` | string | the word, see `words` |  |  |" in lines
    assert "| `share` | double, or null | share\\|part | % | 0 to 100 |" in lines
    told = "2 rows in 1 part; a row is a word; sorted by word within a part; schema version 1."
    assert told in lines


def test_origin_names_inputs_by_digest_and_options():
    inputs = [{"name": f"a|{n}_.txt", "bytes": 1000 + n, "sha256": f"{n:064x}"} for n in range(30)]
    text = card(inputs)
    assert f"Input files (30, the first {LISTED} of them)" in text
    assert f"| a\\|0\\_.txt | 1,000 | {0:064x} |" in text
    assert f"{LISTED:064x}" not in text
    assert "lexbeam 1.2.3 (0123456789ab) with Python 3.11.7" in text
    block = text.split("```yaml\n")[1].split("\n```")[0]
    assert yaml.safe_load(block)["least"] == 3
    assert "note" not in block
    assert "secret" not in text  # of a section of which no table is there


def test_inputs_that_are_a_table_are_counted():
    table = {"table": "toy/inputs", "files": 12_345, "bytes": 6_789_000, "digest": "ab" * 16}
    toy = manifest([])
    toy["toy"]["inputs"] = table
    text = data_card(toy, {"toy/words": WORDS.schema()}, None)
    told = "Input files: 12,345, 6,789,000 bytes; table toy/inputs has the SHA-256 of each."
    assert f"{told} The digest of its content is {'ab' * 16}." in text


def test_the_order_of_a_manifest_changes_nothing():
    turned = dict(reversed(manifest([]).items()))
    schemas = {"toy/words": WORDS.schema()}
    assert data_card(turned, schemas, None) == data_card(manifest([]), schemas, None)
