"""What a person on call sees of real runs: events, metrics, lineage, and a hook that is run until it ends well."""

import json
import shlex
import signal
import sys

import jsonschema
import pytest
from lineage_schema import check_lineage
from prometheus_client.parser import text_string_to_metric_families
from small_runs import SLICES, SMALL, call, published, write_texts
from streaming import Started

from lexbeam.pipelines.monitoring.events import event_schema
from lexbeam.transforms.common.publish.history import read_history
from lexbeam.transforms.common.publish.run_log import DRIVER, read_run_log
from lexbeam.transforms.common.publish.snapshots import open_snapshot

VALIDATOR = jsonschema.Draft202012Validator(event_schema(), format_checker=jsonschema.FormatChecker())
HOOK = """
import os
with open({told!r}, "a") as file:
    print(os.environ["LEXBEAM_SNAPSHOT"], os.environ["LEXBEAM_TOKEN"], file=file)
print("the hook was here")
raise SystemExit(os.path.exists({fails!r}))
"""


class World:
    """A folder of texts with a configuration, and commands on it."""

    def __init__(self, folder, capsys):
        self.folder, self.capsys = folder, capsys
        self.out, self.told, self.fails = folder / "out", folder / "told", folder / "fails"
        self.metrics, self.lineage = folder / "lexbeam.prom", folder / "lineage.jsonl"
        write_texts(folder / "texts")
        self.write()
        code = HOOK.format(told=str(self.told), fails=str(self.fails))
        self.hook = ["--on-publish", shlex.join([sys.executable, "-c", code])]

    def write(self, **corpus):
        options = dict(zip([word[2:] for word in SMALL[::2]], map(int, SMALL[1::2]), strict=True))
        config = {
            "out": "out",
            "parts": 2,
            "corpus": {"inputs": ["texts"], "engine": "builtin:en", "dates": r"name:^(\d+)", **corpus},
            "change": {"slices": SLICES[1], **options},
        }
        (self.folder / "config.yaml").write_text(json.dumps(config))

    def events(self, *words):
        """Give a command with `--log json`; return its exit code and what it has said, each line by the schema."""
        self.capsys.readouterr()
        code = call(*words, "--log", "json")
        said = self.capsys.readouterr()
        assert said.out == ""
        events = [json.loads(line) for line in said.err.splitlines()]
        for event in events:
            VALIDATOR.validate(event)
        return code, events

    def refresh(self, *words):
        monitored = ["--prometheus", self.metrics, "--openlineage", self.lineage]
        return self.events("refresh", self.folder / "config.yaml", *monitored, *words)

    def samples(self):
        families = text_string_to_metric_families(self.metrics.read_text("utf-8"))
        found = [sample for family in families for sample in family.samples]
        assert {sample.labels.pop("folder") for sample in found} == {str(self.out)}
        return {(s.name.removeprefix("lexbeam_"), *(v for _, v in sorted(s.labels.items()))): s.value for s in found}

    def lineage_events(self):
        """What was added to the file of lineage since the last look: kinds and sections."""
        lines = self.lineage.read_text("utf-8").splitlines()
        self.lineage.unlink()
        events = [check_lineage(json.loads(line)) for line in lines]
        return [(event["eventType"], event["job"]["name"].partition(":")[2]) for event in events], events

    def heard(self):
        return self.told.read_text().splitlines() if self.told.exists() else []


@pytest.fixture
def world(tmp_path, capsys):
    return World(tmp_path, capsys)


def names(events):
    return [event["event"] for event in events if event["event"] not in ("message", "warning")]


def only(events, name):
    (found,) = (event for event in events if event["event"] == name)
    return found


def test_nights_as_machines_see_them(world):
    world.fails.touch()
    code, events = world.refresh(*world.hook)
    assert code == 1
    stages = [event for event in events if event["event"] == "stage_made"]
    assert [name for name in names(events) if name != "stage_made"] == [
        "run_started",
        *["section_planned"] * 2,
        *["section_started", "section_finished"] * 2,
        "published",
        "hook_failed",
        "failed",
        "run_finished",
    ]
    snapshot = open_snapshot(str(world.out))
    rows = {table: entry["rows"] for table, entry in snapshot.tables.items()}
    assert (only(events, "published")["snapshot"], only(events, "published")["tables"]) == (snapshot.name, rows)
    assert {event["run_id"] for event in events} == {events[0]["run_id"]}
    assert {event["folder"] for event in events} == {str(world.out)}
    annotated = next(stage for stage in stages if stage["stage"] == "corpus/annotate")
    section = snapshot.sections["corpus"]
    assert (annotated["documents"], annotated["tokens"]) == (section["documents"], section["tokens"])
    assert annotated["seconds"] > 0
    log = read_run_log(str(world.out))
    assert {stage["stage"]: stage["made"] for stage in stages} == {
        stage: sum(line.elements for line in log if line.stage == stage)
        for stage in {line.stage for line in log if line.worker != DRIVER}
    }
    assert {line.run_id for line in log} == {"", events[0]["run_id"]}
    assert (only(events, "failed")["error"], only(events, "failed")["exit_code"]) == ("PublishHookError", 1)
    assert "--on-publish ended with 1" in only(events, "hook_failed")["message"]
    assert only(events, "run_finished")["outcome"] == "failed"
    assert "the hook was here" in [event.get("message") for event in events]
    found = world.samples()
    assert (found["failed",], found["untold_publications",]) == (1, 1)
    succeeded = found["last_success_timestamp_seconds",]
    assert (found["table_rows", "documents"], found["stage_tokens", "corpus/annotate"]) == (4, section["tokens"])
    ended, lineage = world.lineage_events()
    assert ended == [
        ("START", ""),
        ("START", "corpus"),
        ("START", "change"),
        ("COMPLETE", "corpus"),
        ("COMPLETE", "change"),
        ("FAIL", ""),
    ]
    assert lineage[0]["run"]["runId"] == events[0]["run_id"]
    documents = next(output for output in lineage[3]["outputs"] if output["name"].endswith("/documents"))
    assert documents["outputFacets"]["outputStatistics"]["rowCount"] == 4
    assert all(field["description"] for field in documents["facets"]["schema"]["fields"])
    assert f"{world.out}/sentences" in [each["name"] for each in lineage[4]["inputs"]]
    # The scheduler tries again: nothing is to do, and it stays red.
    code, events = world.refresh(*world.hook, "--exit-code")
    assert code == 1
    assert names(events)[:4] == ["run_started", *["section_planned"] * 2, "nothing_to_do"]
    assert names(events)[4:] == ["hook_failed", "failed", "run_finished"]
    assert (world.samples()["failed",], world.samples()["last_success_timestamp_seconds",]) == (1, succeeded)
    assert world.lineage_events()[0] == [("START", ""), ("FAIL", "")]
    world.fails.unlink()
    code, events = world.refresh(*world.hook, "--exit-code")
    assert code == 0, "it has told readers"
    told = only(events, "hook_told")
    assert world.heard() == [f"{snapshot.name} {told['token']}"] * 3
    found = world.samples()
    assert (found["failed",], found["untold_publications",]) == (0, 0)
    assert found["last_success_timestamp_seconds",] > succeeded
    assert world.lineage_events()[0] == [("START", ""), ("COMPLETE", "")]
    code, events = world.refresh(*world.hook, "--exit-code")
    assert (code, names(events)[3:]) == (3, ["nothing_to_do", "run_finished"])
    assert len(world.heard()) == 3
    assert events[-1]["message"] == f"nothing to do at {world.out}"


def test_nights_that_fail_or_are_held_back_are_told_as_such(world):
    assert world.refresh()[0] == 0
    before = published(world.out)
    world.lineage.unlink()
    (world.folder / "texts" / "1810.txt").unlink()
    code, events = world.refresh("--max-change", "0.1")
    assert (code, names(events)[3:]) == (1, ["held", "run_finished"])
    held = only(events, "held")
    assert held["reasons"] == ["corpus: 1 of 4 input files have gone or have other content"]
    assert held["message"].startswith(held["reasons"][0])
    found = world.samples()
    assert (found["failed",], found["section_state", "corpus", "held"], found["section_state", "corpus", "stale"]) == (
        1,
        1,
        1,
    )
    assert world.lineage_events()[0] == [("START", ""), ("FAIL", "")]
    # A run that fails in a section; what it had made before goes on to be there.
    world.write(normalise="rules.tsv")
    (world.folder / "rules.tsv").write_text("no rule")
    code, events = world.refresh()
    failed = only(events, "failed")
    assert (code, failed["error"], failed["section"]) == (failed["exit_code"], "UsageError", "corpus")
    assert world.lineage_events()[0] == [("START", ""), ("START", "corpus"), ("FAIL", "corpus"), ("FAIL", "")]
    assert world.samples()["failed",] == 1
    (world.folder / "texts").rename(world.folder / "away")
    code, events = world.refresh()
    assert (code, only(events, "failed")["error"]) == (1, "NoFilesError")
    (world.folder / "away").rename(world.folder / "texts")
    # What is wrong before there is a run.
    code, events = world.events("refresh", world.folder / "none.yaml")
    assert (code, names(events), "run_id" in events[0]) == (2, ["failed"], False)
    assert events[0]["exit_code"] == 2
    assert published(world.out) == before
    assert call("status", world.out, "--prometheus", world.metrics) == 0
    assert world.samples()["section_state", "corpus", "stale"] == 1


def test_a_run_again_over_what_is_published_tells_what_is_untold(world):
    run = ["run", world.folder / "config.yaml"]
    world.fails.touch()
    code, events = world.events(*run, *world.hook)
    assert (code, only(events, "run_finished")["outcome"]) == (1, "failed")
    world.capsys.readouterr()
    assert call("status", world.out) == 0
    assert "untold: 1 publication, since" in world.capsys.readouterr().out
    assert call("status", world.out, "--json") == 0
    (untold,) = json.loads(world.capsys.readouterr().out)["untold"]
    assert world.heard() == [f"{untold['snapshot']} {untold['token']}"]
    world.fails.unlink()
    code, events = world.events(*run, "--resume", *world.hook)
    assert (code, [name for name in names(events) if name != "stage_made"][-3:]) == (
        0,
        ["nothing_to_do", "hook_told", "run_finished"],
    )
    assert world.heard() == [f"{untold['snapshot']} {untold['token']}"] * 2
    assert world.events(*run, "--resume", *world.hook)[0] == 0
    assert len(world.heard()) == 2
    code, events = world.events("clean", world.out)
    assert (code, names(events)) == (0, ["freed"])


def test_a_run_that_is_killed_before_the_hook_is_told_of_by_the_next(world):
    kill = "import os, lexbeam.pipelines.runners.hooks as hooks; hooks.run_hook = lambda *_: os.kill(os.getpid(), 9)"
    config = world.folder / "config.yaml"
    killed = Started("refresh", config, *world.hook, before=kill)
    assert killed.process.wait(600) == -signal.SIGKILL
    assert world.heard() == []
    name = open_snapshot(str(world.out)).name
    assert call("refresh", config, *world.hook, "--exit-code") == 0
    (publication,) = read_history(str(world.out)).publications
    assert world.heard() == [f"{name} {publication.token}"]
    assert call("refresh", config, *world.hook, "--exit-code") == 3
    assert len(world.heard()) == 1


def test_untold_publications_are_told_though_the_night_fails(world):
    world.fails.touch()
    assert world.refresh(*world.hook)[0] == 1
    world.fails.unlink()
    (world.folder / "texts").rename(world.folder / "away")
    code, events = world.refresh(*world.hook)
    assert (code, names(events)[-3:]) == (1, ["hook_told", "failed", "run_finished"])
    assert len(world.heard()) == 2


def test_on_a_bucket_readers_are_told_likewise(world, bucket):
    out, config = f"{bucket}/out", world.folder / "config.yaml"
    settings = json.loads(config.read_text())
    del settings["change"]
    config.write_text(json.dumps(settings))
    kill = "import os, lexbeam.pipelines.runners.hooks as hooks; hooks.run_hook = lambda *_: os.kill(os.getpid(), 9)"
    killed = Started("refresh", config, "--out", out, *world.hook, before=kill)
    assert killed.process.wait(600) == -signal.SIGKILL
    world.fails.touch()
    words = ["refresh", config, "--out", out, *world.hook, "--exit-code"]
    assert call(*words) == 1
    (publication,) = read_history(out).publications
    assert call("status", out, "--prometheus", world.metrics) == 0
    assert "lexbeam_untold_publications" in world.metrics.read_text()
    world.fails.unlink()
    assert call(*words) == 0
    assert call(*words) == 3
    assert world.heard() == [f"{publication.snapshot} {publication.token}"] * 2
