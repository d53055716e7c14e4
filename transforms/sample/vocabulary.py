"""The words of the sample corpus: topics of real English nouns, and pseudo-words beside them.

Every word here is a fixed point of the annotation engine `builtin:en`: whatever tag HanTa gives
it, in whatever sentence, its lemma is the word itself (tests/sample asserts this word by word).
That is why no past tense, no plural and, of the most common words, neither *in* nor *a* is found
here. Sentences begin with one of `OPENERS`; a name never stands first.

The real words head the topics, so that a person can read what a neighbour means. The pseudo-words
(`velmum`, `tarnance`) are the topics' rare words and, by lot, the words whose senses are planted:
nobody brings an expectation to them.

    >>> len(TOPICS), len(set(pseudo_words())) == len(pseudo_words())
    (20, True)
    >>> pseudo_words()[:3]
    ['badance', 'badity', 'badula']
"""

from itertools import product


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
