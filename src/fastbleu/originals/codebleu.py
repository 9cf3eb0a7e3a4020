"""The two n-gram parts of CodeBLEU."""

from __future__ import annotations

from collections import Counter
from math import exp, fsum, log

from ..core.counting.stats import AdaptedRows
from ..core.inputs.arguments import shown, unknown_name
from ..core.scoring.nltk import NltkDialect
from .formulas import TokenDialect, no_rows, rows_of_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .counters import Segment

# The keywords, whose unigrams have the weight 1. Java's true, false and null are not included.
_KEYWORDS = {
    "java": """abstract assert boolean break byte case catch char class const continue default do
        double else enum extends final finally float for goto if implements import instanceof int
        interface long native new package private protected public return short static strictfp
        super switch synchronized this throw throws transient try void volatile while""",
    "python": """False None True and as assert async await break class continue def del elif else
        except finally for from global if import in is lambda nonlocal not or pass raise return try
        while with yield""",
    "c": """_Packed auto break case char const continue default do double else enum extern float for
        goto if int long register return short signed sizeof static struct switch typedef union
        unsigned void volatile while""",
    "cpp": """INT_MAX INT_MIN MAX_RAND NULL and and_eq asm auto bitand bitor bool break case catch
        char cin class compl const const_cast continue cout default delete do double dynamic_cast
        else endl enum explicit extern false float for friend goto if include inline int iomanip
        iostream long main mutable namespace new not not_eq npos operator or or_eq private protected
        public register reinterpret_cast return short signed sizeof static static_cast std string
        struct switch template this throw true try typedef typeid typename union unsigned using
        virtual void volatile wchar_t while xor xor_eq""",
    "c_sharp": """abstract add alias as ascending async await base bool break by byte case catch
        char checked class const continue decimal default delegate descending do double dynamic else
        enum equals event explicit extern false finally fixed float for foreach from get global goto
        group if implicit in int interface internal into is join let lock long nameof namespace new
        notnull null object on operator orderby out override params partial private protected public
        readonly ref remove return sbyte sealed select set short sizeof stackalloc static string
        struct switch this throw true try typeof uint ulong unchecked unmanaged unsafe ushort using
        value var virtual void volatile when where while yield""",
    "go": """break case chan const continue default defer else fallthrough false for func go goto if
        import interface map package range return select struct switch true type var""",
    "javascript": """True await break case catch class const continue debugger default delete do
        else enum export extends false finally for function if implements import in instanceof
        interface let new null package private protected public return static super switch this
        throw try typeof var void while with yield""",
    "php": """__halt_compiler abstract and array as break callable case catch class clone const
        continue declare default die do echo else elseif empty enddeclare endfor endforeach endif
        endswitch endwhile eval exit extends final for foreach function global goto if implements
        include include_once instanceof insteadof interface isset list namespace new or print
        private protected public require require_once return static switch throw trait try unset use
        var while xor""",
    "ruby": """BEGIN END __ENCODING__ __FILE__ __LINE__ alias and begin break case class def
        defined? do else elsif end ensure false for if in module next nil not or redo rescue retry
        return self super then true undef unless until when while yield""",
    "rust": """as async await block bool break char const continue crate default dyn else enum expr
        extern f32 f64 false fn for i128 i16 i32 i64 i8 ident if impl in isize item let lifetime
        literal loop macro_rules! match meta mod move mut pat path pub ref return self static stmt
        str struct super trait true tt ty type u128 u16 u32 u64 u8 union unsafe use usize vis where
        while yield""",
}
_KEYWORDS["python-0.7.0"] = f"{_KEYWORDS['python']} match case type"
KEYWORDS = {language: frozenset(words.split()) for language, words in _KEYWORDS.items()}
_WEIGHT_OF_OTHERS = 0.2


class CodeBleuNgramDialect(NltkDialect):
    """The n-gram match of CodeBLEU, 0-1: nltk's BLEU with method 1 on whitespace tokens.

    BP * exp(sum of log(matches / totals) / 4); totals are at least 1 for each segment and order,
    and an order without matches has 0.1. The score is 0 without a unigram match.
    """

    name = "codebleu-ngram"
    version = "codebleu-0.7.0-ngram"
    source = "microsoft/CodeXGLUE@ac74a62 evaluator/CodeBLEU/bleu.py; codebleu 0.7.0"
    orders = (4,)
    reference_lengths = ("closest",)
    smoothings = {"floor": 0.1}
    options = {"smooth_method": "floor"}
    unsupported = {}


class CodeBleuWeightedDialect(TokenDialect, CodeBleuNgramDialect):
    """The weighted n-gram match of CodeBLEU, 0-1: n-gram RECALL, on whitespace tokens.

    BP * exp(sum of log p / 4), p = matches / totals summed over ALL references of all segments:
    totals are the n-grams of a reference (at least 1), matches those also in the hypothesis. A
    unigram weighs 1 if it is a keyword, else 0.2; weights are added in order of first occurrence.
    An order without matches has 0.1; the score is 0 without a unigram match. By an oversight the
    reference length of each segment is 2, so BP is 1 except for empty hypotheses and single tokens.
    This is how calc_code_bleu.py calls it.

    ``keywords=`` is "java", "python" (3.11's), "python-0.7.0" (the package's), "c", "cpp",
    "c_sharp", "go", "javascript", "php", "ruby", "rust" (the package's), or a set of str.
    """

    name = "codebleu-weighted"
    version = "codebleu-0.7.0-weighted"
    source = "microsoft/CodeXGLUE@ac74a62 CodeBLEU/weighted_ngram_match.py; codebleu 0.7.0"
    unsupported = no_rows("its counts are weighted recalls, not integers")

    def __init__(self, keywords: Any = "java") -> None:
        self.own_options = {"keywords": keywords}
        self._keywords = _keywords(keywords)

    def _token_score(self, segments: list[Segment], sums: AdaptedRows) -> dict[str, Any]:
        matches, totals = self._recall(segments)
        ref_len = 2 * len(segments)
        bp = self.brevity_penalty(sum([len(hypothesis) for hypothesis, _ in segments]), ref_len)
        precisions = tuple([m / t for m, t in zip(matches, totals, strict=True)])
        value = 0.0
        if matches[0]:
            pairs = zip(matches, totals, strict=True)
            value = bp * exp(fsum([0.25 * log(m / t if m else 0.1 / t) for m, t in pairs]))
        return {"value": value, "precisions": precisions, "bp": bp, "ref_len": ref_len}

    def _recall(self, segments: list[Segment]) -> tuple[list[float], list[float]]:
        """Matching and all n-grams of the references for each order; unigrams are weighted."""
        # The recall of a reference is its precision as a hypothesis.
        pairs = [(text, [hypothesis]) for hypothesis, texts in segments for text in texts]
        rows = rows_of_tokens(pairs)
        _, _, *counts = self.adapt(rows).sum()._rows
        matched = totals = 0.0
        for segment in segments:
            more_matched, more_total = self._unigram_recall(*segment)
            matched += more_matched
            totals += more_total
        return [matched, *counts[1:4]], [totals, *counts[5:]]

    def _unigram_recall(
        self, hypothesis: list[Any], references: list[list[Any]]
    ) -> tuple[float, float]:
        """Weights of the matching and of all tokens of a segment's references."""
        of_hypothesis = Counter(hypothesis)
        matched = totals = 0.0
        for reference in references:
            of_reference = total = 0.0
            for token, count in Counter(reference).items():
                weight = 1 if token in self._keywords else _WEIGHT_OF_OTHERS
                of_reference += min(count, of_hypothesis[token]) * weight
                total += count * weight
            matched += of_reference
            totals += max(1, total)
        return matched, totals

    def _further_fields(self) -> dict[str, str]:
        language = self.own_options["keywords"]
        words = ",".join(sorted(self._keywords))
        return {"keywords": language if isinstance(language, str) else words}


def _keywords(keywords: Any) -> frozenset[str]:
    """The keywords of a language, or those given."""
    if isinstance(keywords, str):
        if keywords not in KEYWORDS:
            raise ValueError(unknown_name("keywords", keywords, KEYWORDS, ", or pass a set"))
        return KEYWORDS[keywords]
    is_set = isinstance(keywords, (set, frozenset, list, tuple))
    if not is_set or not all(isinstance(word, str) for word in keywords):
        raise TypeError(f"keywords is {shown(keywords)}, expected a language or a set of str")
    return frozenset(keywords)


CODEBLEU_NGRAM = CodeBleuNgramDialect()
CODEBLEU_WEIGHTED = CodeBleuWeightedDialect()
