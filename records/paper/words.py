"""The words that players write on sheets, in English, Swahili and Somali, the commonest also in French, German, Dutch,
Spanish and Portuguese: sides, numbers, dates, results, reasons."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from inkeek.records.errors import ErrorText
from inkeek.records.notation.tags import ENDINGS, Ending
from inkeek.records.position import Side
from inkeek.records.text import fold


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _words(texts: Mapping[str, str]) -> dict[str, str]:
    """What each word means, of meanings with their words."""
    return {word.replace("_", " "): meaning for meaning, words in texts.items() for word in words.split()}


_SIDES = {Side.SOUTH: "south kusini koonfur sud süd sul sur", Side.NORTH: "north kaskazini waqooyi woqooyi nord norte"}
SIDE_WORDS = {word: side for side, words in _SIDES.items() for word in words.split()}
LABELS = _words(  # tags, by the words before a colon that mean them
    {
        **{str(side): words for side, words in _SIDES.items()},
        "Event": "event tournament mashindano tartan torneo tournoi turnier toernooi torneio",
        "Site": "site place venue mahali goob meel lugar lieu ort plaats",
        "Date": "date tarehe taariikh fecha datum data",
        "Round": "round raundi wareeg",
        "Board": "table board meza miis",
        "Recorder": "recorder scribe scorer noted_by written_by recorded_by mwandishi qoraa",
        "Arbiter": "arbiter referee umpire mwamuzi garsoore",
        "Result": "result matokeo natiijo",
        "Termination": "termination reason sababu",
        "Score": "score alama",
        "First": "first starter begins begin",
        "Source": "source chanzo quelle fuente",
        "License": "license licence leseni",
        "Consent": "consent idhini ogolaansho",
        "Players": "players names wachezaji majina ciyaaryahanno ciyaartoyda magacyo",
        "Pits": "pits",
    }
)
COLUMNS = _words(  # what the columns of a table are, by the words at their head; a move or a turn may be a number
    {
        "number": "no no. nr nr. # number turn_no turn_number move_no namba nambari tirsi tirada round raundi ply "
        "coup tour manche zug runde beurt ronde lance rodada jugada ronda turno na",
        "turn": "turn move zamu hatua tallaabo moves",
        "side": "side player who mchezaji upande ciyaaryahan ciyaartoyga mover joueur spieler speler jugador jogador",
        "pit": "pit hole house from shimo god pits play played case trou mulde kuil casa hoyo",
        "captured": "captured capture captures taken takes eaten ate x won_seeds seeds_won won kete alikula "
        "amekula wamekula qabsaday qaaday prises pris gefangen geschlagen geslagen captura capturas "
        "comidas kete_alizochukua",
        "store": "total totals store stores score sum so_far jumla wadar stand",
        "remark": "note notes remark remarks comment comments maoni maelezo faallo remarque remarques bemerkung "
        "bemerkungen opmerking opmerkingen nota notas",
        "time": "time clock date saa muda tarehe taariikh",
        **{str(side): f"{words} {side.letter}" for side, words in _SIDES.items()},
    }
)
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
NUMBERS = {
    word: number
    for words in (
        "one two three four five six seven eight nine ten eleven twelve",
        _ORDINALS,
        "moja mbili tatu nne tano sita saba nane tisa kumi",
        "kwanza pili tatu nne tano sita saba nane tisa kumi",
        "un deux trois quatre cinq six sept huit neuf dix onze douze",
        "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
        "kow laba saddex afar shan lix toddoba siddeed sagaal toban",
        "koowaad labaad saddexaad afraad shanaad lixaad toddobaad siddeedaad sagaalaad tobnaad",
    )
    for number, word in enumerate(words.split(), 1)
}
PASSES = _set("pass passes passed pita anapita amepita alipita dhaaf dhaafay")
TURN_WORDS = _set(
    "turn move round ply no nr number zamu hatua raundi namba nambari tallaabo tirsi wareeg coup tour zug"
)
CAPTURES = _set(
    "takes took take captures captured capture cap eats ate wins kills killed anakula amekula akala alikula akakula "
    "qaaday qabsaday cunay prend prends gagne nimmt schlägt"
)
SEEDS = _set("seeds seed stones stone balls beans kete mbegu kokwa iniin xabbo")
# They stand among turns and say nothing.
FILLERS = _set(
    "then and plays play played moves moved sows sowed sow answers answered replies replied pit hole house from the "
    "his her ya la na and begins starts with by of goes kisha halafu anacheza amecheza akacheza alicheza cheza shimo "
    "iyo ayaa kadib markaas god godka ciyaaray ciyaartay ciyaara dheelay"
)
# A turn may have been lost where one of them stands.
LOST = _set(
    "missed missing skipped skip lost gap unclear illegible unreadable forgot forgotten etc same again ditto both "
    "twice unknown unsure sure continued more rest turn turns moves left right kushoto kulia bidix midig hajulikani "
    "imepotea tena vilevile isla forth next"
)
STOPPING = re.compile(r"\b(?:finish|stop|continued|abgebrochen|interromp|\w*isha\b|\w*maliz|\w*acha\b|dhamm|jooj)")
DIRECTIONS = _set("left right kushoto kulia bidix midig clockwise anticlockwise counterclockwise")
BEGINS_SAID = re.compile(
    r"\b(?:begins?|began|starts?|started|(?:plays |moves |goes |to move )?first|(?:has|had) the first "
    r"(?:turn|move)|anaanza|alianza|bilaabay|commence|beginnt|begann)",
    re.IGNORECASE,
)
BEGINS = re.compile(rf"\s*(?P<side>.*?)\s*{BEGINS_SAID.pattern}\W*(?:.*\bsecond\W*)?", re.IGNORECASE)
# Turns were played that are not written.
_GOES_ON = (
    r"so on|so forth|and on(?=\s*(?:[.,;]|$))|so weiter|usw|enzovoort|na kadhalika|ainsi de suite|"
    r"así sucesivamente|assim por diante"
)
_TURNS_LEFT_OUT = re.compile(rf"\b(?:{_GOES_ON})\b")
# Words that say that something is not known, or not as it stands: they are always asked.
UNSURE = re.compile(
    r"\b(?:miss(?:ed|ing)|skip\w*|illegib\w*|unread\w*|unclear|unsure|not (?:quite )?(?:sure|seen|"
    r"certain)|forg[eo]t\w*|torn|"
    r"blot\w*|smudge\w*|perhaps|maybe|may have|might have|probably|unknown|taken back|took back|"
    r"replaced?|another|gap|etc|lost|"
    rf"{_GOES_ON}|"
    rf"(?:{_ORDINALS.replace(' ', '|')}) (?:house|hole|pit)|"
    r"not (?:written|recorded)|did not (?:see|write|record|note)|cannot (?:read|tell)|imepotea|"
    r"(?:not?|no longer|\w+n['’]t) (?:know\w*|remember\w*|recall\w*)|from memory|which of (?:us|them|the two)|"
    r"who (?:opened|was first)|"
    r"i (?:think|believe|guess|suppose)|de mémoire|je ne sais|peut-être|weiß nicht|weiss nicht|vielleicht|no recuerdo|"
    r"non ricordo|não lembro|sikumbuki|hatukumbuki|labda|nadhani|malaha|ma xasuusto|"
    r"hajulikani|sijui|hazijulikani)\b"
    r"|\?|…|(?<!\w)_+(?!\w)|·{2,}"
)
# What is written there may not be what was played.
CHANGED = re.compile(
    r"\b(?:swap\w*|switch\w*|chang\w*|exchang\w*|undo\w*|undid|correct(?:ed|ion|ions)|other (?:sheet|page|board)|"
    r"without (?:writing|recording)|here on|count(?:s|ed|ing)? (?:\w+ ){0,4}?(?:ways?|from|left|right)|"
    r"(?:other|opposite) way|\w*badil\w+|beddel\w*)\b"
)
# Play stopped, and nobody won by it.
STOPPED = re.compile(
    r"\b(?:left (?:it|there|here|off|unfinished)|stopp\w*|broke(?:n)? off|called (?:off|away|to|home)|"
    r"continued?|unfinished|not (?:finished|over)|adjourned|interrupted|suspended|abandoned|"
    r"(?:had|have) to (?:leave|go)|leave it|tomorrow|another day|next (?:time|week|day)|"
    r"rain\w*|dark\w*|night|sunset|electricity|battery|power|supper|dinner|lunch|bedtime|bell|break|"
    r"closed|closing|came home|tired|giza|mvua|usiku|umeme|chakula|kesho|tul?i?kaacha|tuliacha|haijaisha|"
    r"roob\w*|mugdi\w*|berri|interromp\w*|suspendu\w*|pas fini\w*|non terminé\w*|pluie|nuit|demain|"
    r"unterbrochen|abgebrochen|regen|dunkel|afgebroken|donker|dejamos|interrump\w*|lluvia|noche|chuva|"
    r"noite|sospes\w*|pioggia|notte|(?:rest|remainder|suite)\b.*\b(?:not|n't|pas)\b.*\b(?:record|writ|not[ée])\w*)\b",
    re.IGNORECASE,
)
# Words without which nobody can say who won, or what was played.
TELLING = _set(
    "elder elders referee umpire judge victor champion better best prize point points lead "
    "won win wins winner winning lost loses lose loser losing beat beats draw drawn draws even equal tie tied level "
    "resigned resigns resign gave gives give conceded concedes concede surrendered surrenders quit quits flag time "
    "forfeit agreed agree agreement result score ahead leads led honours i you he she me him her far near corner end "
    "ends same other first last pit pits hole holes house houses shimo god trou case mulde kuil hoyo casa play plays "
    "played move moves moved sow sows sowed"
).union(NUMBERS, PASSES, CAPTURES, DIRECTIONS, LOST - {"continued", "next", "rest"})
TOTALS = _set("end total totals final sum score result jumla mwisho wadar")
BULLS = _set("bull bulls tuuz tuzdyk uur")
CAPITALS_SOUTH = re.compile(r"\b(?:capital|big|upper)\w*\W+(?:letters?\W+|case\W+)?(?:(?:are|is|for|=|:)\W*)?south\b")
AGAIN = _set("again same ditto tena vilevile isla next")
DITTO = re.compile(r"[\"″〃]\W{0,3}(?:=|means?|is|for|stands for)|\bditto", re.IGNORECASE)
_VERSUS = r"\s+(?:v|vs|versus|against|dhidi ya|na|iyo)\.?\s+"
BETWEEN_NAMES = re.compile(rf"{_VERSUS}|\s+[-–—/]\s+|\s*[–—]\s*", re.IGNORECASE)  # and nothing else
NAMES_APART = re.compile(rf"{_VERSUS}|\s+(?:and|&|x)\s+|\s*[-–—\t|]\s*|\s{{2,}}", re.IGNORECASE)
PLAYER = "player|mchezaji|ciyaaryahan|ciyaartoy|joueur|spieler|speler|jugador|jogador"
BESIDE_NAMES = _set(
    "s n v vs versus against and dhidi x is was plays has as ni anacheza waa first second st nd one two i ii wa kwanza "
    "pili"
) | _set(PLAYER.replace("|", " "))
NAME_PARTICLES = _set("al ap arap bin binti de den der el ibn la ole of van von wa")
# What stands at the head of a sheet and is nobody's name.
NO_NAMES = _set(
    "monday tuesday wednesday thursday friday saturday sunday jumatatu jumanne jumatano alhamisi ijumaa jumamosi "
    "jumapili isniin talaado arbaco khamiis jimce sabti axad january february march july september october november "
    "december januari februari machi aprili julai agosti septemba oktoba novemba desemba semi quarter final finals "
    "semifinal semifinals match game games cup league championship tournament festival market school class club "
    "village town city hall hotel park street day morning afternoon evening night weather rain mancala oware ayo "
    "awale bao kalah enkeshui bof layli goobalay written page sheet copy group team fainali mechi mchezo soko shule "
    "darasa kijiji mji siku finaal ciyaar suuq dugsi fasal tuulo magaalo maalin"
)
_TENS, _ONES = ("", "X", "XX", "XXX", "XL", "L"), ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX")
ROMAN_NUMBERS = {tens + ones: 10 * ten + one for ten, tens in enumerate(_TENS) for one, ones in enumerate(_ONES)}
PITS = {  # how pits are named, with what a sheet may say of it
    "left": ErrorText("each row from its player's left"),
    "right": ErrorText("each row from its player's right"),
    "columns": ErrorText("both rows from South's left"),
    "columns-north": ErrorText("both rows from North's left"),
    "round-left": ErrorText("round the board, counter-clockwise from the left of who begins"),
    "round-right": ErrorText("round the board, clockwise from the right of who begins"),
}
_TO = r"\s?(?:-|\.\.+|to|t/m|à|bis|tot|al?|hasta|até)\s?"  # between the ends of a range
_PITS_SAID = re.compile(
    rf"\bmulden\b|\bhäuser\b|\bnumber(?:ed|ing|s)?\b|\b(?:1|a){_TO}(?:\d+|[a-l])\b|"
    r"\bletter(?:ed|s)\b(?! (?:south|north))|\bnamed\b|\bcount(?:ed|s|ing)?\b|"
    r"(?:pits?|holes?|columns?|rows?|letters?) (?:are |is )?seen\b|"
    r"\b(?:pit|hole|house|shimo|god(?:ka)?)\s+(?:1|one|a)\s+(?:=|(?:is|at|on|lies)\b)|\b(?:1|a)\s*=\s?(?=\w)|"
    rf"\b(?:pits?|holes?|houses?)\s+(?:1{_TO}\d+\s+)?(?:round|from)\b|"
    r"yanahesabiwa|inahesabiwa|"
    r"tirsan|tiri\w+|numérot|nummerier|compté|gezählt|geteld|contad|numerad"
)
_FIRST_PIT = re.compile(
    r"\b(?:pit|hole|house|shimo|god(?:ka)?)\s+(?:1|one|a)\s+(?:=|(?:is|at|on|lies)\b)|\b(?:1|a|kow|moja)\s*=\s?(?=\w)"
)
_BESIDE_STORE = re.compile(  # a store lies at its player's right hand
    r"\b(\d+|[a-p])\s*(?:is|=|lies|being)?\s*(?:next to|beside|nearest|closest)\b.*\b(?:store|kalah\w*)"
)
_ROUND = re.compile(r"\bround\b(?! 1)(?!,)|\baround\b")
_RANGE = re.compile(rf"\b1{_TO}([12][0-9])\b")
_SET_UP = re.compile(r"\b(?:fours|threes|set[- ]?up|start|hold|holds|seeds? in|four in)\b")
_ENDS = {
    "left": re.compile(r"\b(?:left|leftmost|kushoto|bidix\w*|gauche|links|linken|linker\w*|izquierda|esquerda)\b"),
    "right": re.compile(
        r"\b(?:right(?! round)|rightmost|kulia|midig\w*|droite|rechts|rechten|rechter\w*|derecha|direita)\b"
    ),
}
_SEEN, _CLOCKWISE = (
    re.compile(r"\b(?:seen|sees?|side|view\w*|looking|look)\b"),
    re.compile(r"\b(?:anti|counter)?-?clockwise\b"),
)
_OWN = re.compile(
    r"\b(?:each|own|whoever|mover|moves|player|players|his|her|their|mover's|one playing|kila|mchezaji|wake|yake|kasta|"
    r"ciyaaryahan\w*|chaque|chacun|jeder|jedem|jeweils|eigen\w*|spielers|bei sich|ieder|elke|cada|su|sua|propria|"
    r"própria|propia)\b"
)
_OWN_END = re.compile(r"\b(?:own|his|her|their|owner's|player's) (?:left|right)\b")
_ALIKE = re.compile(rf"{_OWN_END.pattern}.*\b(?:likewise|too|also|the same)\b")
# What a legend such as ``a-f South, A-F North`` pairs; and the pairs that say what the letters say by themselves.
_CASED = re.compile(
    r"\b(?:(?P<small>a\s?(?:-|to)\s?[b-p]|small letters|lower[ -]?case)|"
    r"(?P<capital>A\s?(?:-|to)\s?[B-P]|capitals|capital letters|upper[ -]?case)|"
    rf"(?P<side>(?i:{'|'.join(SIDE_WORDS)})))\b(?:'s)?"
)
_USUAL_CASES = {frozenset(("small", Side.SOUTH)), frozenset(("capital", Side.NORTH))}
_ACROSS = re.compile(r"\b(?:to|nach|naar|à|a|hadi|mpaka|ilaa|hasta|até|bis)\b")  # from left to right
_OTHER = re.compile(  # pit 6 is the leftmost; they left it empty
    r"\b(?:[2-9]|1\d|[b-p])\s*(?:=|(?:is|at|on|lies|being)\b)|"
    r"\b(?:they|he|she|we|i|who|had|have|has|is|are|was|were) left\b"
)
NOT_SURE = "?"


@lru_cache(maxsize=1024)  # each way to read a sheet asks again about the same lines
def pits_said(words: str, starter: Side, row: int) -> str:
    """How pits are named, by a line such as ``pits counted from each player's right``: of `PITS`, more than one if it
    does not say whose end, or `NOT_SURE`; empty if it says nothing of it. A range longer than a `row` goes round the
    board."""
    plain = _without_cases(words)
    is_legend, words = plain != words, plain.casefold()
    first = _FIRST_PIT.search(words)  # what is said of the first pit counts, or else of all
    rest = words[first.start() :] if first else words
    if beside := _BESIDE_STORE.search(words):
        return "right" if beside[1] in "1a" else "left" if beside[1] == str(row) else NOT_SURE
    found = sorted((match.start(), name) for name, pattern in _ENDS.items() if (match := pattern.search(rest)))
    ends = [name for _, name in found]
    turning = _CLOCKWISE.search(words)
    is_said = is_legend or _PITS_SAID.search(words)
    begin = is_said.start() if isinstance(is_said, re.Match) else 0
    before = words.rfind(". ", 0, begin) + 1  # an earlier sentence says nothing of the pits
    if not is_said or _SET_UP.search(words) or not (ends or turning or _SEEN.search(words)):
        return ""
    places = [(match.start(), side) for word, side in SIDE_WORDS.items()
              if (match := re.search(rf"\b{word}\b", words[before:]))]  # fmt: skip
    sides = [side for _, side in sorted(places)]
    counted = _RANGE.search(words)
    is_round = _ROUND.search(words) is not None or (counted is not None and int(counted[1]) > row)
    second = re.search(rf"\b{row + 1}{_TO}{2 * row}\b", words)  # the pits of the other row
    is_round = is_round or (turning is not None and second is not None)
    between = rest[found[0][0] : found[1][0]] if len(found) > 1 else ""
    if is_round or first or _ACROSS.search(between):
        ends, sides = ends[:1], sides[:1]
    if len(ends) > 1 or len({*sides}) > 1 or not (ends or sides):
        return NOT_SURE
    end = ends[0] if ends else "left"
    if is_round:
        is_usual = turning is None or (turning[0] == "clockwise") == (end == "right")
        return f"round-{end}" if is_usual and ends and starter.other not in sides else NOT_SURE
    if turning:
        return NOT_SURE
    if sides and _ALIKE.search(words):
        return end
    if sides and ends and _OWN_END.search(words):  # says nothing of the other row
        return NOT_SURE
    if sides:
        return "columns" if (end == "left") == (Side.SOUTH in sides) else "columns-north"
    if _OWN_END.search(words) or (_OWN.search(words) and "both" not in words):
        return end
    return NOT_SURE if _OTHER.search(words) else f"{end} {'columns' if end == 'left' else 'columns-north'}"


def _without_cases(words: str) -> str:
    """The words without a legend of letters that says what is so without it."""
    found = [*_CASED.finditer(words)]
    says = [SIDE_WORDS[one["side"].casefold()] if one["side"] else one.lastgroup for one in found]
    is_usual = len(says) == 4 and {frozenset(says[:2]), frozenset(says[2:])} == _USUAL_CASES
    return _CASED.sub(" ", words) if is_usual else words


def has_south_capitals(text: str) -> bool:
    """Whether a legend such as ``South A-F, North a-f`` gives South the capitals, in a line or a line a side."""
    pairs = set()
    for line in text.split("\n"):
        found = [SIDE_WORDS[one["side"].casefold()] if one["side"] else one.lastgroup for one in _CASED.finditer(line)]
        if not {"capital", "small"} & {*found}:
            continue
        if len(found) % 2:
            return False
        pairs |= {frozenset(pair) for pair in zip(found[::2], found[1::2], strict=True)}
    return pairs == {frozenset(("capital", Side.SOUTH)), frozenset(("small", Side.NORTH))}


_REASONS = {
    ending: re.compile(rf"\b(?:{'|'.join(map(re.escape, ending.written))})\w*") for ending in ENDINGS if ending.written
}
_VERBS = {
    "won": r"won|wins?|winner|beats?|beat|ameshinda|alishinda|anashinda|mshindi|kashinda|guul[ae]ys\w*|badiyay|"
    r"adkaaday|gagne|gagné|gewinnt|gewann|siegt|gana|ganó|vence|venció|venceu|ganhou|wint|gewonnen",
    "lost": r"lost|loses|loser|ameshindwa|alishindwa|anashindwa|amepoteza|laga badiyay|perd|perdu|verliert|verlor|"
    r"pierde|perdió|perdeu|verliest|verloren",
    "draw": r"draw|drawn|draws|tie|tied|sare|barbaro|barbardhac|barbaraac|nul|nulle|remis|unentschieden|gelijkspel|"
    r"empate|empatado|tablas",
    "unfinished": r"unfinished|not finished|adjourned|no result|to be (?:continued|finished)|"
    r"haijaisha|haukuisha|lama dhammayn|"
    r"interrompue|inachevée|abgebrochen|afgebroken|interrumpida|interrompida",
}
_NOBODY = re.compile(r"\b(?:no winner|nobody (?:won|wins)|no one (?:won|wins)|hakuna mshindi|pas de gagnant)\b")
_VERB = {name: re.compile(rf"\b(?:{words})\b") for name, words in _VERBS.items()}
_SIGN = re.compile(r"(?<![\d/.])(?:(1\s?[-:]\s?0)|(0\s?[-:]\s?1)|(?:1/2|½)(?:\s?-\s?(?:1/2|½))?)(?![\d/.])")
_COUNTED = r"\s?(?:seeds?|cows?|stones?|points?|kete|mbegu|graines?)?\s?"
_SCORE = re.compile(
    rf"(?<![\d/.])(\d{{1,4}}){_COUNTED}(?:[-:]|\b(?:to|against|kwa|iyo|à|a|zu|gegen|contre|por)\b)\s?(\d{{1,4}}){_COUNTED}(?![\d/]|\.\d)"
)
# Why something was so; how long the game was, where the seeds of both follow.
_BESIDE_END = re.compile(
    r"\b(?:because|due to|wegen|à cause|kwa sababu)\b[^\d.;:]*|\b(?:after|in) \d+ (?:moves|turns|rounds)(?: each)?\b"
)
_MARGIN = re.compile(r"\bby \d+(?! ?[-:]|\d)(?: seeds?| points?)?\b")
# Words that may stand in a line that says nothing but how the game ended.
_AROUND = _set(
    "count counted counts total totals jumla mwisho sticks took by on the of has have a an is was game result final "
    "score matokeo mchezo kwa ni na with points seeds and over end ended this round match against ya le la so they "
    "after here then ended mutual side both out up sides each mit with samen other as os las los les die der das de "
    "het they ayaa waa wuu ciyaarta natiijo player reason sababu partie partida jogo spiel partij vereinbart"
)

COUNT_WORDS = _AROUND | TOTALS
# Words that may stand in what says how pits are named, who begins, or how the game ended, and that say nothing else.
_FORM = COUNT_WORDS.union(
    SIDE_WORDS, NUMBERS, TURN_WORDS, SEEDS, FILLERS, BESIDE_NAMES, AGAIN, *map(str.split, (*LABELS, *COLUMNS)),
    _set("pits holes houses columns rows row letter letters board boards capitals capital small big lower upper case "
         "lowercase uppercase likewise too alike also lies lie are be being at in that which where as to it do "
         "your you my our we us me i one's hand hands sit sits nearest furthest next "
         "les cases sont trous des du partir pour chaque joueur chacun von der vom zur jeder zählt spieler sicht "
         "ieder telt vanaf zijn t m linkerkant kutoka kwake mashimo kila anahesabu godadka waxaa laga tiriyaa qof"),
)  # fmt: skip


def says_more(words: str, known: Set[str]) -> bool:
    """Whether a fact or an end says more than a record has of it; `known` are the words of its names and tags."""
    words = words.casefold()
    if _BESIDE_END.search(words) or _MARGIN.search(words):
        return True
    patterns = (_NOBODY, *_VERB.values(), *_REASONS.values(), BEGINS_SAID, _PITS_SAID, *_ENDS.values(), _OWN, _SEEN)
    for pattern in (*patterns, _CLOCKWISE, _ROUND, _BESIDE_STORE, _ACROSS, STOPPED):
        words = pattern.sub(" ", words)
    return bool({*re.findall(r"[^\W\d_]{2,}", words)} - _FORM - known)


@dataclass(frozen=True, slots=True)
class Ended:
    """How a game ended by the words of a sheet; empty where these do not say. `is_all`: the words say nothing else;
    `lacks`: they say an end, but not whose."""

    result: str = ""
    termination: str = ""
    score: str = ""
    is_all: bool = False
    is_said: bool = False

    @property
    def lacks(self) -> bool:
        return self.is_all and not self.result and (self.is_said or not self.score)


NO_END = Ended()


def find_end(words: str, names: Sequence[str]) -> Ended:
    """How a game ended by words such as ``Amina wins on time`` or ``sare kwa makubaliano``. `names`: South's and
    North's."""
    return _find_end(words, tuple(names))


@lru_cache(maxsize=1024)  # each way to read a sheet asks again about the same lines
def _find_end(words: str, names: tuple[str, ...]) -> Ended:
    words = re.sub(r"\b(\d+)( seeds)? each\b", r"\1-\1", _BESIDE_END.sub(" ", " ".join(words.casefold().split())))
    words = _NOBODY.sub("no result", words)
    if any(pattern.search(words) for pattern in _VERB.values()):
        words = re.sub(r"\b(\d{1,3})/(\d{1,3})\b", r"\1-\2", words)
    rest = words
    places: list[tuple[int, Side]] = []
    for side in Side:
        name = fold(names[side]).casefold().strip()
        texts = [*(word for word, of in SIDE_WORDS.items() if of is side), *([name, *name.split()[:1]] if name else [])]
        for text in texts:
            pattern = re.compile(rf"(?<!\w){re.escape(text)}(?!\w)")
            places += [(match.start(), side) for match in pattern.finditer(words)]
            rest = pattern.sub(" ", rest)
    seeds = {
        side: match
        for start, side in places
        if (match := re.search(r"^\w+(?: \w+)?\W{1,3}(\d+)\b(?!-)", words[start:]))
    }
    if len(seeds) == len(Side) and len(re.findall(r"\d+", words)) == len(Side):  # South 32, North 24
        score_said = "-".join(seeds[side][1] for side in Side)
        words, rest = (" ".join([re.sub(r"\d", " ", said), score_said]) for said in (words, rest))  # places stay
    reasons = [(ending, match) for ending, pattern in _REASONS.items() if (match := pattern.search(words))]
    verbs = {name: match for name, pattern in _VERB.items() if (match := pattern.search(words))}
    if "lost" in verbs and verbs["lost"][0].startswith("laga"):
        verbs.pop("won", None)
    sign = _SIGN.search(words)
    score = None if sign else _SCORE.search(words)
    for pattern in (_MARGIN, _SIGN, _SCORE, *reversed(_VERB.values()), *_REASONS.values()):
        rest = pattern.sub(" ", rest)
    said = bool(reasons or verbs or sign or words.strip() == "*")
    is_all = (said or score is not None) and len(reasons) < 2 and not re.search(r"\d", rest)
    is_all = is_all and not _TURNS_LEFT_OUT.search(words)
    is_all = is_all and all(word in _AROUND for word in re.findall(r"[^\W\d_]+(?:'\w+)?", rest)) and "?" not in rest
    reason = reasons[0][0].name if reasons else ""
    result = _result(words, sign, verbs, reasons, places)
    points = ""
    if score:  # the winner's seeds stand first
        south, north = int(score[1]), int(score[2])
        is_turned = "won" in verbs and (result, south > north) in (("0-1", True), ("1-0", False))
        points = f"{north}-{south}" if is_turned else f"{south}-{north}"
    if result is None:
        is_all, result = False, ""
    return Ended(result, reason, points, is_all, said)


def _result(
    words: str,
    sign: re.Match[str] | None,
    verbs: Mapping[str, re.Match[str]],
    reasons: Sequence[tuple[Ending, re.Match[str]]],
    places: Sequence[tuple[int, Side]],
) -> str | None:
    """The result, empty if it is not said; None if the words contradict each other."""
    found = set()
    if sign:
        found.add("1-0" if sign[1] else "0-1" if sign[2] else "1/2-1/2")
    if "draw" in verbs:
        found.add("1/2-1/2")
    if "unfinished" in verbs or words.strip() == "*":
        found.add("*")
    is_open = not verbs and len({side for _, side in places}) == len(Side)  # time is up: whose?
    losing = [match for ending, match in reasons if ending.by_loser and not (is_open and ending.name == "time")]
    for verb, wins in [(verbs.get("won"), True), *((match, False) for match in [verbs.get("lost"), *losing])]:
        side = None if verb is None else _side_at(verb, words, places)
        if side is not None and (wins or not ("won" in verbs and len({of for _, of in places}) < 2)):
            found.add("1-0" if (side is Side.SOUTH) == wins else "0-1")
    if any(ending.name == "abandoned" for ending, _ in reasons):
        found.add("*")
    return None if len(found) > 1 else next(iter(found), "")


def _side_at(verb: re.Match[str], words: str, places: Sequence[tuple[int, Side]]) -> Side | None:
    """The side that is named at once behind ``winner``, or else last before the verb, or else first after it."""
    behind = [side for at, side in places if re.fullmatch(r"[\s:=-]+(?:is )?", words[verb.end() : at])]
    if behind and verb[0] in ("winner", "mshindi"):
        return behind[0]
    before = [place for place in places if place[0] < verb.start()]
    return max(before)[1] if before else min(places)[1] if places else None


_LEADING = re.compile(r"^[ \t|]*[#(]?(\d{1,3})(?=[.):/°-]*[\s|])", re.MULTILINE)
_NO_GAP = (
    r"\bno (?:moves?|turns?|lines?) (?:is |are |was |were )?missing|\bnothing (?:is |was )?missing|"
    r"\bnumber(?:s|ing)\b.{0,20}\b(?:wrong|slipped)(?: (?:after|at) \d+)?"
)
HARMLESS = re.compile(  # what a sign means, and that no turn is missing
    r"(?:[*!+°x]|\(n\))\s?=\s?(?:made |a |new |seeds )*(?:bulls?|uur|captured?|taken|again)\b(?: made)?|" + _NO_GAP
)
MIN_SLIPPED = 6  # lines


def slipped_numbers(folded: str) -> dict[int, int]:
    """The numbers before lines that slipped, by where they stand, with what they should be: one was left out and one
    written twice, so that the last is right, or the sheet says that nothing is missing."""
    found = [(match.start(1), int(match[1])) for match in _LEADING.finditer(folded)]
    found = found[next((at for at, (_, number) in enumerate(found) if number == 1), len(found)) :]
    steps = [two - one for (_, one), (_, two) in pairwise(found)]
    most = next((at for at, step in enumerate(steps, 1) if step not in (0, 1, 2)), len(found))
    steps = steps[: most - 1]
    is_even = steps.count(0) == steps.count(2) or re.search(_NO_GAP, folded.casefold())
    if most < MIN_SLIPPED or len(found) > most + 2 or {*steps} <= {1} or 2 not in steps or not is_even:
        return {}
    return {start: at for at, (start, number) in enumerate(found[:most], 1) if number != at}


def says_stop(words: str) -> bool:
    """Whether words say that play stopped, and can say neither a turn nor who won."""
    rest = re.sub(r"\bleft (?:it|there|here|off|unfinished)\b", " ", words.casefold())
    rest = re.sub(r"\b(?:by )?agree(?:d|ment)? to (?:go on|continue|finish|play on)\b", " ", rest)
    others, ended = {*re.findall(r"\w+", rest)}, find_end(rest, ["", ""])
    capitals = {word for word in re.findall(r"(?<=[\w,;] )[^\W\d_a-z]\w+", words) if word[0].isupper()}
    named = {word.casefold() for word in capitals} - NO_NAMES
    return bool(
        STOPPED.search(words)
        and not re.search(r"[\d?…]|(?<![\w'])[b-hj-z](?![\w'])", rest)
        and not others & TELLING
        and not named
        and ended.result in ("", "*")
    )
