"""Ten folders as people have them: what `lexbeam init` writes is right, or says what it does not know.

docs/reference/init.md has the table of them.
"""

import csv
import datetime
import json
import re

import pytest
from packages_making import docx, odt, p

from lexbeam.pipelines.cli import main
from lexbeam.transforms.common.options.yaml_files import read_yaml

SENTENCE = "The ship that he had seen was not there, and they said it was of the sea. "
GERMAN = "Das Schiff, das er gesehen hatte, war nicht da, und sie sagten, es wäre für immer über die Größe der See. "


def init(tmp_path, source):
    """Return the section that was written, and the file."""
    assert main(["init", str(tmp_path / "mine"), str(source)]) == 0
    path = tmp_path / "mine" / "config.yaml"
    return read_yaml(str(path))["corpus"], path.read_text()


def moment(number):
    return datetime.datetime(2009, 1, 1, tzinfo=datetime.UTC) + datetime.timedelta(days=37 * number, seconds=number)


def table(path, header, rows, delimiter=",", encoding="utf-8"):
    with path.open("w", newline="", encoding=encoding) as stream:
        csv.writer(stream, delimiter=delimiter).writerows([header, *rows])
    return path


FORMS = {"twitter": "%a %b %d %H:%M:%S +0000 %Y", "iso": "%Y-%m-%dT%H:%M:%S.000Z"}


@pytest.mark.parametrize("form", FORMS)
def test_tweets(tmp_path, form):
    """Neither the name `sentiment`, in which there is `time`, nor the year in the name of the file is a date."""
    rows = [(n, f"{n} {SENTENCE}", moment(n % 80).strftime(FORMS[form]), ("pos", "neg")[n % 2]) for n in range(120)]
    found, text = init(tmp_path, table(tmp_path / "tw1500.csv", ("id", "text", "created_at", "sentiment"), rows))
    assert found["dates"] == "field:created_at"
    assert '"field:created_at"  # 120 of 120 documents: 2009 to 2017' in text
    assert '  # dates: "name:' in text
    assert "the year in a file's name is one for many records" in text


def test_a_table_whose_only_date_is_an_epoch(tmp_path):
    """A number of seconds is a date by a rule of that name, and proposed as one."""
    rows = [(f"{n} {SENTENCE}", int(moment(n % 80).timestamp()), 1000 + n) for n in range(120)]
    found, text = init(tmp_path, table(tmp_path / "posts.csv", ("text", "utc", "n_words"), rows))
    assert "dates" not in found
    assert '# dates: "epoch:utc"  # 120 of 120 documents: 2009 to 2017' in text
    assert "if '1230768000' is seconds since 1970" in text
    assert "these may be other numbers than years" in text
    assert main(["corpus", str(tmp_path / "posts.csv"), "--dates", "epoch:utc", "--dry-run", "--out", "o"]) == 0


@pytest.mark.parametrize(
    ("second", "apart", "dates"),
    [("purchase_date", 900, "review_date"), ("seen_date", 0, "review_date"), ("seen_date", 900, None)],
)
def test_reviews_with_two_columns_of_dates(tmp_path, second, apart, dates):
    """Which is the text's hangs on the name, if that tells, and does not matter where the years are the same."""
    rows = [
        (f"{n} {SENTENCE}", (moment(n % 80) - datetime.timedelta(apart)).date(), moment(n % 80).date())
        for n in range(120)
    ]
    found, text = init(tmp_path, table(tmp_path / "reviews.csv", ("text", "review_date", second), rows))
    assert found.get("dates") == (None if dates is None else f"field:{dates}")
    assert f'# dates: "field:{second}"  # 120 of 120 documents: 2009 to 2017' in text
    if dates is None:
        assert f"#   field:{second} finds other years: say which are those of the texts" in text


def test_tei_without_dates(tmp_path):
    texts = tmp_path / "texts"
    texts.mkdir()
    for n in range(24):
        (texts / f"novel{n}.xml").write_text(
            "<TEI xmlns='http://www.tei-c.org/ns/1.0'><teiHeader><fileDesc><titleStmt>"
            f"<title>Novel {n}</title></titleStmt><publicationStmt><date>2021</date></publicationStmt><sourceDesc>"
            f"<p>made</p></sourceDesc></fileDesc></teiHeader><text><body><p>{n} {SENTENCE * 3}</p></body></text></TEI>"
        )
    found, text = init(tmp_path, texts)
    assert found["format"] == "tei"
    assert "dates" not in found
    assert "# No date was found, and `change` needs dates." in text
    assert "# Say where they are: name:REGEX, header, field:NAME, epoch:NAME" in text
    assert "# No slices are proposed: no dates were found." in text


def test_chinese_json_lines(tmp_path):
    """Dates in Chinese are dates; twenty records have none, and are named with the field that is null."""
    rows = [
        {
            "报道": f"{n} 政府今天宣布了一项新的计划。" * 3,
            "日期": f"{1980 + n % 40}年5月{1 + n % 28}日" if n % 4 else None,
        }
        for n in range(80)
    ]
    source = tmp_path / "reports.jsonl"
    source.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows))
    found, text = init(tmp_path, source)
    assert found["text-field"] == "报道"
    assert "dates" not in found
    assert '# dates: "field:日期"  # 60 of 80 documents: 1981 to 2019' in text
    assert "20 documents would be left out" in text
    assert "# Without a date by field:日期: 20 of 80 documents, such as" in text
    assert "#   reports.jsonl 1: no date in field '日期'" in text
    assert "have no dates" not in text
    if found["engine"] == "builtin:en":
        assert "the language was not recognised" in text
    source.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows if row["日期"]))
    assert main(["init", str(tmp_path / "again"), str(source)]) == 0
    assert read_yaml(str(tmp_path / "again" / "config.yaml"))["corpus"]["dates"] == "field:日期"


def test_mixed_office_files(tmp_path):
    texts = tmp_path / "texts"
    texts.mkdir()
    for n in range(12):
        (texts / f"letter {1850 + n}.docx").write_bytes(docx(p(f"<w:t>{n} {SENTENCE * 3}</w:t>")))
        (texts / f"note {1880 + n}.odt").write_bytes(odt(f"<text:p>{n} {SENTENCE * 3} Again.</text:p>"))
        (texts / f"scan {1890 + n}.pdf").write_bytes(b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\n")
    found, text = init(tmp_path, texts)
    assert found["dates"].startswith("name:")
    assert found["exclude"] == ["*.pdf"]
    assert "24 of 24 documents: 1850 to 1891" in text
    assert "convert it: pdftotext FILE" in text


def test_years_in_file_names_and_a_readme(tmp_path):
    texts = tmp_path / "texts"
    texts.mkdir()
    for n in range(24):
        (texts / f"novel_{1840 + n}.txt").write_text(f"{n} {SENTENCE * 3}")
    (texts / "README.md").write_text("# Novels\n\nThese were collected in 2021.\n")
    (texts / "LICENSE").write_text("Free.\n")
    for name in ("config.yaml", "a.yml", "b.toml", "c.ini", "d.cfg"):
        (texts / name).write_text("year: 1900\n")
    found, text = init(tmp_path, texts)
    assert found["exclude"] == ["LICENSE", "README.md", "a.yml", "b.toml", "c.ini", "config.yaml", "d.cfg"]
    assert "# README.md: about the texts, by its name, and none of them" in text
    assert found["dates"].startswith("name:")
    assert "24 of 24 documents: 1840 to 1863" in text


@pytest.mark.parametrize("few", [0, 150])
def test_a_table_that_excel_made(tmp_path, few):
    """Semicolons, a code page, which the first lines do not show, and days before months."""
    rows = [(f"{n} {GERMAN[:70] if n < few else GERMAN}", f"{1 + n % 28:02}.05.{1990 + n % 30}") for n in range(400)]
    source = table(tmp_path / "umfrage.csv", ("Text", "Datum"), rows, ";", "cp1252")
    found, text = init(tmp_path, source)
    assert found["encoding"] == ["utf-8", "cp1252"]
    assert found["text-field"] == "Text"
    assert found["dates"] == "field:Datum"
    assert "400 of 400 documents: 1990 to 2019" in text
    assert found["engine"].endswith(":de") or found["engine"].startswith("spacy:de")


def test_a_column_date_beside_one_of_the_texts_years(tmp_path):
    """Which of both is the text's is not known; where there is one alone, it is a field of the table."""
    rows = [(f"{n} {SENTENCE}", f"{2015 + n % 6}-01-02", 1850 + n % 100) for n in range(120)]
    found, text = init(tmp_path, table(tmp_path / "a.csv", ("text", "date", "publication_year"), rows))
    assert "dates" not in found
    assert "field:publication_year finds other years: say which are those of the texts" in text
    source = table(tmp_path / "b.csv", ("text", "date"), [(text, f"18{day[2:]}") for text, day, _ in rows])
    assert main(["init", str(tmp_path / "again"), str(source)]) == 0
    assert read_yaml(str(tmp_path / "again" / "config.yaml"))["corpus"]["dates"] == "field:date"


def test_repeated_texts_are_told_apart_from_those_without_a_date(tmp_path):
    rows = [(SENTENCE, f"{1999 + n % 14}-05-01") for n in range(150)]
    found, text = init(tmp_path, table(tmp_path / "a.csv", ("text", "created"), rows))
    assert found["dates"] == "field:created"
    assert "150 of 150 documents: 1999 to 2012" in text
    assert "# Of 150 documents 14 differ; the others are repeated, which a run rejects." in text
    assert "No slices are proposed: of 150 documents 14 differ, the others are repeated: only 14" in text


def test_a_column_of_dates_that_no_rule_reads_is_named(tmp_path):
    rows = [(f"{n} {SENTENCE}", f"'{n % 90 + 10}") for n in range(120)]
    _, text = init(tmp_path, table(tmp_path / "a.csv", ("text", "d"), rows))
    assert '# Field d has "\'10", which no rule reads:\n  # write years of four digits' in text


def test_one_giant_text(tmp_path):
    source = tmp_path / "all.txt"
    source.write_text("".join(f"Chapter {n}. {SENTENCE * 20}\n\n" for n in range(2000)))
    found, text = init(tmp_path, source)
    assert found["format"] == "text"
    assert "dates" not in found
    assert "# No date was found" in text


def test_an_empty_folder(tmp_path, capsys):
    (tmp_path / "texts").mkdir()
    assert main(["init", str(tmp_path / "mine"), str(tmp_path / "texts")]) == 1
    assert re.search(r"no input files at '.*texts'", capsys.readouterr().err)
    assert not (tmp_path / "mine").exists()
