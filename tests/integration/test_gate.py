"""Bounds of a configuration hold a run back, and what was published stays until one keeps them."""

import json

import yaml
from small_runs import call, make_out, write_texts

from lexbeam.pipelines.commands.change.change import Change
from lexbeam.transforms.common.publish.layout import snapshot_name
from lexbeam.transforms.common.publish.sections import Made
from lexbeam.transforms.common.publish.snapshots import open_snapshot

CORPUS = {"inputs": "texts", "engine": "builtin:en", "format": "text", "dates": "name:^(\\d+)"}


def write(folder, **gate):
    path = folder / "config.yaml"
    path.write_text(yaml.safe_dump({"out": "out", "parts": 2, "corpus": CORPUS, **({"gate": gate} if gate else {})}))
    return path


def artefacts(out):
    return {
        path.relative_to(out): path.read_bytes()
        for path in (out / "_artefacts").rglob("*")
        if path.suffix in (".arrow", ".parquet", ".json") and path.parent.name != "listing"
    }


def held_back(out, capsys):
    capsys.readouterr()
    assert call("status", out, "--json") == 0
    return json.loads(capsys.readouterr().out)["held_back"]


def test_a_snapshot_outside_the_bounds_is_held_back_while_the_last_one_is_served(tmp_path, capsys):
    texts = write_texts(tmp_path / "texts")
    out = tmp_path / "out"
    assert call("run", write(tmp_path)) == 0
    served = snapshot_name(str(out))
    (texts / "1871.txt").write_text("The sea and the land. " * 5)
    gate = {"documents": {"least": 4, "most": 4}, "language-shares": {"de": {"least": 0.5}, "en": {"most": 0.5}}}
    capsys.readouterr()
    assert call("refresh", write(tmp_path, corpus=gate)) == 1
    told = capsys.readouterr().err
    assert "outside the bounds of the configuration's gate; nothing is published:" in told
    assert snapshot_name(str(out)) == served
    reasons = [
        "corpus: documents: 5 is more than 4",
        "corpus: language-shares of de: 0 is less than 0.5",
        "corpus: language-shares of en: 1 is more than 0.5",
    ]
    assert all(f"\n  {reason}" in told for reason in reasons)
    assert held_back(out, capsys) == reasons
    assert call("status", out) == 0
    assert f"was held back\n  {reasons[0]}\n" in capsys.readouterr().out
    # What held it back is withdrawn: all is well again, though nothing is published.
    (texts / "1871.txt").rename(tmp_path / "1871.txt")
    assert call("refresh", write(tmp_path, corpus=gate), "--exit-code") == 3
    assert held_back(out, capsys) == []
    # Wider bounds publish what was made, and make nothing.
    (tmp_path / "1871.txt").rename(texts / "1871.txt")
    before = artefacts(out)
    wide = {"documents": {"least": 5, "most": 5}, "language_shares": {"least": 1}}
    assert call("refresh", write(tmp_path, corpus=wide)) == 0
    assert snapshot_name(str(out)) != served
    assert artefacts(out) == before
    assert held_back(out, capsys) == []


def test_slices_and_their_pairs_have_gauges(made_once):
    snapshot = open_snapshot(str(made_once("small_out", make_out)))
    parts = tuple(part for table in ("slices", "scores") for part in snapshot.parts(table))
    made = Made(name="change", parts=parts, entry=snapshot.section("change"))
    tokens = {row["slice"]: row["tokens"] for row in snapshot.read("slices").to_pylist()}
    assert Change.gauges["slice-tokens"].values(made) == tokens
    scores = [row["score"] for row in snapshot.read("scores").to_pylist() if row["seed"] is None]
    (pair,) = [f"{first} to {last}" for first, last in zip(list(tokens), list(tokens)[1:], strict=False)]
    assert Change.gauges["null-scores"].values(made) == {pair: scores.count(None) / len(scores)}


def test_too_many_rejects_hold_back_in_the_same_way(tmp_path, capsys):
    (texts := tmp_path / "texts").mkdir()
    (texts / "1800.txt").write_text("A ship.")
    (texts / "undated.txt").write_text("Another ship.")
    assert call("run", write(tmp_path)) == 1
    told = capsys.readouterr().err
    (reason,) = held_back(tmp_path / "out", capsys)
    assert reason.startswith("1 of 2 input records were rejected (no_date 1), more than `max_reject_share` 0.05")
    assert reason.replace("`max_reject_share`", "--max-reject-share") in told
