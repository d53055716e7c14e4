"""What options let a run write beside its tables, such as a model, a refresh writes as a run of everything would."""

import shutil

import pytest
import yaml
from refreshed import make_world, rebuilt, refresh, told
from small_runs import call, published

from lexbeam.transforms.common.publish.history import read_history
from lexbeam.transforms.common.publish.layout import snapshot_name


def configure(world, section, **options):
    """Give a section of a world's configuration other options."""
    path = world / "config.yaml"
    config = yaml.safe_load(path.read_text())
    place = config
    for name in section.split("."):
        place = place[name]
    place |= options
    path.write_text(yaml.safe_dump(config))


def stale_and_planned(world, capsys):
    """Whether status calls something stale; what a refresh tells beforehand must agree."""
    is_stale = call("status", world / "out", "--exit-code") == 4
    told_ = told(capsys, "refresh", world / "config.yaml", "--out", world / "out", "--dry-run")
    assert ("nothing has changed" not in told_) == is_stale
    return told_


@pytest.mark.slow
def test_a_model_is_kept_when_that_is_asked_for_and_the_manifest_follows(tmp_path, capsys):
    world, model = make_world(tmp_path, "load"), tmp_path / "models" / "ridge"
    assert refresh(world) == 0
    without = published(world / "out")
    configure(world, "complexity.score", save="models/ridge")
    capsys.readouterr()
    assert refresh(world, "--exit-code") == 0
    assert f"complexity.score: option: --save None to {model}\n" in capsys.readouterr().out
    record = (model / "model.json").read_bytes()
    assert refresh(world, "--exit-code") == 3
    shutil.rmtree(model)
    assert f"complexity.score: option: --save: nothing is at {model}\n" in stale_and_planned(world, capsys)
    assert not model.exists(), "a plan writes nothing"
    assert published(world / "out") == rebuilt(world) != without
    assert (model / "model.json").read_bytes() == record
    configure(world, "complexity.score", save=None)
    assert call("status", world / "out", "--exit-code") == 4
    assert refresh(world, "--exit-code") == 0
    assert published(world / "out") == without
    assert refresh(world, "--exit-code") == 3


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "section"), [("text", "simplify.text"), ("change", "change")])
def test_what_is_written_beside_tables_that_stay_is_written_and_publishes_nothing(
    kind, section, request, tmp_path, capsys
):
    world, easy = make_world(tmp_path, kind), tmp_path / "easy"
    if kind == "text":
        configure(world, section, cache=request.getfixturevalue("wordfreq_cache"))
    assert refresh(world) == 0
    before, name = published(world / "out"), snapshot_name(str(world / "out"))
    configure(world, section, **{"write-text": "easy"})
    for why in (f"--write-text None to {easy}", f"--write-text: nothing is at {easy}"):
        assert f"{section}: option: {why}\n" in stale_and_planned(world, capsys)
        assert not easy.exists(), "a plan writes nothing"
        assert refresh(world, "--exit-code") == 0
        assert any(easy.iterdir())
        assert (published(world / "out"), snapshot_name(str(world / "out"))) == (before, name)
        assert "nothing has changed" in stale_and_planned(world, capsys)
        shutil.rmtree(easy)
    configure(world, section, **{"write-text": None})
    assert refresh(world, "--exit-code") == 3
    assert len(read_history(str(world / "out")).publications) == 1
