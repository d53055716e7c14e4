"""English function words: articles, pronouns, prepositions, conjunctions, auxiliaries; such adverbs of other languages.

A closed list: phrases of these words alone say nothing of a sense. In other languages parts of speech tell closed
classes, but adverbs are an open class with closed ones within it: interrogative, relative, demonstrative, indefinite
and negative ones (features `PronType` of Universal Dependencies), and those of degree, focus and phase (*también, ya*).
"""

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
