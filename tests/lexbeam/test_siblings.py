"""`import lexbeam` is light, and names what shadows the packages that it needs."""

import subprocess
import sys
from pathlib import Path

import pytest

from lexbeam._siblings import SIBLINGS, check_siblings

ROOT = Path(__file__).resolve().parents[2]


def python(code, cwd, *words):
    """Run code as a script's first lines would: the working directory is first on the path."""
    return subprocess.run(
        [sys.executable, *words, "-c", f"import sys; sys.path.append({str(ROOT)!r}); {code}"],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        env={},
    )


def test_import_is_light(tmp_path):
    code = "import lexbeam; print(sorted(name.partition('.')[0] for name in sys.modules))"
    done = python(code, tmp_path)
    assert done.returncode == 0, done.stderr
    actual = set(eval(done.stdout))
    assert {"lexbeam", "pipelines"} <= actual
    assert not actual & {"apache_beam", "gensim", "spacy", "numba", "pandas", "torch", "lxml"}


def test_what_lies_beside_is_found():
    check_siblings()
    assert all((ROOT / name).is_dir() for name in SIBLINGS)


@pytest.mark.parametrize("name", SIBLINGS)
@pytest.mark.parametrize("made", ["{}.py", "{}/__init__.py"])
def test_what_shadows_is_named(name, made, tmp_path):
    place = tmp_path / made.format(name)
    place.parent.mkdir(exist_ok=True)
    place.write_text("raise RuntimeError('this must not be imported')")
    done = python("import lexbeam", tmp_path)
    assert "ImportError" in done.stderr
    assert str(place if place.name != "__init__.py" else place.parent) in done.stderr
    assert "rename" in done.stderr
    assert "RuntimeError" not in done.stderr


def test_a_folder_without_init_shadows_nothing_where_ours_is_a_package(tmp_path):
    (tmp_path / "schemas").mkdir()
    assert python("import lexbeam", tmp_path).returncode == 0


def test_a_folder_without_init_is_named_where_it_comes_first(tmp_path, monkeypatch):
    # As with an editable install, whose finder is asked after the folders of the path.
    (tmp_path / "lexbeam_toy").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ImportError, match=r"would be imported from .*lexbeam_toy") as caught:
        check_siblings(["lexbeam_toy"])
    assert caught.value.name == "lexbeam_toy"
    assert caught.value.path == str(tmp_path / "lexbeam_toy")


def test_what_is_imported_already_is_named(tmp_path):
    (tmp_path / "schemas.py").write_text("")
    done = python("import schemas; sys.path.remove(''); import lexbeam", tmp_path)
    assert "has been imported from" in done.stderr
    assert str(tmp_path / "schemas.py") in done.stderr


def test_a_module_without_specification_is_named(tmp_path):
    code = "import types; sys.modules['schemas'] = types.ModuleType('schemas'); import lexbeam"
    done = python(code, tmp_path)
    assert "ImportError" in done.stderr
    assert "<schemas>" in done.stderr


def test_a_missing_sibling_is_named():
    with pytest.raises(ImportError, match="'lexbeam_no_such' of Lexbeam is not at"):
        check_siblings(["lexbeam_no_such"])


def test_packages_may_be_links(tmp_path):
    for name in ("lexbeam", *SIBLINGS):
        (tmp_path / name).symlink_to(ROOT / name)
    done = python("import lexbeam; print(lexbeam.__file__)", tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(tmp_path / "lexbeam" / "__init__.py")
