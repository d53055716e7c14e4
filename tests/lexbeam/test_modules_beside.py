"""A person's modules beside a notebook, which may be called as folders of Lexbeam are."""

import subprocess
import sys

import pytest

CODE = "import lexbeam; lexbeam.open; lexbeam.corpus; import lexbeam.pipelines.cli; print(lexbeam.__version__)"


@pytest.mark.parametrize("form", ["{}.py", "{}/__init__.py"])
def test_modules_beside_a_notebook_shadow_nothing(form, tmp_path):
    for name in ("pipelines", "runner_configs", "schemas", "tests", "transforms"):
        place = tmp_path / form.format(name)
        place.parent.mkdir(exist_ok=True)
        place.write_text("raise RuntimeError('this must not be imported')")
    done = subprocess.run([sys.executable, "-c", CODE], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
