"""The language of the sample corpus: how probable each word is, by topic, by time and by place.

Content words follow P(w | topic, time) = .79 topic + .15 general + .04 any topic + .02 names:
each part is Zipfian, P(rank) ~ 1 / (rank + 1.5), over its own words, the general words with a
liking for some topics. All of it drifts: the logarithm of a word's weight, as that of a topic's
share, moves along a line over time with a slope of its own. A name passes to another bearer
between the slices, and so to another topic: names do change, as in real corpora, where rankings
leave them out.

Function words have habits: each class is Zipfian, and each word in it likes or
dislikes the beginning, middle and end of a sentence, and some topics, to a degree of its own.

All weights, and which pseudo-words belong to which topic, are drawn from the seed. A step of
time is a decade; the numbers here were chosen so that 300,000 words suffice to learn the topics.

The words are topics of real English nouns, and pseudo-words beside them. Every word here is a fixed point of the
annotation engine `builtin:en`: whatever tag HanTa gives it, in whatever sentence, its lemma is the word itself
(tests/sample asserts this word by word). That is why no past tense, no plural and, of the most common words, neither
*in* nor *a* is found here. Sentences begin with one of `OPENERS`; a name never stands first.

The real words head the topics, so that a person can read what a neighbour means. The pseudo-words
(`velmum`, `tarnance`) are the topics' rare words and, by lot, the words whose senses are planted:
nobody brings an expectation to them.

    >>> len(TOPICS), len(set(pseudo_words())) == len(pseudo_words())
    (20, True)
    >>> pseudo_words()[:3]
    ['badance', 'badity', 'badula']
"""

from dataclasses import dataclass
from itertools import chain, product

import numpy as np


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# fmt: off
TOPICS = {
    "sea": _words("""
        sail deck sailor voyage cargo compass tide reef gull lighthouse wave rope mast cabin
        storm raft island oar vessel keel whale pilot
    """),
    "law": _words("""
        jury trial statute verdict witness lawyer oath prison clerk crime evidence appeal
        sentence guilt plea plaintiff lawsuit thief bail testimony prosecutor murder
    """),
    "farm": _words("""
        plough harvest cattle pasture sheep farmer meadow fence stable goat dairy hen barley
        tractor manure crop shepherd wheat fodder pig scythe calf
    """),
    "church": _words("""
        altar prayer sermon hymn priest pulpit psalm choir cathedral miracle angel baptism
        parish pilgrim creed vicar organ deacon candle blessing scripture doctrine
    """),
    "medicine": _words("""
        fever nurse surgeon hospital patient pulse remedy disease ointment cough physician pill
        bandage symptom vein clinic infection throat tumour poison ache therapy
    """),
    "music": _words("""
        violin melody concert tune chord piano drum flute orchestra tenor rhythm ballad duet
        trumpet composer cello chorus lute soprano symphony sonata fiddle
    """),
    "war": _words("""
        army soldier battle trench siege enemy regiment sword rifle retreat victory ambush truce
        bayonet musket troop infantry sergeant bullet treaty cavalry helmet
    """),
    "kitchen": _words("""
        butter flour oven onion soup bread recipe spoon pepper sauce cream cake apron honey
        cheese pastry stew vinegar jam pudding pie garlic
    """),
    "railway": _words("""
        locomotive station carriage track platform ticket steam passenger signal timetable
        luggage rail junction freight conductor coal viaduct wagon whistle boiler piston coach
    """),
    "mine": _words("""
        shaft ore miner pit lantern quarry copper pickaxe seam gravel gold granite slag zinc
        nickel mineral pebble cobalt drill limestone lead lava
    """),
    "school": _words("""
        teacher pupil lesson grammar desk chalk classroom exam essay student library scholar
        alphabet homework college playground lecture headmaster satchel tutor blackboard
        dictation
    """),
    "garden": _words("""
        tulip lawn hedge gardener petal bulb shrub soil compost fern orchid greenhouse fountain
        bee lavender leaf stem pollen nectar vine trellis sprout
    """),
    "weather": _words("""
        rain thunder breeze fog sunshine drought climate hail temperature wind mist flood
        blizzard sky barometer dew drizzle lightning humidity season hurricane autumn
    """),
    "trade": _words("""
        profit debt coin customer tax budget invoice dividend auction stock tariff wealth salary
        interest shop commerce retail mortgage capital account cheque currency
    """),
    "building": _words("""
        brick roof chimney timber plank ladder staircase cellar architect scaffold cement window
        hinge nail gutter attic facade column balcony corridor tile bolt
    """),
    "cloth": _words("""
        silk needle ribbon lace velvet thread wool loom collar sleeve linen dress coat scarf hat
        fabric yarn glove bonnet satin petticoat shawl
    """),
    "forest": _words("""
        oak deer pine hound trail squirrel woodland elk maple snare timberland thicket boar
        badger acorn lynx otter weasel bark twig pheasant partridge
    """),
    "theatre": _words("""
        actor stage comedy tragedy curtain rehearsal audience drama actress costume script scene
        playwright applause mask spotlight villain farce dialogue backdrop pantomime puppet
    """),
    "letter": _words("""
        ink envelope stamp quill paper postman parchment message diary telegram postcard author
        parcel signature editor manuscript chapter preface novel printer pamphlet paragraph
    """),
    "science": _words("""
        microscope atom laboratory experiment theory telescope electron planet equation molecule
        acid comet geometry magnet hypothesis battery lens voltage orbit oxygen hydrogen proton
    """),
}
GENERAL = _words("""
    reason manner purpose custom habit opinion moment morning strength beauty danger duty nature
    spirit mind answer question memory truth value skill effort care trouble pleasure sorrow
    luck journey silence shadow colour sound figure number measure order change event secret
    matter object subject body heart voice face neighbour brother daughter gentleman giant
    village river mountain desert world nation people family room door chair bed lamp clock box
    bag basket bottle cup dog cat horse attitude belief decision difference distance doubt
    example experience fact failure freedom gesture glance hour kind knowledge lack limit method
    minute mistake mood need notion occasion pattern period pause person plan possibility
    problem process promise quality quantity quarrel reality relation respect result rule sense
    situation size source style success surface surprise task thing trace tradition triumph use
    variety view week wish year ancient common curious familiar famous foolish gentle honest
    large narrow proper public quiet recent serious similar simple single slow soft solemn
    special steady strange sudden tall thick tiny useful usual vast weak wide
""")
NAMES = _words("""
    Mary Walter Arthur Henry Edward Alice Robert Richard Edmund Gilbert Harriet Matilda Agnes
    Cecil Oliver Martha Louisa Eleanor Margaret Philip Hugh Ralph Simon Stephen Thomas George
    Charles Elizabeth Anne Jane Emma Kevin Brian Gary Susan Linda Karen Janet Angela Trevor
    Nigel Derek Keith Stuart Darren Sharon Michelle Julie London Paris Oxford Bristol Durham
    York Dublin Glasgow
""")
# fmt: on

# Function words by the place that they take, the most frequent first.
OPENERS = _words("the when but and if while as though because once since after before until where")
JOINTS = _words("of to and with from on for by or upon over between without")
DETERMINERS = _words("the this his that some every their no each its any our such another your")
CLOSERS = _words("again here now there often soon")
FUNCTION_WORDS = tuple(sorted({*OPENERS, *JOINTS, *DETERMINERS, *CLOSERS}))

ONSETS = _words("b d f g k l m n p r t v br dr gr kl")
VOWELS = _words("a e i o u")
MIDDLES = _words("d lm m nd rn v lk")
ENDINGS = _words("ance um ity ole ula ure")


def pseudo_words() -> list[str]:
    """Return 1,680 pseudo-words: every stem with three of the six endings, in turn."""
    return [
        "".join(stem) + ending
        for i, stem in enumerate(product(ONSETS, VOWELS, MIDDLES))
        for ending in ENDINGS[i % 2 :: 2]
    ]


SLICES = {"early": 1800, "late": 1950}  # first years
YEARS = 50  # of a slice
STEPS = [first + ten for first in SLICES.values() for ten in range(0, YEARS, 10)]
CLASSES = {"opener": OPENERS, "joint": JOINTS, "determiner": DETERMINERS, "closer": CLOSERS}
RARE_WORDS = 60  # pseudo-words of a topic

PARTS = {"topic": 0.79, "general": 0.15, "any": 0.04, "names": 0.02}
WORD_DRIFT = 0.4  # standard deviation of the change of a log weight over the whole time
TOPIC_DRIFT = 0.5
LIKING = 2.0  # standard deviation of a general word's log weight over topics
HABIT = 0.6  # standard deviation of a function word's log weight over places
MANNER = 0.6  # and over topics


@dataclass(frozen=True, kw_only=True)
class Language:
    """The words, whose ids are their positions, and the probabilities of most of them.

    `content` is P(content word | step, topic), (steps, topics, words), its columns being
    `content_ids`; `topics` is P(topic | step), (steps, topics); `function` is
    P(function word | topic, class, third of the sentence), (topics, classes, 3, words), its
    columns being `function_ids`. `targets` are the words kept for planting: the last ids, without
    probability.
    """

    words: tuple[str, ...]
    targets: tuple[str, ...]
    content_ids: np.ndarray
    function_ids: np.ndarray
    content: np.ndarray
    topics: np.ndarray
    function: np.ndarray


def _zipf(n: int) -> np.ndarray:
    weights = 1 / (np.arange(n) + 2.5)
    return np.asarray(weights / weights.sum())


def _normalise(weights: np.ndarray) -> np.ndarray:
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


def _drift(rng: np.random.Generator, n: int, sd: float) -> np.ndarray:
    """Factors on the weights of `n` words or topics, (steps, n): exp of lines with normal slopes."""
    time = (np.array(STEPS) - STEPS[0]) / (STEPS[-1] - STEPS[0]) - 0.5
    return np.exp(time[:, None] * rng.normal(0, sd, n))


def _content(rng: np.random.Generator, rare: int) -> np.ndarray:
    """P(content word), (steps, topics, words): topics' words in turn, then general, then names."""
    steps, topics = len(STEPS), len(TOPICS)
    heads = [len(words) for words in TOPICS.values()]
    general, names = len(GENERAL), len(NAMES)

    base = np.zeros((topics, sum(heads) + topics * rare))
    start = 0
    for topic, head in enumerate(heads):
        # The real words come first, in random order, then the pseudo-words.
        ranks = np.concatenate([rng.permutation(head), np.arange(head, head + rare)])
        base[topic, start : start + head + rare] = _zipf(head + rare)[ranks]
        start += head + rare
    drifting = base * _drift(rng, base.shape[1], WORD_DRIFT)[:, None, :]
    of_topic = _normalise(drifting)
    of_any = _normalise(drifting.sum(axis=1))[:, None, :]

    liking = np.exp(rng.normal(0, LIKING, (topics, general)))
    of_general = _zipf(general)[rng.permutation(general)] * liking
    of_general = _normalise(of_general * _drift(rng, general, WORD_DRIFT)[:, None, :])

    of_names = np.zeros((steps, topics, names))
    weights = _zipf(names)[rng.permutation(names)] * _drift(rng, names, 3 * WORD_DRIFT)
    for slice_steps in np.split(np.arange(steps), len(SLICES)):
        bearers = rng.permutation(names) % topics
        of_names[slice_steps[:, None], bearers, np.arange(names)] = weights[slice_steps]
    of_names = _normalise(of_names)

    return _normalise(
        np.concatenate(
            [
                PARTS["topic"] * of_topic + PARTS["any"] * of_any,
                PARTS["general"] * of_general,
                PARTS["names"] * of_names,
            ],
            axis=2,
        )
    )


def _function(rng: np.random.Generator, columns: list[str]) -> np.ndarray:
    """P(function word), (topics, classes, thirds, words)."""
    topics = len(TOPICS)
    weights = np.zeros((topics, len(CLASSES), 3, len(columns)))
    for row, words in enumerate(CLASSES.values()):
        ids = [columns.index(word) for word in words]
        habits = np.exp(rng.normal(0, HABIT, (3, len(words))))
        manners = np.exp(rng.normal(0, MANNER, (topics, 1, len(words))))
        weights[:, row, :, ids] = np.moveaxis(_zipf(len(words)) * habits * manners, 2, 0)
    return _normalise(weights)


def build_language(rng: np.random.Generator, targets: int) -> Language:
    """Return the language that `rng` draws, with `targets` pseudo-words kept for planting.

    Those have ids after all other words, and no probability of their own.
    """
    pseudo = [str(word) for word in rng.permutation(pseudo_words())]
    planted, rest = pseudo[:targets], iter(pseudo[targets:])
    content = [
        *chain.from_iterable((*heads, *(next(rest) for _ in range(RARE_WORDS))) for heads in TOPICS.values()),
        *GENERAL,
        *NAMES,
    ]
    function = list(FUNCTION_WORDS)
    shares = np.exp(rng.normal(0, 0.3, len(TOPICS)))
    return Language(
        words=(*function, *content, *planted),
        targets=tuple(planted),
        function_ids=np.arange(len(function)),
        content_ids=np.arange(len(function), len(function) + len(content)),
        content=_content(rng, RARE_WORDS),
        topics=_normalise(shares * _drift(rng, len(shares), TOPIC_DRIFT)),
        function=_function(rng, function),
    )
