"""What `lexbeam init` finds out about an input, and that `lexbeam run` takes what it writes."""

import csv
import json
import re
import zipfile
from dataclasses import replace

import pytest
from nets import ends
from packages_making import docx, epub, odt, p, page

from lexbeam.pipelines.cli import main
from lexbeam.pipelines.commands.corpus import init as init_command
from lexbeam.pipelines.commands.corpus import init_look, init_sample
from lexbeam.pipelines.frame.configuration import read_jobs
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.yaml_files import read_yaml
from lexbeam.transforms.common.publish.snapshots import open_snapshot
from lexbeam.transforms.embeddings.trainers import TRAINERS
from lexbeam.transforms.formats.ingest.ingestion import InputFile

SENTENCE = "The ship that he had seen was not there, and they said it was of the sea. "


def init(folder, *words):
    return main(["init", str(folder), *map(str, words)])


def configuration(folder):
    """Return what was written, checked by what reads it for a run."""
    path = folder / "config.yaml"
    assert read_jobs(str(path), {})
    return read_yaml(str(path))


def dated(folder, years):
    folder.mkdir()
    for year in years:
        (folder / f"text_{year}.txt").write_text(f"{SENTENCE * 3}\n{year}")
    return folder


def test_dated_texts(tmp_path, capsys):
    texts = dated(tmp_path / "texts", [*range(1800, 1830), *range(1900, 1930)])
    (texts / "cover.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    assert init(tmp_path / "mine", texts) == 0
    found = configuration(tmp_path / "mine")
    assert found["out"] == "results"
    assert found["corpus"].pop("dates").startswith("name:")
    assert found["corpus"] == {"inputs": ["../texts"], "exclude": ["*.png"], "format": "text", "engine": "builtin:en"}
    assert found["change"] == {"slices": "1800-1829,1900-1929", "seeds": 3, "null": 5, "trainer": "fast"}
    text = (tmp_path / "mine" / "config.yaml").read_text()
    assert "  null: 5  # " in text
    assert "most changes are not found" not in text
    assert "fewer than 250,000 words on a side" in text
    printed = capsys.readouterr().out
    assert text in printed
    assert "then run it: lexbeam run" in printed


def test_a_table_with_other_names(tmp_path):
    rows = [(f"{1800 + n % 40}-05-01", "Ada", "A speech", SENTENCE * 2) for n in range(80)]
    with (tmp_path / "speeches.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows([("published", "speaker", "headline", "transcript"), *rows])
    assert init(tmp_path / "mine", tmp_path / "speeches.csv") == 0
    found = configuration(tmp_path / "mine")
    assert found["corpus"] == {
        "inputs": ["../speeches.csv"],
        "format": "csv",
        "text-field": "transcript",
        "fields": ["author=speaker", "title=headline"],
        "engine": "builtin:en",
        "dates": "field:published",
    }
    assert found["change"]["slices"] == "1800-1819,1820-1839"


def test_the_slices_are_those_that_the_corpus_proposes(tmp_path, capsys):
    """Words of the first half are long, and marks abound in the second: characters would differ."""
    texts = tmp_path / "texts"
    texts.mkdir()
    for n in range(60):
        early = "The incomprehensibilities characteristically didn't counterrevolutionise them. "
        late = "So, he said: I am; a U.S. ox - or no! "
        (texts / f"{1800 + n}.txt").write_text(f"{n}. " + (early if n < 30 else late) * (5 + n % 7))
    (texts / "again_1800.txt").write_bytes((texts / "1800.txt").read_bytes())
    assert init(tmp_path / "mine", texts) == 0
    slices = configuration(tmp_path / "mine")["change"]["slices"]
    sizes = re.search(r"equal size \((.*) and (.*) tokens\)", capsys.readouterr().out).groups()
    path = str(tmp_path / "mine" / "config.yaml")
    assert main(["run", path, "--only", "corpus"]) == 0
    told = capsys.readouterr().out
    found = re.search(r"equal size: (.*) \(.*, (.*) tokens\) and (.*) \(.*, (.*) tokens\)", told)
    assert found.groups() == (slices.split(",")[0], sizes[0], slices.split(",")[1], sizes[1])
    assert slices != "1800-1829,1830-1859"


def test_of_more_text_than_is_kept_the_sizes_are_estimates(tmp_path, monkeypatch, capsys):
    texts = dated(tmp_path / "texts", [*range(1800, 1830), *range(1900, 1930)])
    assert init(tmp_path / "mine", texts) == 0
    counted = re.search(r"equal size \((.*) and .* tokens\)", capsys.readouterr().out)[1].replace(",", "")
    monkeypatch.setattr(init_look, "COUNTED", 100)
    monkeypatch.setattr(init_look, "STRETCHES", 1000)
    assert init(tmp_path / "mine", texts, "--overwrite") == 0
    printed = capsys.readouterr().out
    told = "equal size by an estimate\n  # from the characters of what was looked at .about (.*) and .* tokens.,"
    about = re.search(told, printed)[1].replace(",", "")
    assert abs(int(about) - int(counted)) < 0.05 * int(counted)
    monkeypatch.setattr(init_sample, "FILES", 6)
    assert init(tmp_path / "mine", texts, "--overwrite") == 0
    printed = capsys.readouterr().out
    assert "  # from the sizes of the files" in printed
    assert "# By an estimate there are 60 documents with " in printed
    assert configuration(tmp_path / "mine")["change"]["slices"] == "1800-1829,1900-1929"


@pytest.mark.parametrize(
    ("years", "told"),
    [
        ([f"1800_{n}" for n in range(30)], "all 30 documents with a date are of the year 1800"),
        (["x", "y"], "no dates were found"),
        ([*range(1800, 1805), *"abcde"], "$): 5 of 10 documents, such as"),
    ],
)
def test_without_slices_the_corpus_alone_is_run(tmp_path, capsys, years, told):
    assert init(tmp_path / "mine", dated(tmp_path / "texts", years)) == 0
    assert set(configuration(tmp_path / "mine")) == {"out", "corpus"}
    text = (tmp_path / "mine" / "config.yaml").read_text()
    assert told in text
    assert ("such as its chapters" in text) == ("no dates" not in told)
    capsys.readouterr()


def test_few_documents_and_a_trainer_that_is_not_here(tmp_path, monkeypatch, capsys):
    def missing():
        raise UsageError("`trainer` fast needs a C compiler")

    monkeypatch.setitem(TRAINERS, "fast", replace(TRAINERS["fast"], check=missing))
    assert init(tmp_path / "mine", dated(tmp_path / "texts", [*range(1800, 1815), *range(1900, 1915)])) == 0
    assert configuration(tmp_path / "mine")["change"] == {"slices": "1800-1814,1900-1914", "seeds": 3, "null": 5}
    assert "With fewer than 20 documents on a side most changes are not found" in capsys.readouterr().out


def test_of_many_files_some_are_looked_into_and_all_are_counted(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(init_sample, "FILES", 6)
    texts = dated(tmp_path / "texts", [*range(1800, 1830), *range(1900, 1930)])
    assert init(tmp_path / "mine", texts) == 0
    assert configuration(tmp_path / "mine")["change"]["slices"] == "1800-1829,1900-1929"
    printed = capsys.readouterr().out
    assert "a look into 6 of 60 input files." in printed
    assert "6 of 6 documents: 1800 to 1929" in printed


def test_files_are_drawn_whatever_their_order():
    def found(order):
        for number in order:
            yield InputFile(f"{number}.txt", f"/in/{number}.txt", 1, "in")

    drawn = init_sample.draw_files(found(range(5000)))
    assert (drawn.number, drawn.size, len(drawn.files)) == (5000, 5000, init_sample.FILES)
    assert init_sample.draw_files(found(reversed(range(5000)))) == drawn
    assert sorted(init_sample.draw_files(found(range(7))).files) == sorted(found(range(7)))
    assert len({int(file.path[4:-4]) // 500 for file in drawn.files}) == 10


def lines(folder, number, of_a_year=10):
    rows = [{"date": str(1800 + n // of_a_year), "text": f"{n} {SENTENCE}"} for n in range(number)]
    (folder / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return folder / "a.jsonl"


@pytest.mark.parametrize("cut", [True, False])
def test_of_large_files_pieces_are_drawn_or_the_beginning_is_read(tmp_path, monkeypatch, capsys, cut):
    """Dates rise in the file: pieces reach its end, the beginning does not."""
    path = lines(tmp_path, 20_000, of_a_year=100)
    monkeypatch.setattr(init_look, "BYTES", 500_000)
    monkeypatch.setattr(init_sample, "BYTES", 500_000)
    monkeypatch.setattr(init_sample, "RECORD", 10)
    monkeypatch.setattr(init_sample, "TABLES", 1)
    monkeypatch.setattr(init_sample, "PIECE", 20_000)
    if not cut:
        monkeypatch.setattr(init_sample, "PASSED", 10)
    assert path.stat().st_size > 2_000_000
    assert init(tmp_path / "mine", path) == 0
    printed = capsys.readouterr().out
    last = int(re.search(r"documents: 18\d\d to (\d+)", printed)[1])
    assert last > 1980 if cut else last < 1900
    assert configuration(tmp_path / "mine")["corpus"]["dates"] == "field:date"
    assert "not all of them to their end" in printed
    number = int(re.search(r"By an estimate there are (.*) documents", printed)[1].replace(",", ""))
    assert 14_000 < number < 26_000
    assert "documents of those" not in printed


def test_of_many_documents_a_sample_is_drawn_by_their_content(tmp_path, monkeypatch, capsys):
    path = lines(tmp_path, 2000)
    monkeypatch.setattr(init_look, "DOCUMENTS", 400)
    assert init(tmp_path / "mine", path) == 0
    first = capsys.readouterr().out
    assert "there are 2,000 documents" in first
    assert "dates are those of 400 documents, drawn by their content" in first
    path.write_text("\n".join(reversed(path.read_text().splitlines())))
    assert init(tmp_path / "mine", path, "--overwrite") == 0
    assert capsys.readouterr().out == first
    before, after = (part.split("-") for part in configuration(tmp_path / "mine")["change"]["slices"].split(","))
    assert int(before[0]) < 1805
    assert 1890 < int(after[0]) < 1910
    assert int(after[1]) > 1995


def test_tables_of_archives_are_looked_at_piece_by_piece(tmp_path, monkeypatch, capsys):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for year in range(1800, 2000):
            archive.writestr(f"letter_{year}.txt", f"{year}. {SENTENCE * 5}")
    monkeypatch.setattr(init_look, "BYTES", 40_000)
    monkeypatch.setattr(init_sample, "BYTES", 40_000)
    monkeypatch.setattr(init_sample, "PIECE", 2_000)
    assert init(tmp_path / "mine", tmp_path / "a.zip") == 0
    printed = capsys.readouterr().out
    assert configuration(tmp_path / "mine")["corpus"]["dates"].startswith("name:")
    first, last = map(int, re.search(r"documents: (\d+) to (\d+)", printed).groups())
    assert first < 1830
    assert last > 1970
    assert configuration(tmp_path / "mine")["corpus"]["format"] == "text"


@pytest.mark.slow
def test_a_look_at_much_text_is_short(tmp_path, capsys):
    """46 MB take some three seconds of processor time; that all was counted took over forty."""
    texts = dated(tmp_path / "texts", range(1800, 1846))
    for path in texts.iterdir():
        path.write_text("".join(f"{path.name} {n} {SENTENCE}\n\n" for n in range(10_000)))
    assert sum(path.stat().st_size for path in texts.iterdir()) > 42_000_000
    with ends(30):
        assert init(tmp_path / "mine", texts) == 0
    assert "46 of 46 documents: 1800 to 1845" in capsys.readouterr().out


def test_the_time_of_the_run_is_told_beside_the_command(tmp_path, capsys):
    texts = dated(tmp_path / "texts", [*range(1800, 1830), *range(1900, 1930)])
    assert init(tmp_path / "mine", texts) == 0
    assert "config.yaml\nit takes under a minute on one core, by an estimate" in capsys.readouterr().out
    for path in texts.iterdir():
        path.write_text(f"{path.name} {SENTENCE * 4000}")
    assert init(tmp_path / "mine", texts, "--overwrite") == 0
    told = capsys.readouterr().out
    assert 5 <= int(re.search(r"it takes about (\d+) min on one core", told)[1]) <= 20
    assert "--runner-config direct_multiprocess" in told


def test_languages_are_those_that_documents_state(tmp_path, capsys):
    rows = [json.dumps({"text": f"{n} abc", "language": "ger" if n else "en"}) for n in range(9)]
    (tmp_path / "a.jsonl").write_text("\n".join(rows))
    assert init(tmp_path / "mine", tmp_path / "a.jsonl") == 0
    assert configuration(tmp_path / "mine")["corpus"]["engine"] == "builtin:de"
    assert "de of most documents (de 8, en 1), as the documents say" in capsys.readouterr().out


def test_web_pages_are_read_by_their_main_text(tmp_path):
    page = f"<!DOCTYPE html><html><body><article><p>{SENTENCE * 5}</p></article></body></html>"
    for name in "ab":
        (tmp_path / f"{name}.html").write_text(page)
    assert init(tmp_path / "mine", tmp_path / "*.html") == 0
    found = configuration(tmp_path / "mine")["corpus"]
    assert (found["format"], found["html"]) == ("html", "main")


def mixed(folder):
    """Write a folder as people have them, and return the documents that can be read of it."""
    folder.mkdir()
    for n in range(20):
        (folder / f"story {n} 18{n:02}.txt").write_text(f"Story {n}. {SENTENCE * 4}")
    for n in range(5):
        text = f"Letter {n}. {SENTENCE * 3}"
        (folder / f"letter {n} 185{n}.docx").write_bytes(docx(p(f"<w:t>{text}</w:t>")))
        (folder / f"letter {n} 186{n}.odt").write_bytes(odt(f"<text:p>{text} Again.</text:p>"))
        (folder / f"book {n} 187{n}.epub").write_bytes(epub({"1.xhtml": page(f"<p>Book. {text}</p>")}, metadata=""))
        (folder / f"page {n} 188{n}.html").write_text(
            f"<!DOCTYPE html><html><body><article><p>Page {n}. {SENTENCE * 5}</p></article></body></html>"
        )
        (folder / f"scan {n} 189{n}.pdf").write_bytes(b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\n")
    for n in range(12):
        (folder / f"plate {n}.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    return 40


@pytest.mark.slow
def test_a_folder_of_many_formats_is_run_as_it_is_written(tmp_path, capsys):
    number = mixed(tmp_path / "texts")
    assert init(tmp_path / "mine", tmp_path / "texts") == 0
    found = configuration(tmp_path / "mine")["corpus"]
    assert (found["format"], found["html"]) == ("auto", "main")
    assert sorted(found["exclude"]) == ["*.pdf", "*.png"]
    printed = capsys.readouterr().out
    assert "40 of 40 documents: 1800 to 1884" in printed
    assert "  # *.pdf: PDF, not text; convert it: pdftotext FILE" in printed
    assert main(["run", str(tmp_path / "mine" / "config.yaml"), "--only", "corpus"]) == 0
    assert f"{number} documents, 0 rejects" in capsys.readouterr().out


def test_rejects_that_would_stop_the_run_are_allowed_and_named(tmp_path, capsys):
    texts = dated(tmp_path / "texts", range(1800, 1830))
    for year in range(1800, 1812):
        (texts / f"empty_{year}.txt").write_text("")
    assert init(tmp_path / "mine", texts) == 0
    found = configuration(tmp_path / "mine")
    assert len(found["corpus"]["exclude"]) == 12
    assert "max-reject-share" not in found
    (texts / "lines.jsonl").write_text("\n".join(['{"text": "One sea."}', *["{"] * 9]))
    assert init(tmp_path / "mine", texts, "--overwrite") == 0
    found = configuration(tmp_path / "mine")
    assert found["max-reject-share"] == 0.25
    assert "# 9 of 40 records looked at" in capsys.readouterr().out
    assert main(["run", str(tmp_path / "mine" / "config.yaml"), "--only", "corpus"]) == 0


WRITTEN = {
    "cp1252": "Die Schönheit der Bücher, die er über die Straße trug, und das Mädchen, das es nicht hörte. ",
    "cp1250": "Chłopiec poszedł do szkoły, gdzie się uczył, ale nie było tam nikogo, kto by mu to powiedział. ",
    "cp1251": "Он не знал, что это было так, и они сказали ему, что всё уже было и не будет ничего. ",
}


@pytest.mark.parametrize("page", ["cp1252", "cp1250", pytest.param("cp1251", marks=pytest.mark.soak)])
def test_texts_that_are_no_utf_8_are_read_in_the_code_page_of_their_language(tmp_path, capsys, page):
    texts = tmp_path / "texts"
    texts.mkdir()
    for year in range(1800, 1806):
        encoding = page if year % 2 else "utf-8"
        (texts / f"{year}.txt").write_text(WRITTEN[page] * 3 + str(year), encoding)
    assert init(tmp_path / "mine", texts) == 0
    found = configuration(tmp_path / "mine")["corpus"]
    assert found["encoding"] == ["utf-8", page]
    assert "exclude" not in found
    assert main(["run", str(tmp_path / "mine" / "config.yaml"), "--only", "corpus"]) == 0
    sentences = open_snapshot(str(tmp_path / "mine" / "results")).read("sentences")
    first = WRITTEN[page].split()[1]
    assert {row[1] for row in sentences["forms"].to_pylist() if len(row) > 1} == {first}
    assert "6 documents, 0 rejects" in capsys.readouterr().out


def test_an_encoding_that_is_not_found_out_is_given(tmp_path, capsys):
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "a.txt").write_text("吾輩は猫である。名前はまだ無い。", "shift_jis")
    assert init(tmp_path / "mine", texts) == 1
    assert "name their --encoding" in capsys.readouterr().err
    assert init(tmp_path / "mine", texts, "--encoding", "shift_jis") == 0
    assert configuration(tmp_path / "mine")["corpus"]["encoding"] == ["shift_jis"]
    assert configuration(tmp_path / "mine")["corpus"]["engine"] == "builtin:ja"


def test_no_engine_is_named_where_the_language_is_not_known(tmp_path, capsys):
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "a.txt").write_text("Nuqneh tlhIngan maH. Heghlu'meH QaQ jajvam. " * 5)
    assert init(tmp_path / "mine", texts) == 0
    assert "engine" not in configuration(tmp_path / "mine")["corpus"]
    said = capsys.readouterr().out
    assert "# the language was not recognised: name an engine" in said
    assert "before it can run, it needs an engine" in said
    assert main(["run", str(tmp_path / "mine" / "config.yaml")]) == 1
    assert "came without annotation: give --engine" in capsys.readouterr().err


def test_a_stop_list_is_offered_where_the_engine_has_no_parts_of_speech(tmp_path):
    texts = dated(tmp_path / "texts", [])
    for year in [*range(1800, 1830), *range(1900, 1930)]:
        (texts / f"{year}.txt").write_text(
            f"Il vecchio scese fino al mare, e lì vide che la sua barca non era più. {year}"
        )
    assert init(tmp_path / "mine", texts) == 0
    assert configuration(tmp_path / "mine")["corpus"]["engine"] == "builtin:it"
    text = (tmp_path / "mine" / "config.yaml").read_text()
    assert "  # It gives no parts of speech, so that rankings list function words, too.\n" in text
    assert "  # rank-stop-words: 100  # leaves " in text


def test_a_configuration_that_cannot_run_is_told_at_once(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(init_command, "guess_engine", lambda language: "spacy:no_such_model")
    assert init(tmp_path / "mine", dated(tmp_path / "texts", [1800])) == 1
    told = capsys.readouterr().err
    assert "must be corrected before it can run: no spaCy model 'no_such_model'" in told


def test_annotated_input_needs_no_engine(tmp_path):
    rows = "".join(f"{n}\t{word}\t{word}\tNOUN\t_\t_\t0\troot\t_\t_\n" for n, word in ((1, "sea"),))
    for year in range(1800, 1803):
        (tmp_path / f"{year}.conllu").write_text(rows + "\n")
    assert init(tmp_path / "mine", tmp_path / "*.conllu") == 0
    assert configuration(tmp_path / "mine")["corpus"]["engine"] == "none"


def test_a_configuration_is_not_replaced_unasked(tmp_path, capsys):
    texts = dated(tmp_path / "texts", [1800])
    (tmp_path / "config.yaml").write_text("mine")
    assert init(tmp_path, texts) == 2
    assert "config.yaml is there already: give --overwrite" in capsys.readouterr().err
    assert (tmp_path / "config.yaml").read_text() == "mine"
    assert init(tmp_path, texts, "--overwrite") == 0
    assert configuration(tmp_path)["corpus"]["inputs"] == ["texts"]


@pytest.mark.parametrize("inside", ["", "below"])
def test_a_configuration_is_not_written_among_the_texts(tmp_path, capsys, inside):
    texts = dated(tmp_path / "texts", [1800])
    assert init(texts / inside, texts) == 2
    assert "lies in the input" in capsys.readouterr().err
    assert [path.name for path in texts.iterdir()] == ["text_1800.txt"]


def test_input_of_which_nothing_can_be_read_is_an_error(tmp_path, capsys):
    (tmp_path / "a.jsonl").write_text(json.dumps({"n": 1}) + "\n")
    assert init(tmp_path / "mine", tmp_path / "a.jsonl") == 1
    told = capsys.readouterr().err
    assert "no document can be read" in told
    assert "missing_field" in told
    assert "name what there is by `text_field`".replace("`text_field`", "--text-field") in told
    assert not (tmp_path / "mine").exists()
