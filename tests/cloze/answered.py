"""Questions with labels and files of answers to them, made for tests of their evaluation."""

import json


def question(passage="The dogs stay.", options="abcde", label=0, **more):
    """Return a question as the task has it."""
    named = {f"option_{place}": word for place, word in enumerate(options)}
    return {"article": passage, "question": "A @placeholder barks.", **named, "label": label, **more}


def write_lines(path, rows):
    """Write rows as JSON lines, and return the path."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return str(path)
