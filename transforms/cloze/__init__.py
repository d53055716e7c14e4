"""Abstract-meaning cloze questions: pairs, candidates, options, questions."""
