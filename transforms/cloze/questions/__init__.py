"""Questions: options beside an answer, drafts, splits by article, texts with a gap, files, and what people answer.

In: predictions of readers, candidates, pairs; sheets, tables and JSON lines of people. Out: `cloze/options`,
`cloze/questions`, JSON lines; `cloze/annotations` and `cloze/verdicts`.
Read in this order:

    choice              four words beside the answer, in its form
    choice_stage        the options of all questions of a part
    question            a text with a gap, five options, a label; and files
    question_stages     questions drafted, split, written
    splits              an article in one split, scores and tags alike
    answer_sheets       what people fill in, and what comes back
    quality             which questions are kept by their answers
    question_panels     questions as readers see them

A change to a choice or a draft makes options or questions anew, and readers stay; answers are read in each run.
"""
