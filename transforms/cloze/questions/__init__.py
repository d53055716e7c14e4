"""Questions: options beside an answer, drafts, splits by article, texts with a gap, files, and what people answer.

In: predictions of readers, candidates, pairs; sheets, tables and JSON lines of people. Out: `cloze/options`,
`cloze/questions`, JSON lines; `cloze/annotations` and `cloze/verdicts`. Read `choice`, `choice_stage`; `question`,
`question_stages`, `splits`; then `answer_sheets` and `quality`. `question_panels` shows questions as readers see them.
A change to a choice or a draft makes options or questions anew, and readers stay; answers are read in each run.
"""
