"""English function words: articles, pronouns, prepositions, conjunctions, auxiliaries.

A closed list: phrases of these words alone say nothing of a sense.
"""

__all__ = ["STOP_WORDS"]

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
