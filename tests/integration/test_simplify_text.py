"""`lexbeam simplify text`: the same texts with simpler words, and nothing else of them changed."""

import io
import subprocess
import sys
from pathlib import Path

import pytest
from small_runs import call, manifest, unless_given

import lexbeam
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.publish.snapshots import open_snapshot
from lexbeam.transforms.simplification.settings import DEFAULT, ENOUGH, TEXT_SETTINGS, precision_told, setting_of

ROOT = Path(__file__).resolve().parents[2]
THESAURUS = """UTF-8
arduous|2
(adj)|hard|difficult
(adj)|hard
ordinance|1
(noun)|law
magistrate|1
(noun)|judge
inscrutable|1
(adj)|strange
"""
SETTINGS = "plain: {generators: thesaurus, filters: morphology, ranker: senses}\n"
REPORT = (
    "The committee saw an  inscrutable ordinance.\r\n\r\nAn arduous negotiation followed in 1999;\r\nit was fine.\r\n"
)
EASY = "\ufeffThe cat sat.\r\n\r\n  It was  a cat\u2026 cafe\u0301\n"


def words(folder, *options):
    """The options of most runs, and these."""
    most = (
        "--language",
        "en",
        "--settings",
        folder / "settings.yaml",
        "--setting",
        "plain",
        "--zipf-below",
        4,
        "--thesaurus",
        folder / "th.dat",
        "--parts",
        2,
    )
    return (*unless_given(most, options), *options)


@pytest.fixture(scope="module", autouse=True)
def cache(wordfreq_cache):
    """One cache of word frequencies for all of these tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LEXBEAM_CACHE", wordfreq_cache)
        yield


@pytest.fixture(scope="module")
def world(cache, tmp_path_factory):
    folder = tmp_path_factory.mktemp("text")
    (folder / "th.dat").write_text(THESAURUS)
    (folder / "settings.yaml").write_text(SETTINGS)
    texts = folder / "texts"
    (texts / "sub").mkdir(parents=True)
    (texts / "report.txt").write_bytes(REPORT.encode())
    (texts / "sub" / "easy.txt").write_bytes(EASY.encode())
    (texts / "picture.txt").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(40))
    options = (*words(folder), "--max-reject-share", ".5", "--write-text", folder / "written")
    assert call("simplify", "text", texts, "--out", folder / "out", *options) == 0
    return folder


def rows(out, table):
    return open_snapshot(str(out)).read(f"simplification/{table}").to_pylist()


def test_only_the_words_differ(world):
    written = (world / "written" / "report.txt").read_bytes().decode()
    assert written == REPORT.replace("an  inscrutable ordinance", "a  strange law").replace("An arduous", "A hard")
    assert (world / "written" / "sub" / "easy.txt").read_bytes() == EASY.encode()
    documents = {row["document"]: row for row in rows(world / "out", "documents")}
    assert documents["sub/easy.txt"]["content"] == EASY.encode()
    assert [documents["report.txt"][name] for name in ("sentences", "chosen", "changed")] == [2, 4, 3]
    assert documents["report.txt"]["text"].startswith("The committee saw a")


def test_each_change_says_why(world):
    made = [row for row in rows(world / "out", "changes") if row["document"] == "report.txt"]
    assert [(row["kind"], row["target"], row["chosen"], row["reason"]) for row in made] == [
        ("beside", "an", "a", None),
        ("word", "inscrutable", "strange", None),
        ("word", "ordinance", "law", None),
        ("beside", "An", "A", None),
        ("word", "arduous", "hard", None),
        ("word", "negotiation", "negotiation", "no_candidate"),
    ]
    text = next(row["text"] for row in rows(world / "out", "documents") if row["document"] == "report.txt")
    for row in made:
        assert text[row["start_out"] : row["end_out"]] == row["chosen"]
        assert (row["chosen_by"], row["chosen_value"] < 4) == ("zipf", True)
    assert (made[4]["place"], made[4]["candidates"], made[4]["score"] > 2) == (1, 2, True)


def test_nothing_is_lost(world, capsys):
    (reject,) = rows(world / "out", "rejects")
    assert (reject["source"], reject["reason"]) == ("picture.txt", "image")
    section = manifest(world / "out")["simplify.text"]
    assert (section["documents"], section["altered"], section["rejected"]) == (2, 1, 1)
    outcomes = {name: number for name, number in section["outcomes"].items() if number}
    assert outcomes == {"changed": 3, "no_candidate": 2}
    assert call("simplify", "text", world / "texts", "--out", world / "refused", *words(world)) == 1
    told = capsys.readouterr().err
    assert "more than --max-reject-share" in told
    assert "Name another --format or --encoding, leave files out by --exclude, or allow more with" in told


def test_shown(world, capsys):
    assert call("show", world / "out", "--document", "report.txt", "--lost") == 0
    told = capsys.readouterr().out
    assert "[[An → A]] [[arduous → hard]] negotiation" in told
    assert "arduous → hard: zipf" in told
    assert "difficult: rank 2" in told
    assert "negotiation: no candidate is left for it" in told
    kept = world / "kept.yaml"
    kept.write_text(SETTINGS.replace("ranker: senses", "ranker: senses, min_simpler: 9"))
    options = [kept if word == world / "settings.yaml" else word for word in words(world)]
    assert call("simplify", "text", world / "texts" / "report.txt", "--out", world / "kept", *options) == 0
    capsys.readouterr()
    assert call("show", world / "kept", "--document", "report.txt", "--lost") == 0
    told = capsys.readouterr().out
    assert "arduous: no candidate is enough simpler than it" in told
    assert "hard: not enough simpler than the word" in told
    assert "difficult: not enough simpler than the word" in told
    assert call("show", world / "out", "--stages", "arduous") == 0
    assert call("show", world / "out", "--document", "report") == 2
    assert "did you mean 'report.txt'" in capsys.readouterr().err
    assert call("report", world / "out", "--out", world / "report.html") == 0
    assert "[[arduous → hard]]" in (world / "report.html").read_text()


def test_a_pipe_prints_the_text_alone(world, monkeypatch, capfdbinary):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(REPORT.encode())))
    assert call("simplify", "text", "-", *words(world)) == 0
    told = capfdbinary.readouterr()
    assert told.out == (world / "written" / "report.txt").read_bytes()
    assert "arduous → hard" in told.err.decode()
    assert "tables:" not in told.err.decode()  # they are removed


CODE = {
    "page.html": "<p>An arduous <code>arduous &amp; ordinance</code> <kbd>arduous</kbd> <textarea>arduous</textarea> "
    "task.<pre>arduous\n<b>ordinance</b></pre><p>An <b>ar</b>duous, arduous &lt; day.",
    "notes.md": "An arduous `arduous ordinance` task.\n\n    arduous\n\n```\narduous\n```\n",
    "post.txt": "An arduous &amp; arduous caf&eacute; task: #arduous @magistrate http://a.org/arduous-task, "
    "a@arduous.com www.arduous.org arduous.org/ordinance <i class='arduous ordinance'>.\n",
    "blank.txt": " \r\n\t\n",
    "empty.txt": "",
    "script.html": "<script>a;<!-- <script> b </script> var arduous = 'arduous'; --></script><p>An arduous day.",
    "notranslate.html": '<p translate="no">arduous</p><p class="notranslate">arduous</p>'
    "<p>{{ arduous }} and ${arduous}, an <i lang=la>arduous</i> or an arduous walk</p>",
    "front.md": '+++\ntitle = "arduous"\n+++\n\nAn arduous walk. {{< arduous >}} {% arduous %} :arduous:\n\n'
    "::: arduous\nAn arduous note.\n:::\n\n$$arduous + x$$\n",
    "code.xml": '<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body><p>An <code>arduous</code> <gi>arduous</gi> '
    '<ident>arduous</ident> <foreign>arduous</foreign> <w lemma="arduous">arduous</w> day.</p></body></text></TEI>',
}


def test_code_and_addresses_stay_and_blank_texts_come_out(world, tmp_path, capsys):
    texts = tmp_path / "texts"
    texts.mkdir()
    for name, text in CODE.items():
        (texts / name).write_bytes(text.encode())
    written = ("--write-text", tmp_path / "written", "--parts", 1)
    assert call("simplify", "text", texts, "--out", tmp_path / "out", *words(world, *written)) == 0
    made = {name: (tmp_path / "written" / name).read_bytes().decode() for name in CODE}
    page = CODE["page.html"].replace("An arduous", "A hard").replace(", arduous", ", hard")
    assert made["page.html"] == page
    assert made["notes.md"] == CODE["notes.md"].replace("An arduous", "A hard", 1)
    post = CODE["post.txt"].replace("An arduous", "A hard", 1).replace("&amp; arduous", "&amp; hard", 1)
    assert made["post.txt"] == post
    assert [made["blank.txt"], made["empty.txt"]] == [CODE["blank.txt"], ""]
    script = CODE["script.html"].replace("An arduous", "A hard")
    notranslate = CODE["notranslate.html"].replace("an arduous", "a hard")
    front = CODE["front.md"].replace("An arduous", "A hard")
    assert [made[name] for name in ("script.html", "notranslate.html", "front.md")] == [script, notranslate, front]
    assert made["code.xml"] == CODE["code.xml"]
    section = manifest(tmp_path / "out")["simplify.text"]
    assert (section["documents"], section["rejected"]) == (9, 0)
    assert section["found"]["code"] >= 5
    assert section["found"]["address"] >= 1
    told = capsys.readouterr().out
    assert f"content words left alone: {section['found']['code']} in code or the like, " in told


def test_a_failed_pipe_names_nothing_that_is_removed(world, monkeypatch, capfdbinary):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\x89PNG\r\n\x1a\n" + bytes(40))))
    assert call("simplify", "text", "-", *words(world)) == 1
    told = capfdbinary.readouterr()
    assert told.out == b""
    assert b"image 1" in told.err
    assert b"lexbeam-" not in told.err


@pytest.mark.parametrize("text", [b" \n", b""])
def test_a_blank_pipe_comes_out(world, monkeypatch, capfdbinary, text):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert call("simplify", "text", "-", *words(world)) == 0
    assert capfdbinary.readouterr().out == text


USED = "import sys; from benchmarks.small_files import used; print(used(*sys.argv[1:]).memory, file=sys.stderr)"


@pytest.mark.soak
def test_memory_does_not_grow_with_the_text(world, tmp_path):
    """Of 420,000 characters more, 55 MB, for batches that are not full before; formerly 135, and 310 bytes a character.

    Their words are few, for engines keep what they have met.
    """
    peaks = []
    for sentences in (800, 4800):
        lines = (
            f"The committee saw an inscrutable ordinance {number} and a magistrate wrote the arduous answer in a house."
            for number in range(sentences)
        )
        text = tmp_path / f"{sentences}.txt"
        text.write_text("\n\n".join(lines))
        run = ["simplify", "text", text, "--out", tmp_path / f"out{sentences}", *words(world)]
        # A process inherits the peak of the one that starts it: a small one stands between.
        command = [sys.executable, "-c", USED, *map(str, run)]
        told = subprocess.run(command, capture_output=True, check=True, cwd=ROOT, text=True).stderr
        peaks.append(int(told.split()[-1]) / 2**20)
    assert peaks[1] - peaks[0] < 90, peaks


def test_languages_are_those_of_engines(world, tmp_path):
    (tmp_path / "a.txt").write_text("An arduous task.")
    thesaurus = ("--thesaurus", f"{world / 'th.dat'}:language=en")
    for number, language in enumerate(("en-GB", "eng")):
        out = tmp_path / f"o{number}"
        plain = words(world, *thesaurus, "--language", language)
        assert call("simplify", "text", tmp_path / "a.txt", "--out", out, *plain) == 0
        assert [row["text"] for row in rows(out, "documents")] == ["A hard task."]
        assert [row["language"] for row in rows(out, "documents")] == ["en"]


def test_the_default_changes_nothing_and_says_what_to_bring(world, tmp_path, capsys):
    """With WordNet alone half of the changes did not fit: *reimburse* became *return*."""
    text = tmp_path / "a.txt"
    text.write_text("We will reimburse you. The meeting commenced; it was an arduous task.\n")
    english = ("simplify", "text", text, "--language", "en", "--parts", 1)
    assert call(*english, "--out", tmp_path / "out") == 0
    told = capsys.readouterr().out
    assert rows(tmp_path / "out", "documents")[0]["content"] == text.read_bytes()
    assert {row["reason"] for row in rows(tmp_path / "out", "changes")} == {"keep_target"}
    assert "\n  arduous: hard, " in told
    assert "--setting candidates changes nothing" in told
    assert "careful: 74 of 133 (56 %, 47 to 64)" in told
    assert "by --setting list and --thesaurus FILE" in told
    assert call("show", tmp_path / "out", "--document", "a.txt") == 0
    assert "\n  commenced: started, " in capsys.readouterr().out
    # What was measured is told where words are changed, too.
    assert call(*english, "--out", tmp_path / "careful", "--setting", "careful") == 0
    told = capsys.readouterr().out
    assert "arduous → hard" in told
    assert "people gave 74 of 133 (56 %, 47 to 64)" in told


def test_a_list_of_ones_own_replaces_what_it_has(world, tmp_path, capsys):
    text = tmp_path / "a.txt"
    text.write_text("An arduous house, and an inscrutable reimbursement.\n")
    (tmp_path / "own.dat").write_text("UTF-8\nhouse|1\n(noun)|home\narduous|1\n(adj)|hard\n")
    own = ("--setting", "list", "--thesaurus", tmp_path / "own.dat", "--language", "en", "--parts", 1)
    assert call("simplify", "text", text, "--out", tmp_path / "out", *own) == 0
    (document,) = rows(tmp_path / "out", "documents")
    assert document["text"] == "A hard home, and an inscrutable reimbursement."
    assert "read each change" not in capsys.readouterr().out


def test_a_setting_that_was_not_measured_on_a_language_says_so():
    told = "\n".join(precision_told("bold", ["pt"]))
    assert "was not measured on language 'pt'" in told
    nothing = "\n".join(precision_told("candidates", ["pt"]))
    assert "changes nothing" in nothing
    assert "was not measured on language 'pt'" in nothing
    assert "`setting` list" in nothing


def test_no_default_of_a_language_changes_words_with_less_than_is_enough():
    """The rule: a default that changes words has at least `ENOUGH` of them right on held-out sentences."""
    default = TEXT_SETTINGS[DEFAULT]
    for language in {"es", *default.of_language, *default.measured}:
        stages, _ = setting_of(DEFAULT, language, None)
        measured = default.measured.get(language)
        assert stages["rank"].keep_target == "always" or measured.right / measured.changed >= ENOUGH, language


def test_the_difference_is_of_so_many_texts(world, tmp_path, capsys):
    texts = tmp_path / "texts"
    texts.mkdir()
    for number in range(25):
        (texts / f"{number:02}.txt").write_text("An arduous task." if number % 2 else "A cat sat.")
    assert call("simplify", "text", texts, "--out", tmp_path / "out", *words(world)) == 0
    told = capsys.readouterr().out
    assert "\n01.txt: 1 of 1 complex word changed, in 2 content words and 1 sentence\n" in told
    assert "\n20.txt" not in told
    assert "2 more changed sentences and 5 more texts: `lexbeam show" in told


def test_a_corpus_and_a_rerun(world, capsys):
    texts = world / "report.txt"
    template = '\r\n\r\n{{< figure title="It is here. Two arduous days were there." >}} It was  fine.\r\n'
    texts.write_bytes((REPORT + template).encode())
    assert call("corpus", texts, "--engine", "builtin:en", "--out", world / "corpus") == 0
    out = world / "of_corpus"
    assert call("simplify", "text", world / "corpus", "--out", out, *words(world)) == 0
    (document,) = rows(out, "documents")
    assert document["content"] is None
    (stored,) = open_snapshot(str(world / "corpus")).read("documents").to_pylist()
    changed = stored["text"].replace("an  inscrutable ordinance", "a  strange law").replace("An arduous", "A hard")
    assert document["text"] == changed
    assert "Two arduous days" in changed  # within a template, which holds two sentences
    before = {path: path.stat().st_mtime_ns for path in (out / "_artefacts").rglob("*.parquet")}
    assert call("simplify", "text", world / "corpus", "--out", out, *words(world), "--overwrite") == 0
    assert before == {path: path.stat().st_mtime_ns for path in (out / "_artefacts").rglob("*.parquet")}
    # It is as published, though its word list has options that are tuples, which manifests hold as lists.
    capsys.readouterr()
    assert call("simplify", "text", world / "corpus", "--out", out, *words(world), "--resume") == 0
    assert "published already" in capsys.readouterr().out


def test_what_a_person_is_told(world, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("An arduous task.")
    text = lexbeam.simplify.text
    with pytest.raises(UsageError, match="name the files"):
        text(out="o", language="en")
    with pytest.raises(UsageError, match="`out` must be given"):
        text("a.txt", language="en")
    with pytest.raises(UsageError, match="give an `engine` that annotates texts of `language` 'eu'"):
        text("a.txt", language="eu", out="o")
    with pytest.raises(UsageError, match="give an `engine`"):
        text("a.txt", out="o")
    with pytest.raises(UsageError, match=r"needs `thesaurus`.*choose otherwise by `setting`"):
        text("a.txt", language="es", engine="builtin:en", out="o")
    with pytest.raises(UsageError, match="careful"):
        text("a.txt", language="en", setting="carefull", out="o")
    with pytest.raises(UsageError, match="is not in `settings`"):
        text("a.txt", language="en", setting="bold", settings=world / "settings.yaml", out="o")
    with pytest.raises(UsageError, match="needs `above`"):
        text("a.txt", language="en", complexity_scorer="m", out="o")
    plain = {"language": "en", "settings": world / "settings.yaml", "setting": "plain", "thesaurus": world / "th.dat"}
    with pytest.raises(UsageError, match="is an input"):
        text("a.txt", out="o", write_text=".", **plain)
    with pytest.raises(UsageError, match=r"`write_text`.* is a file: give a folder"):
        text("a.txt", out="o", write_text="a.txt", **plain)
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / "a.txt").write_text("there")
    with pytest.raises(UsageError, match="is there: move it away"):
        text("a.txt", out="o", write_text="w", **plain)
    for folder in ("c/x", "d/x"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "a.txt").write_text("An arduous task.")
    with pytest.raises(UsageError, match=r"would both be written as x/a\.txt"):
        text(["c/x", "d/x"], out="o", write_text="v", **plain)
    with pytest.raises(LexbeamError, match="no input files at"):
        text("b.txt", out="o", **plain)
    assert not (tmp_path / "v").exists()


def test_a_setting_of_a_corpus_with_several_documents_of_a_source(world, tmp_path):
    (tmp_path / "two.jsonl").write_text('{"text": "An arduous task."}\n{"text": "A cat."}\n')
    assert call("corpus", tmp_path / "two.jsonl", "--engine", "builtin:en", "--out", tmp_path / "corpus") == 0
    with pytest.raises(UsageError, match=r"would both be written as two\.jsonl"):
        lexbeam.simplify.text(
            tmp_path / "corpus",
            out=tmp_path / "o",
            write_text=tmp_path / "w",
            settings=world / "settings.yaml",
            setting="plain",
            thesaurus=world / "th.dat",
        )


def test_a_noun_of_another_gender_moves_what_agrees_or_makes_room(tmp_path, capsys):
    import spacy

    (tmp_path / "forms.txt").write_text(
        "morada\tmorada\tN;FEM;SG\ncasa\tcasa\tN;FEM;SG\nedificio\tedificio\tN;MASC;SG\n"
        "antiguo\tantiguo\tADJ;MASC;SG\nantiguo\tantigua\tADJ;FEM;SG\n"
    )
    inflector = tmp_path / "es.inflector"
    assert call("simplify", "train-inflector", tmp_path / "forms.txt", "--language", "es", "--out", inflector) == 0
    nlp = spacy.blank("es")
    nlp.add_pipe("sentencizer")
    ruler = nlp.add_pipe("attribute_ruler")
    for word, upos in {"la": "DET", "morada": "NOUN", "antigua": "ADJ", ".": "PUNCT"}.items():
        ruler.add([[{"LOWER": word}]], {"POS": upos, "LEMMA": word})
    nlp.to_disk(tmp_path / "es")
    (tmp_path / "th.dat").write_text("UTF-8\nmorada|2\n-|edificio|casa\n-|edificio\n")
    (tmp_path / "a.txt").write_text("La morada antigua.\n")
    (tmp_path / "plain.yaml").write_text("plain: {ranker: senses}\n")
    options = (tmp_path / "a.txt", "--language", "es", "--engine", f"spacy:{tmp_path / 'es'}", "--zipf-below", 4)
    options += ("--settings", tmp_path / "plain.yaml", "--setting", "plain", "--thesaurus", tmp_path / "th.dat")
    for agreement, text in (("move", "El edificio antiguo."), ("drop", "La casa antigua.")):
        chosen = ("--agreement", agreement, "--inflector", inflector, "--out", tmp_path / agreement)
        assert call("simplify", "text", *options, *chosen) == 0
        assert rows(tmp_path / agreement, "documents")[0]["text"] == text
    capsys.readouterr()
    assert call("show", tmp_path / "drop", "--document", "a.txt", "--lost") == 0
    assert "edificio: no_agreement" in capsys.readouterr().out
    assert call("simplify", "text", *options, "--agreement", "drop", "--out", tmp_path / "none") == 2
    assert "--agreement drop needs --inflector" in capsys.readouterr().err
