"""Tables of abstract-meaning cloze questions: pairs, candidates, options, questions, answers."""
