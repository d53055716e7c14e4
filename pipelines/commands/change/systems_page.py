"""The page docs/systems.md, made from the registry of systems.

python -m pipelines.commands.change.systems_page > docs/systems.md
"""

from transforms.change.scores.measures import needs_alignment
from transforms.change.scores.named_systems import SYSTEMS, shown_value
from transforms.embeddings.representations import SGNS

__all__ = ["page"]


def page() -> str:
    """Return docs/systems.md."""
    lines = [
        "# Systems by name",
        "",
        "`lexbeam change --system NAME[,NAME]` scores and classes words as these systems of SemEval-2020 Task 1 did,",
        "side by side in table `change/systems`; `lexbeam change --list-systems` lists them. This page is made from",
        "the registry:",
        "",
        "    python -m pipelines.commands.change.systems_page > docs/systems.md",
        "",
        "A system sets options that are not given. Systems that set the same share their spaces, others have spaces of",
        "their own ([more](tasks/change/README.md#systems-by-name)).",
        "",
        "| system | what | source | needs | options | what differs |",
        "|---|---|---|---|---|---|",
    ]
    for name, system in SYSTEMS.ours().items():
        chosen = {"alignment": system.alignment if needs_alignment(system.measure) and system.measure else ""}
        chosen |= {"measure": system.measure, "threshold": system.threshold} | system.sets
        options = " ".join(
            f"--{o.replace('_', '-')} {shown_value(value)}" for o, value in chosen.items() if value not in ("", SGNS)
        )
        cells = (
            f"`{name}`",
            system.doc,
            system.source,
            system.takes,
            f"`{options}`" if options else "",
            system.differs,
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(page(), end="")
