"""Complexity select from files in to files out, against a loop over all tokens."""

import itertools
import random
import re

import pyarrow.parquet as pq
import pytest
from small_runs import call, manifest

from lexbeam.transforms.common.draws.by_content import content_hashes, numbers
from lexbeam.transforms.complexity.instances.labelled_instances import instance_id
from lexbeam.transforms.complexity.select.occurrences import COPIES, OCCURRENCES, QUOTAS

pytestmark = pytest.mark.slow

WORDS = {
    "NOUN": ["Dog", "dog", "dogs", "tax", "Straße", "sea", "7"],
    "ADJ": ["big", "Old"],
    "VERB": ["runs", "see"],
    "PROPN": ["Ann", "Rome"],
    "PUNCT": ["."],
    "_": ["hm"],
}
FINE = {"Dog": "NN", "dog": "NN", "dogs": "NNS", "tax": "NN", "big": "JJ", "Old": "JJ"}
QUOTA = {"single": 12, "mwe": 8}
CONTEXTS = 3
NOUNS = ("NOUN", "PROPN")


def write_file(path, seed):
    """Write three documents of sentences, some of which are alike; their genres are a, b, none."""
    draw = random.Random(seed)
    lines = []
    for number, genre in enumerate(["a", "b", None]):
        lines.append(f"# newdoc id = {path.stem}{number}")
        lines += [f"# meta::genre = {genre}"] if genre else []
        for _ in range(25):
            blank = draw.random() < 0.1
            for place in range(1, draw.randint(1, 5) + 1):
                tag = draw.choice(["NOUN", "NOUN", "NOUN", "ADJ", "VERB", "PROPN", "PUNCT", "_"])
                form = draw.choice(WORDS[tag])
                fine = FINE.get(form, "_")
                tag = "_" if blank else tag
                lines.append("\t".join([str(place), form, form.lower(), tag, fine, *["_"] * 5]))
            lines.append("")
    path.write_text("\n".join(lines) + "\n", "utf-8")


@pytest.fixture(scope="module")
def corpora(tmp_path_factory):
    """Two corpora that share a file, in different parts; the second one in other parts, too."""
    folder = tmp_path_factory.mktemp("select")
    files = [folder / f"{name}.conllu" for name in "abc"]
    for seed, path in enumerate(files):
        write_file(path, seed)
    outs = {"first": (files[:2], 2), "second": (files[1:], 3), "other": (files[1:], 5)}
    for name, (inputs, parts) in outs.items():
        assert (
            call("corpus", *inputs, "--out", folder / name, "--parts", parts, "--format", "conllu", "--layers", "xpos")
            == 0
        )
    return folder


def select(out, *words):
    options = [
        "--language",
        "en",
        "--contexts",
        CONTEXTS,
        "--parts",
        3,
        "--quota",
        f"single={QUOTA['single']},mwe={QUOTA['mwe']}",
    ]
    return call("complexity", "select", *words, "--out", out, *options)


def instances(out):
    return pq.read_table(out / "current" / "complexity" / "instances").to_pylist()


def files_of(out):
    found = sorted((out / "current" / "complexity" / "instances").iterdir())
    return {path.name: path.read_bytes() for path in found}


def key_of(row):
    return (row["genre"], row["kind"], row["document_id"], row["sentence_number"], row["position"])


def targets(row):
    """Yield kind, position and words of the targets of a sentence, token by token."""
    tags, forms = row["upos"], row["forms"]
    fine = row["xpos"] or [None] * len(forms)

    def noun(at):
        word = forms[at].casefold()
        right = tags[at] == "NOUN" and fine[at] in ("NN", "NNS", None)
        return right and any(map(str.isalpha, word))

    for at, after in enumerate([*tags[1:], "end"]):
        if noun(at):
            yield "single", at, forms[at].casefold()
        beyond = (*tags, "end")[at + 2] if at + 2 <= len(tags) else None
        first = noun(at) or (tags[at] == "ADJ" and fine[at] in ("JJ", None))
        if first and after != "end" and noun(at + 1) and beyond and beyond not in NOUNS:
            yield "mwe", at, f"{forms[at]} {forms[at + 1]}".casefold()


def draw(columns, label, seed):
    keys = content_hashes(*([value] for value in columns))
    return int(numbers(keys, seed=seed, label=label)[0])


def brute(folder, names, seed=1, genre_of=None):
    """Return the keys of what is to be taken, and how many targets there are."""
    seen, rows = set(), []
    for name in names:
        own = pq.read_table(folder / name / "current" / "sentences").to_pylist()
        rows += [{**row, "corpus": name} for row in own if row["document_id"] not in seen]
        seen |= {row["document_id"] for row in own}
    copies, found = {}, []
    for row in rows:
        if row["upos"] is None:
            continue
        place = (row["document_id"], row["sentence"])
        genre = genre_of[row["corpus"]] if genre_of else row["genre"]
        copy = (draw(place, COPIES, seed), place)
        for kind, position, words in targets(row):
            content = tuple(row["forms"])
            copies[content] = min(copy, copies.get(content, copy))
            number = draw((*place, position), OCCURRENCES, seed)
            found.append((number, content, place, (genre, kind, *place, position), words))
    left, of_target = [], {}
    for _, content, place, key, words in sorted(found, key=lambda one: one[0]):
        if copies[content][1] != place:
            continue
        target = (*key[:2], words)
        of_target[target] = of_target.get(target, 0) + 1
        left += [key] if of_target[target] <= CONTEXTS else []
    taken, of_genre = set(), {}
    for key in sorted(left, key=lambda key: draw(key[2:], QUOTAS, seed)):
        of_genre[key[:2]] = of_genre.get(key[:2], 0) + 1
        taken |= {key} if of_genre[key[:2]] <= QUOTA[key[1]] else set()
    return taken, len(found)


def test_what_a_loop_over_all_tokens_takes(corpora, tmp_path):
    out = tmp_path / "out"
    assert select(out, corpora / "first", corpora / "second", "--seed", 4) == 0
    rows = instances(out)
    wanted, found = brute(corpora, ["first", "second"], seed=4)
    assert {key_of(row) for row in rows} == wanted
    assert len(rows) == len(wanted)
    section = manifest(out)["complexity.select"]
    assert sum(row["targets"] for row in section["genres"]) == found
    for row in section["genres"]:
        got = sum(key[:2] == (row["genre"], row["kind"]) for key in wanted)
        assert (row["instances"], row["quota"]) == (got, QUOTA[row["kind"]])
        assert row["short"] == row["quota"] - got
    assert any(row["short"] for row in section["genres"])
    assert not all(row["short"] for row in section["genres"])
    sentences = {}
    for name in ("first", "second"):
        table = pq.read_table(corpora / name / "current" / "sentences").to_pylist()
        sentences |= {(row["document_id"], row["sentence"]): row for row in table}
    blank = sum(row["upos"] is None for row in sentences.values())
    assert section["sentences"] == len(sentences)
    assert section["left_out"]["no_upos"] == blank > 0
    contents = {}
    for key, row in sentences.items():
        if row["upos"] is not None and any(targets(row)):
            contents.setdefault(tuple(row["forms"]), []).append(key)
    assert section["left_out"]["repeated"] == sum(len(own) - 1 for own in contents.values()) > 0
    check_rows(rows, sentences)


def check_rows(rows, sentences):
    for row in rows:
        own = sentences[row["document_id"], row["sentence_number"]]
        assert [row[name] for name in ("forms", "lemmas", "upos", "xpos")] == [
            own[name] for name in ("forms", "lemmas", "upos", "xpos")
        ]
        assert row["sentence"] == " ".join(own["forms"])
        last = row["position"] + row["tokens"]
        assert row["token"] == " ".join(own["forms"][row["position"] : last])
        assert row["sentence"][row["start"] : row["end"]] == row["token"]
        assert re.fullmatch(r"[abc]\.conllu", row["source"])
        assert row["flags"] == []
        named = ("kind", "genre", "sentence", "token", "start", "source_id")
        assert row["instance_id"] == instance_id(**{name: row[name] for name in named})


def test_the_same_bytes_whatever_the_parts_and_the_order(corpora, tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    assert select(one, corpora / "first", corpora / "second") == 0
    assert select(two, corpora / "other", corpora / "first") == 0
    assert files_of(one) == files_of(two)
    names = [row["instance_id"] for row in instances(one)]
    assert len(set(names)) == len(names)
    for path in (one / "current" / "complexity" / "instances").iterdir():
        own = pq.read_table(path)["instance_id"].to_pylist()
        assert own == sorted(own)
        assert len({int(name[:8], 16) % 3 for name in own}) <= 1


def test_another_seed_takes_others_and_a_larger_quota_the_same_and_more(corpora, tmp_path):
    out, other, more = (tmp_path / name for name in ("out", "other", "more"))
    assert select(out, corpora / "first") == 0
    assert select(other, corpora / "first", "--seed", 2) == 0
    assert call("complexity", "select", corpora / "first", "--out", more, "--language", "en") == 0
    taken, others, all_of_them = ({row["instance_id"] for row in instances(folder)} for folder in (out, other, more))
    assert taken - others
    assert others - taken
    assert taken <= all_of_them


def test_genres_of_corpora(corpora, tmp_path):
    out = tmp_path / "out"
    assert select(out, corpora / "first", "--genres", "novels") == 0
    wanted, _ = brute(corpora, ["first"], genre_of={"first": "novels"})
    assert {key_of(row) for row in instances(out)} == wanted


def test_a_larger_quota_finds_nothing_anew(corpora, tmp_path):
    out = tmp_path / "out"
    assert select(out, corpora / "first") == 0
    found = sorted((out / "_artefacts").glob("**/complexity.select/find/*.json"))
    before = [path.read_bytes() for path in found]
    assert (
        call("complexity", "select", corpora / "first", "--out", out, "--language", "en", "--overwrite", "--quota", 100)
        == 0
    )
    after = sorted((out / "_artefacts").glob("**/complexity.select/find/*.json"))
    assert found == after != []
    assert [path.read_bytes() for path in after] == before


def test_places_in_text(tmp_path):
    """Of text with line breaks: a sentence is one line, and offsets are those of the target."""
    (tmp_path / "a.txt").write_text("It  was the old\nsea. The dog\tbarked at dogs.", "utf-8")
    assert (
        call("corpus", tmp_path / "a.txt", "--out", tmp_path / "corpus", "--format", "text", "--engine", "builtin:en")
        == 0
    )
    assert call("complexity", "select", tmp_path / "corpus", "--out", tmp_path / "out", "--language", "en-GB") == 0
    rows = instances(tmp_path / "out")
    assert {row["token"] for row in rows} >= {"dog", "dogs"}
    for row in rows:
        assert row["sentence"][row["start"] : row["end"]] == row["token"]
        assert "\n" not in row["sentence"]
        assert row["sentence"].startswith(row["forms"][0])
        assert row["language"] == "en"


def test_bands_and_lengths(corpora, tmp_path):
    listed = tmp_path / "list.csv"
    listed.write_text("word,value\ndog,3\nDogs,4\ntax,9\nbig,3.5\n", "utf-8")
    out = tmp_path / "out"
    assert (
        select(
            out,
            corpora / "first",
            "--resources",
            f"easy={listed}:word=word,value=value",
            "--band",
            "easy=3:4",
            "--min-sentence",
            2,
            "--max-sentence",
            4,
            "--cache",
            tmp_path / "cache",
        )
        == 0
    )
    rows = instances(out)
    words = set(itertools.chain(*(row["token"].casefold().split() for row in rows)))
    assert words == {"dog", "dogs", "big"}
    assert {len(row["forms"]) for row in rows} <= {2, 3, 4}
    left = manifest(out)["complexity.select"]["left_out"]
    assert left["short"] > 0
    assert left["long"] > 0


def test_bands_of_wordfreq(corpora, tmp_path):
    wordfreq = pytest.importorskip("wordfreq")
    out, cache = tmp_path / "out", ("--cache", tmp_path / "cache")
    assert select(out, corpora / "first", "--resources", "zipf=wordfreq:en", "--band", "zipf=4.5:", *cache) == 0
    words = set(itertools.chain(*(row["token"].casefold().split() for row in instances(out))))
    assert words
    assert all(wordfreq.zipf_frequency(word, "en") >= 4.5 for word in words)


def test_what_does_not_go_is_told(corpora, tmp_path, capsys):
    first = corpora / "first"
    for words, message in [
        (["--genres", "a,b"], "names 2 genres for 1 corpora"),
        (["--band", "zipf=2:3"], "no resource is called 'zipf'"),
        (["--patterns", "nuon"], "no pattern is called 'nuon'"),
    ]:
        assert select(tmp_path / "out", first, *words) != 0
        assert message in capsys.readouterr().err
    assert call("complexity", "select", first, "--out", tmp_path / "out") != 0
    assert "no known language" in capsys.readouterr().err
