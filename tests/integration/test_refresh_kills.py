"""Refreshes of several sections that are killed and disturbed: readers see all of a night's sections, or none.

The sections are a corpus, change with nulls, instances of complexity, and features, whose rows are inherited.
`test_watch_kills.py` has those of a corpus alone, and watches.
"""

import json
import os
import random
import re
import resource
import signal
import time
from collections import Counter

import pytest
import yaml
from small_runs import SMALL, call, published
from streaming import SECONDS, Started, arrive, check_published, make_world, refreshed

from lexbeam.transforms.common.publish.history import read_history
from lexbeam.transforms.common.publish.layout import snapshot_name
from lexbeam.transforms.common.publish.sections import table_digest
from lexbeam.transforms.common.publish.snapshots import open_snapshot

pytestmark = pytest.mark.soak
KILLS = max(4, round(20 * float(os.environ.get("LEXBEAM_SOAK", "1"))))  # a share of them, to try the tests out
MOMENTS = {  # where each moment's kill is to fall: from what has come into which folder
    "at random": None,
    "training": "_artefacts/change/train",
    "inheriting": "_artefacts/complexity/feature",
    "publication": "_snapshots",
}


@pytest.fixture
def config(tmp_path):
    """A configuration of these sections, of three texts a slice."""
    config = make_world(tmp_path, "texts", dates="name:^(\\d{4})_")
    options = dict(zip((word.removeprefix("--") for word in SMALL[::2]), map(int, SMALL[1::2]), strict=True))
    sections = {
        "change": {"slices": "1800-1849,1850-1900", "null": 3, **options},
        "complexity": {
            "select": {"quota": ["single=4"], "contexts": 2, "language": "en"},
            "features": {"use": ["form"]},
        },
    }
    config.write_text(yaml.safe_dump({**yaml.safe_load(config.read_text()), **sections}))
    for number in range(6):
        arrive(config, f"{1800 + number % 2 * 100}_{number}.txt", random.Random(number))
    return config


def check_whole(out):
    """Check that the published parts are sound, and that each section was made of the tables beside it."""
    snapshot = open_snapshot(str(out))
    assert snapshot.damaged() == []
    for section in snapshot.sections.values():
        for read in section["reads"]:
            assert read["digest"] == table_digest(snapshot.parts(read["table"]))
    return snapshot.name


def listed(folder):
    return set(os.listdir(folder)) if folder.exists() else set()


def test_kills_at_random_moments_lose_nothing(config):
    random_, out, fell, seen = random.Random(4), config.parent / "out", Counter(), Counter()
    history = out / "_snapshots" / ".history"
    begun = time.monotonic()
    refreshed(config)
    usual = time.monotonic() - begun
    number = 0
    while fell.total() - fell["too late"] < KILLS:
        moment = list(MOMENTS)[number % len(MOMENTS)]
        arrive(config, f"{random_.choice((1800, 1900))}_x{number}.txt", random_)
        if number % 5 == 4:
            (config.parent / "texts" / f"1800_{2 * (number // 5 % 3)}.txt").write_text(f"Other words {number}.")
        name, noted, snapshots = snapshot_name(str(out)), history.read_bytes(), listed(out / "_snapshots")
        before = {stage: listed(out / folder) for stage, folder in MOMENTS.items() if folder}
        started = Started("refresh", config)
        if moment == "at random":
            time.sleep(random_.uniform(0.1, 1.2) * usual)
        else:
            end = time.monotonic() + SECONDS
            while listed(out / MOMENTS[moment]) == before[moment] and started.process.poll() is None:
                assert time.monotonic() < end
                time.sleep(0.001)
            time.sleep(random_.uniform(0, 0.5 if moment == "publication" else 0.1))
        killed = started.end(signal.SIGKILL) == -signal.SIGKILL
        if check_whole(out) != name and history.read_bytes() != noted:
            fell["after" if killed else "too late"] += 1
        elif listed(out / "_snapshots") != snapshots:
            fell["within"] += 1
        else:
            fell["before"] += 1
            came = [stage for stage in ("inheriting", "training") if listed(out / MOMENTS[stage]) != before[stage]]
            seen[came[0] if came else "neither"] += 1
        if number % 5 == 4:
            refreshed(config)
            check_published(config)
        number += 1
    refreshed(config)
    check_published(config)
    print(f"\n{KILLS} kills by publication: {dict(fell)}; of those before, what had begun last: {dict(seen)}")


def test_of_two_refreshes_at_once_one_publishes(config):
    refreshed(config)
    arrive(config, "1900_x.txt", random.Random(9))
    both = [Started("refresh", config) for _ in range(2)]
    codes = sorted(each.process.wait(SECONDS) for each in both)
    told = "".join(each.log.read_text() for each in both)
    assert codes == [0, int("another run is at work" in told)]
    check_whole(config.parent / "out")
    check_published(config)


def test_a_disk_that_is_full_publishes_nothing_in_part(config, capsys):
    """A disk that takes no file, and ones for which first a space, then instances, then features are too large."""
    out, (soft, hard) = config.parent / "out", resource.getrlimit(resource.RLIMIT_FSIZE)
    config.write_text(config.read_text().replace("dim: 5", "dim: 300"))
    assert call("refresh", config) == 0
    arrive(config, "1900_x.txt", random.Random(9))
    name, before = snapshot_name(str(out)), published(out)
    failed = []
    for most in (0, 23_000, 36_000, 45_000):
        capsys.readouterr()
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
        try:
            assert call("refresh", config) == 1
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        told = capsys.readouterr().err
        assert "takes no file of this size" in told
        failed += re.findall(r"_artefacts/([a-z.]+)/", told)[:1]
        assert check_whole(out) == name
        assert published(out) == before
    assert failed == ["change", "complexity.select", "complexity"]  # without any file the run does not begin
    assert call("refresh", config) == 0
    assert snapshot_name(str(out)) != name
    check_published(config)


def test_a_clock_that_goes_back_changes_times_alone(config, monkeypatch, capsys):
    """It goes back by an hour before a refresh, and again in the midst of another, when a slice has been trained."""
    out, back, trained = config.parent / "out", [0], set()
    seconds, nanoseconds = time.time, time.time_ns

    def gone():
        if trained and listed(out / MOMENTS["training"]) - trained:
            back[0] += 3600
            trained.clear()
        return back[0]

    monkeypatch.setattr(time, "time", lambda: seconds() - gone())
    monkeypatch.setattr(time, "time_ns", lambda: nanoseconds() - gone() * 10**9)
    assert call("refresh", config) == 0
    names = [snapshot_name(str(out))]
    for number in range(3):
        if number == 0:
            back[0] = 3600
        elif number == 1:
            trained |= listed(out / MOMENTS["training"])
        arrive(config, f"1900_x{number}.txt", random.Random(10 + number))
        assert call("refresh", config, "--keep", "used", "--keep-days", "30") == 0
        names.append(check_whole(out))
        check_published(config)
    assert back == [7200]
    publications = read_history(str(out)).publications
    assert [each.snapshot for each in publications] == names  # in the order in which readers saw them
    assert len(set(names)) == 4
    first, second, third, last = (each.at for each in publications)
    assert first > second > third
    assert last > third
    capsys.readouterr()
    assert call("status", out, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert not any(section["stale"] for section in told["published"]["sections"].values())
    assert told["ages"]["last_success"] >= 0
    assert call("refresh", config, "--exit-code") == 3
