"""The rules of the tokenizer "ptb", as observed in the output of Stanford's PTBTokenizer 3.4.1.

CoreNLP is under the GPL: none of its source was read for this. Each rule was found by running the
program on texts made for the question, and tests compare the result with its output.

A rule is a regular expression and what becomes of the match. At each place the longest match
counts, of equally long ones that of the first rule; "$" is the end of the text, as a character of
its own. `re` only parses the expressions: see generate_ptb_tables.py.
"""

from __future__ import annotations

from pathlib import Path

# What becomes of a match, as numbered in src/fastbleu/originals/_ptb.pyx: nothing; the end of a
# line; its characters; a fixed text; its characters with quotation marks in ASCII and
# parentheses as "-lrb-", or with "&amp;" as "&".
SKIP, LINE, COPY, TEXT, QUOTE, ENTITY = range(6)
# Where the token ends: see there, too.
WHOLE, FIRST, BUT_LAST, AT_SPACE, AT_PERIOD = range(5)

Rule = tuple[str, int, str, int, int]  # pattern, kind, text, ending, count


def _character_sets() -> dict[str, str]:
    """The contents of ptb_characters.txt, as the insides of sets of a regular expression."""
    sets: dict[str, list[str]] = {}
    path = Path(__file__).with_name("ptb_characters.txt")
    for line in path.read_text(encoding="ascii").splitlines():
        if line.endswith(":"):
            found = sets.setdefault(line[:-1], [])
        elif not line.startswith("#"):
            found += line.split()
    return {
        name: "".join(
            "-".join(rf"\u{int(end, 16):04x}" for end in part.split("-")) for part in parts
        )
        for name, parts in sets.items()
    }


_SETS = _character_sets()
LETTER, MARK, DIGIT = _SETS["letter"], _SETS["mark"], _SETS["digit"]
UPPER, SYMBOL, DROPPED = _SETS["upper"], _SETS["symbol"], _SETS["dropped"]

SPACES = r" \t\u00a0\u2000-\u200a\u3000"
NEWLINES = r"\n\r\x0b\x0c\u0085\u2028\u2029"
SPACE, ANY_SPACE = f"[{SPACES}]", f"[{SPACES}{NEWLINES}]"
LETTERS = rf"[A-Za-z{LETTER}]"
WORD_CHAR = rf"[A-Za-z0-9\u00ad{LETTER}{MARK}{DIGIT}]"
ALNUM = rf"[A-Za-z0-9{LETTER}{DIGIT}]"
DIGITS = f"[0-9{DIGIT}]"
HYPHENS = r"\u2010\u2011\u058a"
QUOTE_MARKS = r"\u2018-\u201f\u00ab\u00bb\u2039\u203a"
MARKS, PREFIX_MARKS = r"'\u0092\u2019", r"'`\u0091\u0092\u2018\u2019"
APOSTROPHE, PREFIX_APOSTROPHE = f"(?:[{MARKS}]|&apos;)", f"(?:[{PREFIX_MARKS}]|&apos;)"
ACCENTED = "&[aeiouAEIOU](?:acute|grave|uml);"
NAMES = f"[dDoOlL]{PREFIX_APOSTROPHE}{ALNUM}{WORD_CHAR}+"  # "d'Artagnan", "O'Brien"
PART = f"(?:{ALNUM}{WORD_CHAR}*|{NAMES})"

_DOTTED_PART = rf"[A-Za-z\u00ad{LETTER}]{WORD_CHAR}*"
DOTTED = f"{_DOTTED_PART}(?:[.!?]{_DOTTED_PART})+"
RULES: list[Rule] = []


def rule(
    pattern: str, kind: int = COPY, text: str = "", ending: int = WHOLE, count: int = 0
) -> None:
    RULES.append((pattern, kind, text, ending, count))


def contraction(words: str, marks: str, letters: str, count: int) -> None:
    """The second token has `count` letters and an apostrophe, which may be an entity."""
    for apostrophe, size in ((f"[{marks}]", 1), ("&apos;", 6)):
        rule(words + apostrophe + letters, ending=BUT_LAST, count=size + count)


def any_case(words: str) -> str:
    return f"(?i:{'|'.join(words.split())})"


# White space and what is dropped.
rule(r"\r\n|[\n\r\x0b\x0c\u2028\u2029]", LINE)
rule(f"{SPACE}+", SKIP)
rule("&(?i:nbsp);", SKIP)
rule(rf"[\x00-\x08\x0e-\x1f\x7f{DROPPED}\ud800-\udfff{HYPHENS}\u066b\u066c]", SKIP)

# Entities and tags.
rule("&(?i:lt);", TEXT, "<")
rule("&(?i:gt);", TEXT, ">")
rule("&(?i:amp);", TEXT, "&")
rule("&quot;", TEXT, "''")
rule("&quot;[A-Za-z0-9$]", TEXT, "``", BUT_LAST, 1)
rule("&(?i:mdash|ndash|MD);", TEXT, "--")
rule("&(?:#[0-9]+|HT|TL|UR|LR|QC|QL|QR|odq|cdq);")
_NAME = "[A-Za-z][A-Za-z0-9_:.-]*"
_VALUE = r"""(?:"[^"\n\r]*"|'[^'\n\r]*')"""
TAG = rf"<(?:/{_NAME}|{_NAME}(?: +{_NAME}(?: *= *{_VALUE})?)* */?|[!?][A-Za-z-][^>\n\r]*)>"
rule(TAG)

# Contractions.
contraction("[A-Za-z]*[A-MO-Za-mo-z][nN]", PREFIX_MARKS, "[tT]", 2)
rule(f"[nN]{PREFIX_APOSTROPHE}[tT]", QUOTE)
for _pair in ("can not", "gon na", "got ta", "lem me", "gim me", "wan na"):
    rule(f"(?i:{_pair.replace(' ', '')})", ending=BUT_LAST, count=len(_pair.split()[1]))
rule("'[tT](?i:is|was)", ending=FIRST, count=2)
rule(f"{APOSTROPHE}(?:[sSdDmM]|(?i:ll|re|ve))[^A-Za-z]", QUOTE, ending=BUT_LAST, count=1)
rule(f"{APOSTROPHE}[sSdDmM]", QUOTE)
rule(r"(?:[\u0092\u2019]|&apos;)(?i:ll|re|ve)", QUOTE)
rule(f"{APOSTROPHE}(?:[nN]|(?i:em|till?|cause)|[nN]{APOSTROPHE}|[2-9]0[sS])")
rule(f"{APOSTROPHE}[0-9][0-9]{ANY_SPACE}", ending=BUT_LAST, count=1)
rule(f"(?:[dDjJlL]|(?i:ol)){APOSTROPHE}")
rule(
    f"(?i:nor'easter|c'mon|li'l|nat'l|ev'ry|o{PREFIX_APOSTROPHE}o|cap{APOSTROPHE}n|somethin{APOSTROPHE})"
)
rule("(?i:anti|pro)-")

rule(DOTTED)

# Abbreviations.
_TITLES = (
    "adj adm adv alex assoc asst attys? ave brig capt cf cie cmdr col comdr cpl dept det drs? "
    "elec ens ft gen govs? hon insp invt jos lieut lt maj messrs mlle mme mrs? ms msgr mt "
    "natl pfc ph pres profs? pvt reps? rev sens? sfc sgt spc ste? supts? treas vs wm"
)
# They also end sentences: then the full stop is a token, too.
_FINAL = (
    r"ala? apr ariz assn aug bancorp bhd bldg blvd bros calif colo? co conn corp cos ct dak "
    r"dec esq est etc ext feb fla fri ga inc ind intl jan jr jul jun kans? ky ltd mar md mich "
    r"minn mon? mo mont neb nev nov oct okla penn plc rd rt sept? seq sq sr sys tel tenn thu "
    r"thurs tues? univ va vt wed wisc? wyo ph\.d"
)
_CAPITALIZED_FINAL = (
    "A(?i:rk)|D(?i:el)|I(?i:ll)|M(?i:ass|iss)|O(?i:re)|T(?i:ex)|W(?i:ash)|A[Zz]|L[Aa]|P[Aa]"
    "|(?:pp|[Pp])t[ey]s?|P?PT[EY]"
)
_BEFORE_NUMBERS = "art ca figs? nos? op pp prop"
_SENTENCE_STARTS = (
    "a about according additionally after an as at but earlier he her here however if in it "
    "last many more now once one other our she since so some such that the their then there "
    "these they this we what when while yet you"
)
STARTS = (
    "(?:"
    + "|".join(f"[{w[0].upper()}](?i:{w[1:]})" for w in _SENTENCE_STARTS.split())
    + r"|M(?i:[rs])\.)"
)
TITLE = f"(?:{any_case(_TITLES)}|[Mm](?:fg|tg))"
FINAL = f"(?:{any_case(_FINAL)}|{_CAPITALIZED_FINAL})"
ACRONYM = r"[A-Za-z](?:\.[A-Za-z])+"
_HYPHENATED = rf"[A-Za-z0-9][A-Za-z0-9.,]*(?:-(?:[A-Za-z0-9]+|{ACRONYM}\.))+"
rule(rf"(?:{ACRONYM}|[A-Za-z])\.")
rule(rf"{ACRONYM}\.{ANY_SPACE}+(?:{STARTS}|{TAG}){ANY_SPACE}", ending=AT_PERIOD)
rule(rf"[A-Za-z]\.{ANY_SPACE}+(?:{STARTS}|{TAG}){ANY_SPACE}", ending=FIRST, count=1)
rule(rf"(?:{TITLE}|{FINAL})\.")
rule(
    rf"{FINAL}\.(?:{ANY_SPACE}*$|{ANY_SPACE}{{2}}|{ANY_SPACE}+(?:[A-Z{UPPER}]|{TAG}))",
    ending=AT_PERIOD,
)
rule(rf"{FINAL}\.[^\nA-Za-z{LETTER}{MARK},;:\u3001]$", ending=AT_PERIOD, count=2)
rule(rf"{FINAL}\.[^\n][\x00-\uffff]", ending=BUT_LAST, count=2)
rule(rf"{any_case(_BEFORE_NUMBERS)}\.(?:\r\n|{ANY_SPACE})?{DIGITS}", ending=AT_SPACE)
_AMPERSAND = "[A-Z]+(?:(?:&|&(?i:amp);)[A-Z]+)+"
rule(
    rf"(?:{PART}(?:[_{HYPHENS}-]{PART})*|{_HYPHENATED}|{DOTTED}|{_AMPERSAND})\.[,;:\u3001]",
    ending=BUT_LAST,
    count=1,
)

# Words.
WORD = rf"(?:[A-Za-z\u00ad{LETTER}{MARK}]|{ACCENTED})(?:{WORD_CHAR}|{ACCENTED})*"
# "ma'am", "qu'il"
_INITIALS = rf"[nA-HJ-XZ]{PREFIX_APOSTROPHE}{LETTERS}[A-Za-z{LETTER}{MARK}]+"
_VOWELS = f"{LETTERS}+[aeiouyAEIOUY]{PREFIX_APOSTROPHE}[aeiouA-Z]{LETTERS}*"
ELIDED = f"(?:{NAMES}|{_INITIALS}|{_VOWELS}|(?i:e)[{MARKS}](?i:er))"
contraction(f"(?:{ELIDED}|{WORD}|{DOTTED})", MARKS, "[sSdDmM]", 1)
contraction(f"(?:{WORD}|{DOTTED})", MARKS, "(?i:ll|re|ve)", 2)
rule(f"[yY]{APOSTROPHE}{LETTERS}", ending=BUT_LAST, count=1)
rule(ELIDED)
rule(WORD)
rule(_HYPHENATED)
rule(f"{PART}(?:[_{HYPHENS}-]{PART})+")
_SLASHED = "[A-Za-z0-9]+(?:-[A-Za-z]+){0,2}"
rule(rf"{_SLASHED}(?:\\?/{_SLASHED}){{1,2}}")
rule("[0-9]{1,2}/[0-9]{1,2}-[0-9]{2,4}")

# Numbers.
_MORE_DIGITS = rf"(?:[.,:\u066b\u066c\u2044]{DIGITS}+)*"
rule(f"[-+]?(?:{DIGITS}+|[.,:]{DIGITS}+){_MORE_DIGITS}")
rule(f"{DIGITS}+{LETTERS}{WORD_CHAR}*")
rule(r"[0-9]{1,4}[- \u00a0]?[0-9]{1,4}\\?[/\u2044][0-9]{1,4}")
_GAP = r"[ \u00a0-]"
rule(
    rf"(?:\([0-9]{{2,3}}\)[ \u00a0]?|\+?(?:[0-9]{{2,4}}{_GAP})?[0-9]{{2,4}}{_GAP})"
    rf"[0-9]{{3,4}}{_GAP}?[0-9]{{3,5}}",
    QUOTE,
)

# Files, names with signs, addresses.
_FILES = (
    "bat bmp c class cgi cpp dll doc docx exe gif gz h htm html jar java jpeg jpg mov mp3 pdf "
    "php pl png ppt ps py sql tar txt wav x xml zip"
)
rule(
    rf"{WORD_CHAR}+(?:\.{WORD_CHAR}+)*\.{any_case(_FILES)}[ \t\u00a0{NEWLINES},.!?]",
    ending=BUT_LAST,
    count=1,
)
rule(_AMPERSAND, ENTITY)
rule(r"[A-Z]+(?:\+[A-Z]+)+")
rule(r"[Cc](?:\+\+|#)|[Ff]#")
rule(rf"#[A-Za-z\u00ad{LETTER}{MARK}]+|@[A-Za-z_][A-Za-z0-9_]*")
_MAIL = r"[^ \t\n\f\r\"<>|(){}\u00a0.]"
rule(rf"(?:<|&(?i:lt);)?[A-Za-z0-9](?:{_MAIL}|\.)*@{_MAIL}+(?:\.{_MAIL}+)*>?")
_PATH = r"[^ \t\n\f\r\"<>|()]+[^ \t\n\f\r\"<>|().!?,{}-]"
rule(r"(?i:https?)://[^ \t\n\f\r\"<>|(){}]+[^ \t\n\f\r\"<>|().!?,{}-]")
rule(rf"(?i:www)\.(?:[^ \t\n\f\r\"<>|().!?,{{}}]+\.)+[a-zA-Z]{{2,4}}(?:/{_PATH})?")
_NOT_IN_HOSTS = r" \t\n\f\r`!\"$'(),./:;<=>?@\[\\\]^_{|}0-9A-Z"
rule(rf"(?:[^{_NOT_IN_HOSTS}-]+\.)+(?i:com|net|org|edu)(?:/{_PATH})?")

# Currencies and fractions.
rule(r"[A-Z]*\$")
rule(r"[\u0080\u00a4\u20a0\u20ac]", TEXT, "$")
rule(r"\u00a2", TEXT, "cents")
rule(r"\u00a3", TEXT, "#")
for _sign, _text in zip("¼½¾⅓⅔", ("1/4", "1/2", "3/4", "1/3", "2/3"), strict=True):
    rule(_sign, TEXT, _text)

# Faces.
rule(r"[<>]?[:;=]['o*-]?[()DPpdO|@\[\]{\\][^A-Za-z0-9]", QUOTE, ending=BUT_LAST, count=1)
_EYE = r"[\^x=~<>'-]"
rule(rf"\({_EYE}[_.]?{_EYE}\)|\([\^x=~<>']-[\^x=~<>']\)|{_EYE}_{_EYE}", QUOTE)

# Punctuation.
rule(r"\.{3,5}|\.(?:[ \u00a0]\.){2,4}|[\u0085\u2026]", TEXT, "...")
rule(
    r"[!?]+|#+|(?:\\\*){1,3}|\*+|@+|_+|<<|>>|[\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u2080-\u2089]+"
)
rule("-|-{5,}")
rule(r"-{2,4}|[\u0096\u0097\u2013-\u2015]", TEXT, "--")
rule(rf"[`'\u00b4\u0091-\u0094{QUOTE_MARKS}]|&apos;", QUOTE)
rule(rf"''|[`\u0091-\u0094{QUOTE_MARKS}]{{2}}", QUOTE)
rule(r"'[A-Za-z][^ \t\n\r\u00a0]", TEXT, "`", BUT_LAST, 2)
rule('"', TEXT, "''")
rule('"[A-Za-z0-9$]', TEXT, "``", BUT_LAST, 1)
rule("-(?i:[lr][rsc]b)-")
for _sign, _name in zip("()[]{}", ("lrb", "rrb", "lsb", "rsb", "lcb", "rcb"), strict=True):
    rule(rf"\{_sign}", TEXT, f"-{_name}-")
rule(rf"[.,;:&$%/=\\^~|<>+\u3001\u2044{SYMBOL}]")
