"""What LightGBM does with damaged texts, unchecked and behind our check: figures of docs/reference/models.md.

    python -m benchmarks.damaged_models

Each text is read, and asked for predictions, in a process of its own.
"""

import os
import random
import re
import signal
from collections import Counter

import lightgbm
import numpy as np

from lexbeam.transforms.learning.models.lightgbm_text import check_lightgbm, lightgbm_settings, write_lightgbm
from lexbeam.transforms.learning.models.model import Refused

TEXTS = 600
SECONDS = 5  # a process that takes longer is taken for hanging


def damaged(text: bytes, chance: random.Random) -> bytes:
    """Return a text that is cut, or has other characters, numbers, lines, or an order of words."""
    kind = chance.randrange(6)
    if kind == 0:
        return text[: chance.randrange(len(text))]
    if kind == 1:
        content = bytearray(text)
        for _ in range(chance.randint(1, 3)):
            content[chance.randrange(len(content))] = chance.choice(b"0123456789 -=\n.e")
        return bytes(content)
    if kind == 2:  # as long as the old one, for the text says how long its trees are
        match = chance.choice(list(re.finditer(rb"-?\d+", text)))
        new = b"%d" % chance.choice([-1, 0, 1, 2, -2, -5, 5, 100, -100, 2**31, 999999999])
        new = new.rjust(len(match[0]), b"0")[: len(match[0])]
        return text[: match.start()] + new + text[match.end() :]
    lines = text.split(b"\n")
    place, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    if kind == 3:
        lines[place], lines[other] = lines[other], lines[place]
    elif kind == 4:
        del lines[place]
    else:
        words = lines[place].split(b" ")
        chance.shuffle(words)
        lines[place] = b" ".join(words)
    return b"\n".join(lines)


def _trained() -> tuple[bytes, np.ndarray]:
    generator = np.random.default_rng(1)
    x = generator.normal(size=(300, 3))
    x[:, 2] = generator.integers(0, 6, 300)
    data = lightgbm.Dataset(x, x[:, 0] + x[:, 2] % 2, categorical_feature=[2])
    few = {"num_leaves": 5, "max_cat_to_onehot": 1, "min_data_per_group": 1}
    settings = lightgbm_settings(1, objective="regression", **few)
    return write_lightgbm(lightgbm.train(settings, data, 3)), x


def _outcome(text: bytes, x: np.ndarray) -> str:
    child = os.fork()
    if not child:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        signal.alarm(SECONDS)
        try:
            lightgbm.Booster(model_str=text.decode(errors="replace")).predict(x, num_threads=1)
        except Exception:
            os._exit(1)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return "hang" if os.WTERMSIG(status) == signal.SIGALRM else "dead"
    return "error" if status else "predicts"


def main() -> None:
    """Measure and print."""
    text, x = _trained()
    print("| | refused by us | error of LightGBM | predicts | process dead | hangs |")
    print("|---" * 6 + "|")
    for name, is_checked in (("unchecked", False), ("checked", True)):
        chance = random.Random(1)
        outcomes: Counter[str] = Counter()
        for _ in range(TEXTS):
            content = damaged(text, chance)
            try:
                if is_checked:
                    check_lightgbm(content)
                outcomes[_outcome(content, x)] += 1
            except Refused:
                outcomes["refused"] += 1
        numbers = [outcomes[key] for key in ("refused", "error", "predicts", "dead", "hang")]
        print(f"| {name} | " + " | ".join(map(str, numbers)) + " |", flush=True)


if __name__ == "__main__":
    main()
