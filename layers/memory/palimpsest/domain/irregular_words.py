"""English words whose forms no stemmer brings together: "went" is "go".

Questions ask "did she go" where facts say "went" (measured: docs/retrieval.md). Left out are forms that are words of their own
right as often: "rose", "bit", "lives".
"""

from collections.abc import Mapping

_FORMS = """
    become became, begin began begun, bite bitten, bleed bled, blow blew blown, break broke broken, breed bred, bring brought,
    build built, burn burnt, buy bought, catch caught, choose chose chosen, come came, deal dealt, dig dug, draw drew drawn,
    dream dreamt, drink drank drunk, drive drove driven, eat ate eaten, fall fell fallen, feed fed, feel felt, fight fought,
    find found, flee fled, fly flew flown, forget forgot forgotten, forgive forgave forgiven, freeze froze frozen,
    get got gotten, give gave given, go went gone goes, grow grew grown, hang hung, hear heard, hide hid hidden, hold held,
    keep kept, kneel knelt, know knew known, lay laid, lead led, learn learnt, leave left, lend lent, lose lost, make made,
    mean meant, meet met, overcome overcame, pay paid, prove proven, ride rode ridden, ring rang rung, rise risen, run ran,
    say said, see saw seen, seek sought, sell sold, send sent, shake shook shaken, shine shone, shoot shot,
    show shown, shrink shrank shrunk, sing sang sung, sink sank sunk, sit sat, sleep slept, slide slid, speak spoke spoken,
    spend spent, spring sprang, stand stood, steal stole stolen, stick stuck, strike struck, swear swore sworn, sweep swept,
    swim swam swum, take took taken, teach taught, tear tore torn, tell told, think thought, throw threw thrown,
    undergo underwent, understand understood, wake woke woken, wear wore worn, weep wept, win won, withdraw withdrew,
    write wrote written,
    child children, foot feet, goose geese, man men, mouse mice, person people, tooth teeth, wife wives, woman women
"""


def _base_of_each_form() -> Mapping[str, str]:
    groups = (group.split() for group in _FORMS.split(","))
    return {form: base for base, *forms in groups for form in forms}


# Form → base, lower case; a base is no form of another.
BASE_OF: Mapping[str, str] = _base_of_each_form()
