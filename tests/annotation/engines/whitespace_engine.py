"""An engine written without the code, for what does not depend on a real one."""

import re

from lexbeam.transforms.common.store.batches import Sentence


def words(paragraphs, map_form=None):
    """An engine of one sentence a paragraph and whitespace tokens, written without the code."""
    found = []
    for paragraph in paragraphs:
        matches = list(re.finditer(r"\S+", paragraph))
        forms = [match.group() for match in matches]
        shown = [map_form(form) if map_form else form for form in forms]
        found.append(
            [
                Sentence(
                    shown,
                    [form.lower() for form in shown],
                    None,
                    [match.start() for match in matches],
                    [match.end() for match in matches],
                )
            ]
        )
    return found
