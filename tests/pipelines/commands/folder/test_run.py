"""Which sections of a file `lexbeam run` runs, and in what order."""

import pytest

from lexbeam.pipelines.cli import main
from lexbeam.pipelines.commands.folder import run

# The file has them in another order than that of what they read.
FILE = "out: results\nchange: {slices: '1800-1850,1900-1950'}\ncorpus: {inputs: [texts]}\n"


@pytest.fixture
def sections(tmp_path, monkeypatch):
    """A function that returns the sections that `lexbeam run FILE ...` runs."""
    (tmp_path / "config.yaml").write_text(FILE, "utf-8")
    (tmp_path / "texts").mkdir()

    def found(*words):
        ran = []
        monkeypatch.setattr(run, "run_jobs", lambda jobs, *_, **__: ran.append(jobs))
        code = main(["run", str(tmp_path / "config.yaml"), *words])
        return [job.section for jobs in ran for job in jobs] if code == 0 else code

    return found


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], ["corpus", "change"]),
        (["--only", "change"], ["change"]),
        (["--only", "corpus"], ["corpus"]),
        (["--only", "change,corpus"], ["corpus", "change"]),
        (["--only", "change", "--only", "corpus"], ["corpus", "change"]),
        (["--from", "corpus"], ["corpus", "change"]),
        (["--from", "change"], ["change"]),
        (["--from", "change", "--only", "change"], ["change"]),
    ],
)
def test_sections_are_chosen_and_run_in_the_order_of_what_they_read(sections, words, expected):
    assert sections(*words) == expected


@pytest.mark.parametrize("flag", ["--only", "--from"])
@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("chnage", "has no section 'chnage'; did you mean 'change'?"),
        ("xyz", "has no section 'xyz'; it has corpus, change"),
        # A command, but none of the file's sections.
        ("show", "has no section 'show'"),
    ],
)
def test_a_section_that_the_file_does_not_have_is_refused(sections, capsys, flag, name, told):
    assert sections(flag, name) == 2
    assert told in capsys.readouterr().err


def test_one_wrong_name_among_right_ones_is_refused(sections, capsys):
    assert sections("--only", "corpus,chnage") == 2
    assert "did you mean 'change'?" in capsys.readouterr().err


def test_sections_that_leave_nothing_are_refused(sections, capsys):
    assert sections("--from", "change", "--only", "corpus") == 2
    assert "no section is left" in capsys.readouterr().err
