"""Adapted Lesk: which sense of a word its context speaks of (Banerjee and Pedersen 2002); and lists of function words.

The score of a sense is a sum over glosses: the definition of its synset and those of the synsets
around it (hypernyms and what it is an instance of, hyponyms and instances, meronyms, holonyms,
similar ones, "see also", derivationally related ones), each a text of its own, each synset once.
A gloss adds the squared lengths of the phrases that it shares with the context.

A shared phrase is a run of words of the gloss that also stands, word by word, in the context, and
that is maximal: with the word before it or after it, it would not. Runs may overlap in the gloss.
Those of stop words alone do not count. Banerjee and Pedersen instead take the longest phrase out of
both texts and look again; without repetitions and overlaps that is the same.

Words are as `transforms/lexicon/wordnet/glosses.py` has them: in lower case, their first base form,
without what is neither letter nor digit. The context is one text or several; no phrase
runs from one into the other. The words of the target itself, wherever they
stand, are not in its context. The sense of the greatest score is chosen, of several the first, and
so the first sense where nothing is shared.

Two closed lists stand here, which others read, too. `STOP_WORDS` are English function words (articles, pronouns,
prepositions, conjunctions, auxiliaries): phrases of these words alone say nothing of a sense. `CLOSED_ADVERBS` are
adverbs of other languages. There parts of speech tell closed classes, but adverbs are an open class with closed ones
within it: interrogative, relative, demonstrative, indefinite and negative ones (features `PronType` of Universal
Dependencies), and those of degree, focus and phase (*también, ya*).
"""

import functools
from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.lexicon.compiled.word_keys import MISSING, coded
from lexbeam.transforms.lexicon.wordnet.glosses import Glosses
from lexbeam.transforms.lexicon.wordnet.ragged import Ragged, runs
from lexbeam.transforms.lexicon.wordnet.wordnet import WordNet

_LISTED = """
    a an the this that these those such same other another each every either neither both all any
    some no none many much more most few less several own enough
    i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his
    himself she her hers herself it its itself they them their theirs themselves one ones oneself
    who whom whose which what whoever whatever whichever someone anyone everyone something anything
    everything nothing nobody somebody anybody everybody
    about above across after against along among around as at before behind below beneath beside
    besides between beyond by despite down during except for from in inside into like near of off on
    onto out outside over past per since through throughout till to toward towards under until unto
    up upon via with within without
    and but or nor so yet if because although though while whereas unless than whether when where
    why how
    be am is are was were been being have has had having do does did doing done will would shall
    should can could may might must ought
    not n t s d ll m re ve don doesn didn isn aren wasn weren hasn haven hadn won wouldn shouldn
    couldn
    also only just very too then there here again even still ever never now once else etc eg ie
"""

STOP_WORDS = tuple(_LISTED.split())

# By language; forms are their own lemmas.
CLOSED_ADVERBS = {
    language: tuple(words.split())
    for language, words in {
        "de": """
            wann wo wohin woher wie warum weshalb weswegen wieso womit wodurch wofür wogegen woran worauf woraus worin
            worüber wovon wozu hier da dort dahin dorthin daher dann damals jetzt nun so damit dafür dagegen dadurch
            daran darauf daraus darin darüber davon davor dazu darum deshalb deswegen irgendwo irgendwann irgendwie
            überall nirgends nicht nie niemals immer auch nur sehr zu gar ganz noch schon wieder sogar selbst eben erst
            fast kaum mehr wenig etwas genug doch etwa ja""",
        "es": """
            cuando cuándo donde dónde adonde adónde como cómo cuanto cuánto cuan cuán mientras aquí ahí allí acá allá
            ahora entonces luego así no nunca jamás siempre tampoco también ya aún aun todavía sólo solo solamente
            incluso muy más menos tan tanto tal demasiado casi apenas quizá quizás""",
        "fr": """
            quand où comment pourquoi combien comme que ici là alors maintenant ainsi y en ne n' n pas plus point
            jamais toujours partout aussi seulement même très trop si tant tellement moins assez peu encore déjà non
            oui presque peut-être""",
        "it": """
            quando dove come perché quanto qui qua lì là allora adesso ora così ci vi ne non mai sempre ovunque anche
            pure neanche nemmeno neppure solo soltanto ancora già molto troppo più meno tanto quasi forse""",
        "nl": """
            wanneer waar waarheen hoe waarom waarmee waardoor waarop waarin waarvan waaraan waarover waarvoor hier daar
            er toen dan nu zo daarom daarmee daardoor daarop daarin daarvan ergens overal nergens niet nooit altijd ook
            alleen slechts zeer heel te nog al weer zelfs bijna nauwelijks meer minder""",
        "pt": """
            quando onde aonde como porquê quanto quão enquanto aqui aí ali lá cá agora então assim não nunca jamais
            sempre também tampouco só somente apenas até já ainda muito mais menos tão tanto quase talvez""",
        "sv": """
            när var vart varifrån hur varför här där då nu så därför därmed någonstans överallt ingenstans inte ej
            aldrig alltid också bara endast även ännu redan igen ens mycket mer mera mest lika än nästan knappast""",
    }.items()
}


_TOKENS = 1 << 20  # of glosses that are compared at once
_TABLE = 1 << 22  # cells of the table of words in contexts


def contexts_of(wordnet: WordNet, texts: Sequence[pa.Array]) -> Ragged:
    """Return the words of contexts of one or several texts each, as rows of `Glosses`.

    A word is `MISSING` where no gloss has it, and between the texts of a context.

    Args:
        texts: for each text of a context a list array, which has a list of tokens by context.
    """
    glosses = wordnet.glosses
    flat = [pc.list_flatten(lists).cast(pa.large_string()) for lists in texts]
    distinct, places = coded(pa.concat_arrays(flat))
    # One row more, of no words: what is null.
    known = glosses.rows(pa.concat_arrays([distinct, pa.array([None], distinct.type)]))
    lengths = [np.asarray(pc.list_value_length(lists).fill_null(0)) for lists in texts]
    owners = [np.repeat(np.arange(len(length)), length) for length in lengths]
    # Behind each text, a row that no word has.
    ends = [np.arange(len(length)) for length in lengths]
    together = np.concatenate([part for pair in zip(owners, ends, strict=True) for part in pair])
    first = np.cumsum([0, *map(len, flat)])
    tokens = [
        part
        for number in range(len(texts))
        for part in (places[first[number] : first[number + 1]], np.full(len(ends[number]), -1))
    ]
    order = np.argsort(together, kind="stable")
    return _spelled(np.concatenate(tokens)[order], together[order], known, len(ends[0]))


def _spelled(tokens: np.ndarray, owners: np.ndarray, known: Ragged, count: int) -> Ragged:
    """Return the words of tokens, which may be none or several; -1 stands for `MISSING`."""
    starts, lengths = known.offsets[tokens], known.lengths()[tokens]
    breaks = tokens < 0
    places_of_words = runs(starts, starts + np.where(breaks, 1, lengths))
    places = np.minimum(places_of_words.values, max(len(known.values) - 1, 0))
    values = known.values[places] if len(known.values) else np.full(len(places), MISSING)
    of = places_of_words.owners()
    values = np.where(breaks[of], MISSING, values)
    return Ragged(np.searchsorted(owners[of], np.arange(count + 1)), values)


class _Index:
    """The phrases of contexts, by their length, as numbers that are looked up."""

    def __init__(self, contexts: Ragged, size: int) -> None:
        self._size = size
        words = contexts.values
        owners = contexts.owners()
        there = words >= 0
        self.words = np.zeros((len(contexts.offsets) - 1, size), bool)
        self.words[owners[there], words[there]] = True
        # Of the phrases of each length: the number of the phrase without its last word, times
        # `size`, plus that word; sorted. The number of a phrase is its place there.
        self._phrases: list[np.ndarray] = []
        self._words = words
        self._starts = np.flatnonzero(there)
        keys = owners[there] * size + words[there]
        self._numbers = self._add(keys)

    def _add(self, keys: np.ndarray) -> np.ndarray:
        phrases, numbers = np.unique(keys, return_inverse=True)
        self._phrases.append(phrases)
        return numbers

    def phrases(self, length: int) -> np.ndarray:
        while len(self._phrases) < length:
            # A text ends with `MISSING`, so that the next word is there, or of the same context.
            following = self._words[np.minimum(self._starts + len(self._phrases), len(self._words) - 1)]
            more = following >= 0
            self._starts = self._starts[more]
            self._numbers = self._add(self._numbers[more] * self._size + following[more])
        return self._phrases[length - 1]

    def find(self, length: int, keys: np.ndarray) -> np.ndarray:
        """Return the numbers of phrases by their keys, `MISSING` where they are not there."""
        phrases = self.phrases(length)
        if not len(phrases):
            return np.full(len(keys), MISSING)
        places = np.minimum(np.searchsorted(phrases, keys), len(phrases) - 1)
        return np.where(phrases[places] == keys, places, MISSING)


def sense_scores(wordnet: WordNet, contexts: Ragged, owners: np.ndarray, without: Ragged, senses: Ragged) -> np.ndarray:
    """Return the score of each sense of each target, int64, in the order of `senses.values`.

    Args:
        wordnet: the senses' own.
        contexts: of the targets.
        owners: the context of each target.
        without: words of each target itself, rows of `Glosses`.
        senses: of each target.
    """
    scores = np.zeros(len(senses.values), np.int64)
    glosses = wordnet.glosses
    stop = _stop_words(glosses)
    synsets = wordnet.synset_of(senses.values)
    of = senses.owners()
    work = _sizes(glosses)[synsets]
    for share in _shares(owners[of], work, max(_TABLE // max(len(glosses), 1), 1)):
        first = owners[of[share.start]]
        last = owners[of[share.stop - 1]] + 1
        bounds = contexts.offsets[first : last + 1]
        words = Ragged(bounds - bounds[0], contexts.values[bounds[0] : bounds[-1]])
        index = _Index(words, len(glosses))
        targets = of[share]
        scores[share] = _scored(glosses, stop, index, synsets[share], owners[targets] - first, targets, without)
    return scores


def _shares(contexts: np.ndarray, work: np.ndarray, most: int) -> Iterator[slice]:
    """Yield runs of senses, of few contexts and not too many tokens; contexts are rising."""
    start = 0
    done = np.cumsum(work)
    while start < len(contexts):
        base = done[start - 1] if start else 0
        stop = min(
            int(np.searchsorted(contexts, contexts[start] + most)),
            int(np.searchsorted(done, base + _TOKENS, side="right")),
        )
        yield slice(start, max(stop, start + 1))
        start = max(stop, start + 1)


def _scored(
    glosses: Glosses,
    stop: np.ndarray,
    index: _Index,
    synsets: np.ndarray,
    contexts: np.ndarray,
    targets: np.ndarray,
    without: Ragged,
) -> np.ndarray:
    around = glosses.around(synsets)
    begin = glosses.bounds[around.values].astype(np.int64)
    end = glosses.bounds[around.values + 1].astype(np.int64)
    read = runs(begin, end)
    words = glosses.tokens[read.values]
    last = np.zeros(len(words), bool)
    last[read.offsets[1:][end > begin] - 1] = True
    bounds = read.offsets[around.offsets]  # where the tokens of each sense begin
    base = np.repeat(contexts * index.words.shape[1], np.diff(bounds))
    shared = index.words.ravel()[base + words]
    hits = np.flatnonzero(shared)
    sense = np.searchsorted(bounds, hits, side="right") - 1
    is_target = _among(words[hits], targets[sense], without)
    shared[hits[is_target]] = False
    hits, sense = hits[~is_target], sense[~is_target]
    if not len(hits):
        return np.zeros(len(synsets), np.int64)
    lengths = _lengths(index, words, last, shared, hits, base)
    # A run is not maximal if it is the rest of that of the word before.
    rest = np.zeros(len(hits), bool)
    neighbours = (hits[1:] == hits[:-1] + 1) & ~last[hits[:-1]]
    rest[1:] = neighbours & (lengths[:-1] == lengths[1:] + 1)
    content = np.concatenate([[0], np.cumsum(~stop[words[hits]])])
    # All words of a run are shared, so that they stand next to one another among `hits`.
    place = np.arange(len(hits))
    counts = ~rest & (content[place + lengths] > content[place])
    weights = (lengths * lengths)[counts]
    return np.bincount(sense[counts], weights, len(synsets)).astype(np.int64)


def _lengths(
    index: _Index, words: np.ndarray, last: np.ndarray, shared: np.ndarray, hits: np.ndarray, base: np.ndarray
) -> np.ndarray:
    """Return the length of the longest phrase of the context that begins at each shared word."""
    lengths = np.ones(len(hits), np.int64)
    left = np.arange(len(hits))
    numbers: np.ndarray | None = None
    length = 1
    while len(left):
        # The next word is there, in the same gloss, and shared.
        following = hits[left] + length
        more = ~last[following - 1]
        more[more] = shared[following[more]]
        left = left[more]
        if numbers is None:
            numbers = index.find(1, base[hits[left]] + words[hits[left]])
        else:
            numbers = numbers[more]
        size = index.words.shape[1]
        length += 1
        numbers = index.find(length, numbers * size + words[hits[left] + length - 1])
        longer = numbers >= 0
        left, numbers = left[longer], numbers[longer]
        lengths[left] = length
    return lengths


def _among(words: np.ndarray, targets: np.ndarray, without: Ragged) -> np.ndarray:
    """Return whether each word is one of its target's own."""
    among = np.zeros(len(words), bool)
    lengths = without.lengths()
    for place in range(int(lengths.max(initial=0))):
        there = lengths > place
        target_words = np.full(len(lengths), MISSING)
        target_words[there] = without.values[without.offsets[:-1][there] + place]
        among |= words == target_words[targets]
    return among


@functools.lru_cache(4)
def _sizes(glosses: Glosses) -> np.ndarray:
    """Return how many words the glosses around each synset have, int64."""
    sums = np.zeros(len(glosses.extended) + 1, np.int64)
    np.cumsum(np.diff(glosses.bounds)[glosses.extended], out=sums[1:])
    return np.asarray(sums[glosses.extended_bounds[1:]] - sums[glosses.extended_bounds[:-1]])


@functools.lru_cache(4)
def _stop_words(glosses: Glosses) -> np.ndarray:
    rows = glosses.rows(pa.array(STOP_WORDS, pa.large_string())).values
    stop = np.zeros(len(glosses), bool)
    stop[rows[rows >= 0]] = True
    return stop


def choose_senses(
    wordnet: WordNet, contexts: Ragged, owners: np.ndarray, targets: Sequence[pa.Array], senses: Ragged
) -> np.ndarray:
    """Return the sense of each target in its context, int64; `MISSING` where it has none.

    Args:
        wordnet: the senses' own.
        contexts: of the targets.
        owners: the context of each target, rising.
        targets: texts of each target, its form and its lemma; they are left out of its context.
        senses: of each target, in their order.
    """
    chosen = first_senses(senses)
    # Of a single sense there is nothing to choose.
    lengths = senses.lengths()
    several = np.flatnonzero(lengths > 1)
    if not len(several):
        return chosen
    choices = senses.keep((lengths > 1)[senses.owners()])
    choices = Ragged(np.append(choices.offsets[several], choices.offsets[-1]), choices.values)
    words = concatenated([wordnet.glosses.rows(texts.take(pa.array(several))) for texts in targets])
    scores = sense_scores(wordnet, contexts, owners[several], words, choices)
    best = np.maximum.reduceat(scores, choices.offsets[:-1])
    of = choices.owners()
    greatest = np.flatnonzero(scores == best[of])
    _, first = np.unique(of[greatest], return_index=True)
    chosen[several] = choices.values[greatest[first]]
    return chosen


def first_senses(senses: Ragged) -> np.ndarray:
    """Return the first sense of each target, int64; `MISSING` where it has none."""
    chosen = np.full(len(senses.offsets) - 1, MISSING, np.int64)
    known = senses.lengths() > 0
    chosen[known] = senses.values[senses.offsets[:-1][known]]
    return chosen


def concatenated(lists: Sequence[Ragged]) -> Ragged:
    """Return what several have for each owner, one after the other."""
    owners = np.concatenate([ragged.owners() for ragged in lists])
    values = np.concatenate([ragged.values for ragged in lists])
    order = np.argsort(owners, kind="stable")
    bounds = np.searchsorted(owners[order], np.arange(len(lists[0].offsets)))
    return Ragged(bounds, values[order])
