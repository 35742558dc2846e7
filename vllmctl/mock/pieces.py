"""The vocabulary of the mock's tokenizer: 4,032 pieces, as many as a small model has.

Common words make tokens that look like a model's; pairs of letters and single bytes make
any other text possible. A piece's place in ``vocabulary()`` is its token id.
"""

from collections.abc import Iterator
from functools import cache
from itertools import product
from string import ascii_lowercase

VOCABULARY_SIZE = 4032

END_OF_TEXT, TURN_START, TURN_END = "<|endoftext|>", "<|im_start|>", "<|im_end|>"
THINK_START, THINK_END = "<think>", "</think>"
CALL_START, CALL_END = "<tool_call>", "</tool_call>"

SPECIALS = (END_OF_TEXT, TURN_START, TURN_END, THINK_START, THINK_END, CALL_START, CALL_END)
"""Pieces that stand for themselves whatever is around them; ids 0 to 6."""

FIRST_BYTE = len(SPECIALS)

_WORDS = """
a able about above accept across act action add after again against age ago agree air all allow
almost alone along already also always am among amount an and animal another answer any anyone
anything appear apply are area argument around array art as ask assist at atom attend available
away back bad ball base be bear beat beautiful became because become bed been before began begin
behind believe below best better between big bird bit black block blue board boat body book both
bottom bound box boy branch bread break bright bring broad brother brought brown build built burn
business but buy by cache call came can cannot capital car card care carry case cat catch cause
cell center certain chair chance change character charge chart check chess child choice choose
circle city class clean clear client climb clock close cloud coast code cold collect color column
come common company compare complete computer condition connect consider contain content context
continue control cook cool copy corner correct cost could count country course cover create cross
crowd cry current cut dance danger dark data date daughter day dead deal dear death decide deep
default degree delta depend describe design desk detail develop did die differ difficult direct
discuss distance divide do doctor does dog dollar done door double doubt down draw dream dress
drink drive drop dry during each ear early earth ease east eat edge effect egg eight either
electric element else empty end endpoint enemy energy engine enough enter equal error even evening
event ever every exact example except excite exercise expect experience explain eye face fact fail
fair fall false family famous far farm fast fat father favor fear feed feel feet fell felt few
field fight figure file fill final find fine finger finish fire first fish fit five flat floor
flow flower fly follow food foot for force foreign forest form forward found four free frequent
fresh friend from front fruit full function further game garden gas gather gave general gentle get
girl give glad glass go gold gone good got govern grand grass gray great green grew ground group
grow guess guide had hair half hand happen happy hard has hat have he head hear heart heat heavy
held hello help her here high hill him his history hit hold hole home hope horse hot hour house
how however huge human hundred hunt hurry I ice idea if image imagine in inch include index
indicate industry inform input insect inside instead interest invent iron is island issue it item
its job join joy jump just keep kept key kill kind king knew know lady lake land language large
last late laugh law lay layer lead learn least leave led left leg length less let letter level lie
life lift light like limit line lion liquid list listen little live local long look lost lot loud
love low machine made magnet main major make man many map mark market mass master match material
matter may me mean measure meat meet melody member memory men message metal method middle might
mile milk million mind mine minute miss mix mock model modern moment money month moon more morning
most mother motion mount mountain mouth move much multiply music must my name nation natural
nature near necessary neck need neighbor network never new next night nine no noise none noon nor
normal north nose not note nothing notice noun now null number object observe occur ocean of off
offer office often oh oil old on once one only open operate option or order other our out output
over own oxygen page paint pair paper parameter paragraph parent part party pass past path pattern
pay people percent perhaps period person phrase pick picture piece place plain plan plane planet
plant play please plural poem point poor port pose position possible post pound power practice
prepare present press pretty print probable problem process produce product prompt proper protect
prove provide pull pump push put python question quick quiet quite race radio rail rain raise ran
range rather reach read ready real reason receive record red refer region remember repeat reply
request require resolve rest result return rich ride right ring rise river road rock roll room
root rope rose round row rule run safe said sail salt same sand sat save saw say scale school
science score sea search season seat second section see seed seem segment select self sell send
sense sent sentence separate server set settle seven several shall shape share sharp she sheet
ship shoe shop short should shoulder shout show side sight sign silent silver similar simple since
sing single sister sit six size skill skin sky sleep slip slow small smell smile snow so soft soil
soldier solution solve some son song soon sort sound source south space speak special speech speed
spell spend spoke spot spread spring square stand star start state station stay steam steel step
stick still stone stood stop store story straight strange stream street stretch string strong
student study subject substance subtract success such sudden suffix sugar suggest suit summer sun
supply support sure surface surprise swim syllable symbol system table tail take talk tall teach
team tell temperature ten term test text than thank that the their them then there these they
thick thin thing think third this those though thought thousand three through throw thus tie time
tiny tire to today together token told tone too took tool top total touch toward town track trade
train travel tree triangle trip trouble truck true try tube turn twenty two type under unit until
up upon us usage use user usual valley value vary verb very view village visit voice vowel wait
walk wall want war warm was wash watch water wave way we wear weather week weight well went were
west what wheel when where whether which while white who whole whose why wide wife wild will win
wind window wing winter wire wish with woman wonder wood word work world would write written wrong
yard year yellow yes yet you young your zero
"""

_OPENERS = """
After All An And Are As At Because But By Can Do Each For From Good Hello Here How However If In It
Let Many More My No Not Now Of On One Or Our Please Say She So Some Tell Thank That The Then There
These They This Those Three To Two We What When Where Which While Who Why With Yes You Your
"""

_JOINTS = (
    *("  ", "    ", "        ", "\n\n", "\n  ", "\n    ", " (", '("', ' "', '",', '":', '": "'),
    *('{"', '"}', '"}}', ' {"', '"]', '["', ": ", "'s", "n't", " =", " ==", " +", " -"),
    *(" *", " /", "();", "):", "))", "::", "//", "...", "--", "->", "=>", " {", " [", " <", " #"),
    *("``", "```", "**", "ing", "ed ", "tion", "ment", "able", "ness", "ly", "er", "est", "ous"),
)


@cache
def vocabulary() -> tuple[bytes, ...]:
    """Return every piece as bytes, by token id."""
    fixed = [*(text.encode() for text in SPECIALS), *(bytes([byte]) for byte in range(256))]
    pieces = dict.fromkeys(fixed)
    for piece in _pieces():
        if len(pieces) == VOCABULARY_SIZE:
            break
        pieces.setdefault(piece.encode())
    return tuple(pieces)


def _pieces() -> Iterator[str]:
    """Yield the pieces of more than one byte, the most useful first."""
    yield from _JOINTS
    for word in _OPENERS.split():
        yield from (word, f" {word}")
    for word in _WORDS.split():
        yield from (word, f" {word}")
    yield from map("".join, product(ascii_lowercase, repeat=2))
    yield from (f"{number:02}" for number in range(100))
    for word in _WORDS.split():
        yield from (word.capitalize(), f" {word.capitalize()}")
