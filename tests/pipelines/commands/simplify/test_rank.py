from types import SimpleNamespace

import pytest

from lexbeam.pipelines.commands.simplify.rank import RankOptions, SimplifyRank
from lexbeam.pipelines.frame.command import Inputs
from lexbeam.transforms.simplification.ranking.options import RankingFiles, RankingOptions

TABLES = ("simplification/instances", "simplification/candidates", "complexity/instances", "complexity/labels")


@pytest.mark.parametrize("scorer", ["gradient-boosting", "ridge"])
def test_the_regressor_learns_by_the_scorer_of_the_options(tmp_path, scorer):
    section = {"settings": [{"setting": "a"}]}
    tables = [SimpleNamespace(table=name, parts=(), section=section) for name in TABLES]
    options = RankOptions(
        out=str(tmp_path / "out"),
        ranking=RankingOptions(ranker=("regressor",)),
        files=RankingFiles(complexity="labelled", regressor_scorer=scorer, cache=str(tmp_path)),
    )
    plan = SimplifyRank().plan(options, Inputs(tuple(tables)))
    assert plan.labelled is not None
    assert plan.fit.scorer == scorer
