"""Packages count for the identity of code by their versions, where they are imported."""

import importlib.metadata

PACKAGED = {
    "stage": (
        "import json\nimport numpy as np\nimport tqdm\nimport yaml\n"
        "def run():\n    import apache_beam\n    return np.zeros(3), tqdm.tqdm, json.dumps\n"
        "def plain():\n    return json\n"
        "def nested():\n    import gensim.models\n"
        "def guarded():\n    import not_installed_anywhere.inner\n"
        "def yams():\n    return yaml.load\n"
    )
}


def test_packages_of_reached_code_are_listed(project):
    assert project(PACKAGED).packages == (("numpy", importlib.metadata.version("numpy")),)
    assert project(PACKAGED, "stage:plain").packages == ()
    nested = project(PACKAGED, "stage:nested").packages
    assert {"gensim", "numpy", "scipy", "smart-open"} <= dict(nested).keys()
    assert project(PACKAGED, "stage:guarded").packages == (("not_installed_anywhere", "missing"),)
    assert [name for name, _ in project(PACKAGED, "stage:yams").packages] == ["pyyaml"]


def test_a_package_imported_for_its_effect_is_listed(project):
    modules = {"stage": "import numpy  # noqa: F401\ndef run():\n    return 1\n"}
    assert [name for name, _ in project(modules).packages] == ["numpy"]


def test_a_new_version_changes_only_what_imports_the_package(project, monkeypatch):
    roots = ["stage:run", "stage:plain", "stage:nested", "stage:yams"]
    before = [project(PACKAGED, root) for root in roots]
    version = importlib.metadata.version
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "99" if name == "numpy" else version(name))
    after = [project(PACKAGED, root) for root in roots]
    changed = [old.digest != new.digest for old, new in zip(before, after, strict=True)]
    assert changed == [True, False, True, False]
    assert [old.code for old in before] == [new.code for new in after]


def test_neutral_packages_are_left_out_of_what_others_require(project, monkeypatch):
    needs = {"numpy": ["tqdm>=4", "wrapt", "orjson; extra == 'fast'"]}
    monkeypatch.setattr(importlib.metadata, "requires", lambda name: needs.get(name))
    assert [name for name, _ in project(PACKAGED).packages] == ["numpy", "wrapt"]


def test_what_is_required_elsewhere_alone_counts_nowhere_though_it_is_here(project, monkeypatch):
    needs = {
        "numpy": [
            "wrapt; sys_platform == 'nowhere'",
            "orjson; python_version < '3'",
            "Smart.Open[s3]>=1; os_name != ''",
        ]
    }
    monkeypatch.setattr(importlib.metadata, "requires", lambda name: needs.get(name))
    assert [name for name, _ in project(PACKAGED).packages] == ["numpy", "smart-open"]
