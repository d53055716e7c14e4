"""Rows of the views: why each candidate lost."""

from simplified import candidates, chosen, instance, parts_of, ranked_target, rankings, selections

from lexbeam.transforms.simplification.shown.candidate_views import stage_rows


def reasons(tmp_path, made, *not_allowed, refused=()):
    ranked = rankings(1, "a", "senses", {"duro": 1, "difícil": 2, "pesado": 3, "largo": 4})
    rows = [
        instance(1, "arduo"),
        *candidates(1, "a", ["duro", "difícil", "pesado", "largo"]),
        *selections(1, "a", dict.fromkeys(("duro", "difícil", "pesado", "largo"), 1.0)),
        *({**row, "allowed": row["form"] not in not_allowed} for row in ranked),
        ranked_target(1, "a", "senses", "arduo"),
        {**made, "refused": list(refused)},
    ]
    tables = {name: [part.path for part in parts] for name, parts in parts_of(tmp_path / "made", rows).items()}
    found = stage_rows(tables, [rows[0]["instance_id"]])
    return {row["form"]: (row["stage"], row["reason"]) if row.get("reason") else row["chosen"] for row in found}


def test_of_a_kept_word_those_lost_to_it_that_are_no_simpler(tmp_path):
    kept = chosen(1, "a", "senses", "arduo", form="duro", reason="keep_target")
    # `difícil` is simpler than the target: it lost by its rank.
    assert reasons(tmp_path, kept, "duro", "pesado") == {
        "duro": ("pipeline", "keep_target"),
        "difícil": False,
        "pesado": ("pipeline", "keep_target"),
        "largo": False,
    }


def test_what_the_sentence_refused_says_so_whether_the_word_stays_or_not(tmp_path):
    refused = ("difícil no_agreement", "pesado other_sex")
    made = chosen(1, "a", "senses", "largo", form="largo")
    outcome = {
        "duro": ("pipeline", "keep_target"),
        "difícil": ("pipeline", "no_agreement"),
        "pesado": ("pipeline", "other_sex"),
        "largo": True,
    }
    assert reasons(tmp_path, made, "duro", refused=refused) == outcome
    stays = chosen(1, "a", "senses", "arduo", form="difícil", reason="no_agreement")
    assert reasons(tmp_path, stays, "duro", refused=refused) == {**outcome, "largo": False}
