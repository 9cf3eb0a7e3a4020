"""What errors and warnings advise is typed, and works."""

import ast
import re

import numpy
import pytest
from advice import cases, follow, heard, untyped

import fastbleu
from fastbleu import BLEU, nltk, sacrebleu

H = ["the cat sat here", "it rained all night"]
R = ["the cat sat there", "it rained all the night"]
TOKENS, WORDS = [text.split() for text in H], [text.split() for text in R]
LISTED = [[words] for words in WORDS]
IDS = numpy.array([[5, 6, 7, 8, 0, 0], [9, 5, 7, 6, 0, 0], [1, 2, 3, 4, 0, 0], [3, 4, 7, 8, 0, 0]])
LOGITS, SAMPLES = numpy.eye(10)[IDS], numpy.stack([IDS] * 3, 1)
MASKED = numpy.ma.masked_equal(IDS, 0)
METHOD = nltk.SmoothingFunction().method1
LISTED_TWICE = [[text, text] for text in R]
PLAIN, SPACED = ([f"it ended at {i}{end}" for i in range(200)] for end in (".", " ."))
CHINESE = [f"今天天气很好我们去公园散步{character}" for character in "吧了呢吗嘛呀"]
TABLE = [" ".join(f"{letter}{i}" for letter in "abcdef") for i in range(12)]
TRANSPOSED = [list(TABLE) for _ in TABLE]
STATS = BLEU().count(H, R)
KEPT = sacrebleu.BLEU(references=[R])
KEPT.corpus_score(H, None)
IGNORING = BLEU(tokenize=False, ignore_ids=0)

ADVICE = r"""
BLEU().score(H * 2, [R * 2])
    pass (list\(zip.*\))$
    BLEU().score(H * 2, (lambda references: {0})([R * 2]))
    BLEU().score(H * 2, R * 2)
BLEU().score(H[0], R[:1])
    pass (\[hypothesis\]) and
    BLEU().score((lambda hypothesis: {0})(H[0]), R[:1])
    BLEU().score(H[:1], R[:1])
BLEU().score(H[:1], R)
    pass \[(\[)reference, ...\]\]
    BLEU().score(H[:1], [{0}*R]])
    BLEU().score(H[:1], (tuple(R),))
BLEU().score(H, WORDS)
    pass its (text)
    BLEU().score(H, [" ".join(words) for words in WORDS])
BLEU().score(iter(H), iter(R))
    pass (list\(\w+\))
    BLEU().score((lambda hypotheses: {0})(iter(H)), R)
BLEU().score({*H}, R)
    pass a (list) in the order of the other side, which
    BLEU().score({0}(H), R)
BLEU().score(H, {"b": R[1], "a": R[0]})
    as (\[.*\])
    BLEU().score(H, (lambda references, keys: {0})({{"b": R[1], "a": R[0]}}, "ab"))
BLEU().score(H, R, tokenizers=["zh"])
    or (one) for all
    BLEU().score(H, R, tokenizers="zh").value
    BLEU(tokenize="zh").score(H, R).value
BLEU().score([None, H[1]], R)
    with (missing="skip")
    heard('BLEU().score([None, H[1]], R, {0})', NAMES)
    "left out 1 of 2 segments, because a value is missing; the first is segment 0"
BLEU().score([None, H[1]], R)
    or ("empty")
    BLEU().score([None, H[1]], R, missing={0})
    BLEU().score(["", H[1]], R)
BLEU().score(H, ["['the cat sat there']", "['it rained all the night']"])
    ast.(literal_eval)
    BLEU().score(H, [*map({0}, ["['the cat sat there']", "['it rained all the night']"])])
BLEU().score(TOKENS, LISTED)
    pass (tokenize=False)
    BLEU({0}).score(TOKENS, LISTED)
    BLEU(tokenize=False).score(TOKENS, LISTED)
BLEU().score(TOKENS, LISTED)
    (join) it
    BLEU().score([" ".join(words) for words in TOKENS], [" ".join(words) for words in WORDS])
BLEU(tokenize=False).score(H, R)
    pass (tokenize="13a")
    BLEU({0}).score(H, R)
BLEU(tokenize=False).score([[text] for text in H], [[[text]] for text in R])
    with (tokenize="13a")
    BLEU({0}).score(H, R)
BLEU(tokenize=False).score(IDS, R * 2)
    pass (tokenize="13a")
    BLEU({0}).score(H, R)
BLEU().score(H, R, hypothesis_mask=IDS)
    pass (tokenize=False)
    BLEU({0}).score(IDS, IDS, hypothesis_mask=IDS, reference_mask=IDS).value
    IGNORING.score(IDS, IDS).value
IGNORING.score(SAMPLES, IDS)
    pass (\.reshape\(-1, 6\)), and references as often
    IGNORING.score(SAMPLES{0}, IDS.repeat(3, 0)).value
    IGNORING.score(IDS, IDS).value
BLEU().prefix_scores(H, R)
    pass (tokenize=False)
    BLEU({0}).prefix_scores(TOKENS, LISTED)[:, -1].tolist()
    BLEU(tokenize=False).sentence_scores(TOKENS, LISTED).tolist()
BLEU(H, R)
    call (.*)
    (lambda hypotheses, references: {0})(H, R)
BLEU(H)
    call (.*)
    (lambda hypotheses, references: {0})(H, R)
BLEU(hypotheses=H, references=R)
    call (.*)
    (lambda hypotheses, references: {0})(H, R)
BLEU.score(H, R)
    call (.*)
    (lambda hypotheses, references: {0})(H, R)
BLEU.sentence_scores(H, R)
    call (.*)
    (lambda hypotheses, references: {0})(H, R).tolist()
    BLEU().sentence_scores(H, R).tolist()
BLEU.update(H, R)
    call (.*)
    (lambda hypotheses, references: {0})(H, R)
    None
BLEU("zh")
    pass (BLEU.*)
    {0}.score(H, R)
    BLEU(tokenize="zh").score(H, R)
BLEU(weights=(1,))
    pass (max_ngram_order=1)
    BLEU(weights=(1,), {0}).score(H, R).value
    BLEU(max_ngram_order=1).score(H, R).value
BLEU("nltk", weights=(0.5, 0.5))
    pass (max_ngram_order=2)
    BLEU("nltk", weights=(0.5, 0.5), {0}, tokenize=False).score(TOKENS, LISTED).value
    nltk.corpus_bleu(LISTED, TOKENS, (0.5, 0.5))
BLEU(smooth_method=METHOD)
    pass (smooth_method='floor')
    BLEU({0}).score(H, R)
    BLEU(smooth_method="floor").score(H, R)
BLEU("fairseq").update(H, R)
    pass (hashed=False)
    BLEU("fairseq", {0}).update(H, R)
    None
BLEU("nltk", smooth_method="method5")
    by (corpus_bleu\()\.\.\., (smoothing_function=)(SmoothingFunction\(\).method5\))
    nltk.{0}LISTED, TOKENS, {1}nltk.{2}
    nltk.corpus_bleu(LISTED, TOKENS, smoothing_function=nltk.SmoothingFunction().method5)
BLEU().score(H, R) > 30
    as in (score.value > 30)
    (lambda score: {0})(BLEU().score(H, R))
    True
round(BLEU().score(H, R), 2)
    (round\(score.value, 2\))
    (lambda score: {0})(BLEU().score(H, R))
    round(BLEU().score(H, R).value, 2)
max([BLEU().score(H, R), BLEU().score(R, R)])
    (max\(scores, key=float\))
    (lambda scores: {0})([BLEU().score(H, R), BLEU().score(R, R)])
    BLEU().score(R, R)
BLEU().score(H, R).bleu
    here it is (\.\w+)
    BLEU().score(H, R){0}
    float(BLEU().score(H, R))
STATS + BLEU().count(H[:1], R[:1])
    use (Stats.concatenate),
    BLEU().score({0}([STATS, BLEU().count(H[:1], R[:1])]))
    BLEU().score(H + H[:1], R + R[:1])
STATS + BLEU().count(H[:1], R[:1])
    sums: (a.*)
    BLEU().score((lambda a, b: {0})(STATS, BLEU().count(H[:1], R[:1]))).value
    BLEU().score(H + H[:1], R + R[:1]).value
nltk.sentence_bleu(R[0], H[0], (1,))
    as in (sentence_bleu.*?)\)\. For
    (lambda reference, hypothesis: nltk.{0}, (1,)))(R[0], H[0])
    nltk.sentence_bleu(WORDS[:1], TOKENS[0], (1,))
nltk.sentence_bleu(WORDS[0], TOKENS[0], (1,))
    pass \[reference\]: (sentence_bleu\(.*?)\)
    (lambda reference, hypothesis: nltk.{0}, (1,)))(WORDS[0], TOKENS[0])
    nltk.sentence_bleu(WORDS[:1], TOKENS[0], (1,))
nltk.sentence_bleu([R[0]], H[0], (1,))
    or (list\(text\))
    nltk.sentence_bleu([list(R[0])], (lambda text: {0})(H[0]), (1,))
    nltk.sentence_bleu([list(R[0])], list(H[0]), (1,))
nltk.sentence_bleu(WORDS[:1], TOKENS[0], METHOD)
    pass it as (smoothing_function=)
    nltk.sentence_bleu(WORDS[:1], TOKENS[0], {0}METHOD)
    nltk.sentence_bleu(WORDS[:1], TOKENS[0], smoothing_function=METHOD)
nltk.sentence_bleu(WORDS[:1], TOKENS[0], smoothing_function="method1")
    as in (smoothing_function=)(Smooth.*)
    nltk.sentence_bleu(WORDS[:1], TOKENS[0], {0}nltk.{1})
    nltk.sentence_bleu(WORDS[:1], TOKENS[0], smoothing_function=METHOD)
nltk.sentence_bleu(WORDS[:1], TOKENS[0], weights=1)
    or (\(1,\)) for BLEU-1
    nltk.sentence_bleu(WORDS[:1], TOKENS[0], weights={0})
    nltk.sentence_bleu(WORDS[:1], TOKENS[0], [1])
sacrebleu.CHRF(H, [R])
    call (.*)
    (lambda hypotheses, references: sacrebleu.{0})(H, [R]).score
    sacrebleu.corpus_chrf(H, [R]).score
sacrebleu.BLEU(effective_order=True).sentence_score(H[0], R[0])
    pass (\[reference\])
    sacrebleu.BLEU(effective_order=True).sentence_score(H[0], (lambda reference: {0})(R[0])).score
    BLEU().sentence_scores(H, R)[0]
sacrebleu.corpus_bleu(H, [R], smooth_method="method1")
    did you mean ('floor')
    sacrebleu.corpus_bleu(H, [R], smooth_method={0}).score
    sacrebleu.corpus_bleu(H, [R], smooth_method="floor").score
significance.compare(H * 10, R * 10)
    by name: (\{.*\})
    significance.compare((lambda hypotheses, others: {0})(H * 10, R * 10), R * 10)["new"].score
    BLEU().score(R, R).value
significance.bootstrap(H * 10, R * 10, metric=BLEU)
    write (BLEU\(\))
    significance.bootstrap(H * 10, R * 10, metric={0}, samples=9).score
    BLEU().score(H * 10, R * 10).value
explain(H, R, BLEU, "nltk")
    write (BLEU\(\))
    explain(H, R, {0}, "nltk").a
report(H, R)
    by name: (\{.*\})
    report((lambda hypotheses: {0})(H), R).markdown()
    report({{"new": H}}, R).markdown()
report({"a": IDS}, IDS, metric=BLEU(tokenize=False))
    pass (hypotheses\.tolist\(\)) and (\[.*\])
    (lambda hypotheses, references: "IDs" in report_of_ids({{"a": {0}}}, {1}))(*[IDS[:, :4]] * 2)
    True
BLEU().score(H, R)["bleu"]
    write (score.\w+), or (.*)
    (lambda score: {0} == {1}["value"])(BLEU().score(H, R))
    True
BLEU("tensor2tensor").score(H, LISTED_TWICE)
    pass references=(.*) to score
    BLEU("tensor2tensor").score(H, (lambda references: {0})(LISTED_TWICE))
    BLEU("tensor2tensor").score(H, R)
BLEU().score(SPACED, PLAIN)
    pass plain (text)
    heard("BLEU().score(PLAIN, PLAIN[::-1])", NAMES)
    ""
BLEU().score(CHINESE, CHINESE[::-1])
    a whole clause; use (BLEU.*)
    {0}.score(CHINESE, CHINESE[::-1]).value
    BLEU(tokenize="char").score(CHINESE, CHINESE[::-1]).value
BLEU().score(TABLE, TRANSPOSED)
    pass (list.*)
    BLEU().score(TABLE, (lambda references: {0})(TRANSPOSED)).value
    BLEU().score(TABLE[:1], TABLE[:1]).value
BLEU().score([{"role": "assistant", "content": text} for text in H], R)
    pass the messages' (content)
    BLEU().score([it["{0}"] for it in [{{"content": text}} for text in H]], R)
BLEU().score([text for text in H for _ in "ab"], R)
    pass (\[.*)
    BLEU().score([text for text in H for _ in "ab"], (lambda references: {0})(R))
    BLEU().score(H[:1] * 2 + H[1:] * 2, R[:1] * 2 + R[1:] * 2)
BLEU(tokenize=False).score(H, LISTED)
    or pass (tokenize="13a")
    BLEU({0}).score(H, R)
BLEU().score([[text, text] for text in H], R)
    as (\[texts.*)
    BLEU().score((lambda hypotheses: {0})([[text, text] for text in H]), R)
BLEU(tokenize=False).score(numpy.where(IDS, IDS, -100), IDS)
    pass (ignore_ids=.*)
    BLEU(tokenize=False, {0}).score(*[numpy.where(IDS, IDS, -100)] * 2).value
    IGNORING.score(IDS, IDS).value
BLEU(tokenize=False).score(IDS > 0, IDS)
    as (hypothesis_mask=) or (reference_mask=)
    BLEU(tokenize=False).score(IDS, IDS, {0}IDS > 0, {1}IDS > 0).value
    IGNORING.score(IDS, IDS).value
BLEU(keep_stats=True).update(STATS.sum())
    pass (Stats) that were not added up
    BLEU(keep_stats=True).update(STATS)
    None
BLEU("nltk").score(BLEU("nltk").count(H, R).sum())
    pass (Stats) that were not added up
    BLEU("nltk").score(BLEU("nltk").count(H, R))
    BLEU("nltk").score(H, R)
Stats([])
    pass (max_ngram_order)
    len(Stats([], {0}=4))
    0
BLEU().all_reduce().all_reduce()
    call (compute\(\)) on it, and (all_reduce\(\))
    (lambda metric: (metric.update(H, R), metric.{1}.{0}))(BLEU())[1]
BLEU("codebleu-weighted", keywords="cobol")
    or pass a (set)
    BLEU("codebleu-weighted", keywords={0}(["perform"])).get_params()["dialect"]
    "codebleu-weighted"
sacrebleu.corpus_bleu(H[0], [R[0]])
    pass (\[hypothesis\])
    (lambda hypothesis: sacrebleu.corpus_bleu({0}, [R[:1]]))(H[0]).score
    BLEU().score(H[:1], R[:1]).value
sacrebleu.BLEU().get_signature()
    or pass (references=) to the metric
    str(sacrebleu.BLEU({0}[R]).get_signature()).split("|")[0]
    "nrefs:1"
sacrebleu.corpus_bleu(H, [R]).format(is_json=True, signature="a|b")
    pass (signature=str\(metric.get_signature\(\)\))
    '"nrefs": "1"' in (lambda metric: sacrebleu.corpus_bleu(H, [R]).format(is_json=True, {0}))(KEPT)
    True
setattr(KEPT, "tokenizer", str.strip)
    or (tokenize=)... to BLEU
    sacrebleu.BLEU(references=[R], {0}"none").corpus_score(H, None).score
    BLEU(tokenize="none").score(H, R).value
split_by(str.split).corpus_score(H, [R])
    as (BLEU\(tokenize=)function
    {0}str.split).score(H, R).value
    BLEU(tokenize="none").score(H, R).value
nltk.sentence_bleu(WORDS[:1], TOKENS[0])
    or use (SmoothingFunction\(\))
    nltk.sentence_bleu(WORDS[:1], TOKENS[0], smoothing_function=nltk.{0}.method1)
    nltk.sentence_bleu(WORDS[:1], TOKENS[0], smoothing_function=METHOD)
significance.bootstrap(STATS.sum())
    pass the (rows) of all segments
    significance.bootstrap(BLEU().count(H * 10, R * 10), samples=9).score
    BLEU().score(H * 10, R * 10).value
explain(H, R, "nltk", "sacrebleu", sources=H[:1])
    pass the (source) of each
    explain(H, R, "nltk", "sacrebleu", sources=H).b
fastbleu.identify(H, R, "45,86")
    pass it as 31(.)2
    fastbleu.identify(H, R, "45{0}86").matches[0].setting
    fastbleu.identify(H, R, 45.86).matches[0].setting
report({"a": H}, None)
    pass one (str), or a list
    report({{"a": H}}, R).markdown()
    report({{"a": H}}, [[text] for text in R]).markdown()
report({"a": H}, R).save("page.txt")
    or pass (format)
    heard('report({{"a": H}}, R).save("missing/page.txt", {0}="md")', NAMES)
    heard('report({{"a": H}}, R).save("missing/page.md")', NAMES).replace(".md", ".txt")
report({"a": H}, R, ids=["1"])
    pass (one) for each
    "Segment 0 (x)" in report({{"a": H}}, R, ids=["x", "y"]).markdown()
    True
"""
OF_IDS = r"""
BLEU().score({"input_ids": IDS}, IDS)
    pass (hypotheses\["input_ids"\])
    IGNORING.score((lambda hypotheses: {0})({{"input_ids": IDS}}), IDS)
BLEU().score(IDS, IDS)
    pass (tokenize=False)
    BLEU({0}, ignore_ids=0).score(IDS, IDS)
BLEU(tokenize=False).score(IDS, IDS)
    pass (ignore_ids=\(0,\))
    BLEU(tokenize=False, {0}).score(IDS, IDS)
BLEU(tokenize=False).score(LOGITS, IDS)
    by (\.argmax\(-1\))
    IGNORING.score(LOGITS{0}, IDS)
BLEU(tokenize=False).score(LOGITS.tolist(), IDS)
    by (numpy\.argmax\(.*\))
    IGNORING.score((lambda hypotheses: {0})(LOGITS.tolist()), IDS)
BLEU(tokenize=False).score(IDS / 1, IDS)
    floats by (\.astype\(int\))
    IGNORING.score((IDS / 1){0}, IDS)
IGNORING.score(IDS, IDS, hypothesis_mask=IDS / 1)
    pass (\.astype\(bool\))
    IGNORING.score(IDS, IDS, hypothesis_mask=(IDS / 1){0})
BLEU(tokenize=False).score(MASKED, IDS)
    pass its (data), and (~mask) as (hypothesis_mask=)
    IGNORING.score(MASKED.{0}, IDS, {2}(lambda mask: {1})(MASKED.mask))
IGNORING.score(IDS, IDS[None])
    pass references(\.swapaxes\(0, 1\))
    IGNORING.score(IDS, IDS[None]{0})
BLEU(tokenize=False, stop_ids=9).score(numpy.insert(IDS, 0, 9, 1), IDS)
    pass (ids\[:, 1:\])
    IGNORING.score((lambda ids: {0})(numpy.insert(IDS, 0, 9, 1)), IDS)
BLEU().score([{"input_ids": ids} for ids in IDS], R * 2)
    pass its (\["input_ids"\])
    IGNORING.score([it{0} for it in [{{"input_ids": ids}} for ids in IDS]], IDS)
BLEU(tokenize=False).score(numpy.array([[1, 2, 3, 4], [3, 2**70, 4, 5]], object), IDS[:2])
    pass a (list) with one array per row
    IGNORING.score({0}(IDS), IDS)
"""
OF_STREAMS = r"""
nltk.sentence_bleu(R[0], H[0], (1,))
    call fastbleu\.(sacrebleu.*?\))
    (lambda hypotheses, references: {0})(H, R).score
nltk.corpus_bleu(H, [R])
    call fastbleu\.(sacrebleu.*\))\)
    (lambda hypotheses, references: {0})(H, [R]).score
sacrebleu.BLEU(H, [R])
    call (.*)
    (lambda hypotheses, references: sacrebleu.{0})(H, [R]).score
sacrebleu.corpus_bleu(H, R)
    or (\[references\])
    sacrebleu.corpus_bleu(H, (lambda references: {0})(R)).score
sacrebleu.corpus_bleu(H, [[text] for text in R])
    pass (list\(zip.*\))
    sacrebleu.corpus_bleu(H, (lambda references: {0})([[text] for text in R])).score
sacrebleu.corpus_bleu(iter(H), [R])
    pass (list.*)
    sacrebleu.corpus_bleu((lambda hypotheses: {0})(iter(H)), [R]).score
sacrebleu.corpus_bleu(H, [iter(R)])
    pass (\[list.*\])
    sacrebleu.corpus_bleu(H, (lambda references: {0})([iter(R)])).score
sacrebleu.BLEU().corpus_score(H, None)
    or (references=) to the constructor
    sacrebleu.BLEU({0}[R]).corpus_score(H, None).score
"""
# With the result that cases have unless they say another one.
CASES = [(case, "BLEU().score(H, R)") for case in cases(ADVICE)]
CASES += [(case, "IGNORING.score(IDS, IDS)") for case in cases(OF_IDS)]
CASES += [(case, "sacrebleu.BLEU().corpus_score(H, [R]).score") for case in cases(OF_STREAMS)]


def split_by(function):
    """A metric of sacreBLEU's API with a tokenizer of lines."""
    metric = sacrebleu.BLEU()
    metric.tokenizer = function
    return metric


def report_of_ids(systems, references):
    return fastbleu.report(systems, references, metric=BLEU(tokenize=False), title="IDs").markdown()


MODULES = "Stats", "explain", "report", "sacrebleu", "significance"
NAMES = globals() | {"literal_eval": ast.literal_eval}
NAMES |= {name: getattr(fastbleu, name) for name in MODULES}
NAMES["NAMES"] = NAMES
# Each repair of a corpus is tested in diagnosis/test_repairs.py.
ROOMS = "core", "nltk", "sacrebleu", "originals", "significance", "reporting"
UNTYPED = (
    # Of tables, matrix and hosts, whose tests type it.
    " holds tuples of tuples",
    " without a shape, such as a nested tensor",
    "n-grams are not counted by tensor operations",
    # What needs a file, other hardware, processes, threads, sacreBLEU or many hypotheses.
    ", or pass the path of a copy",
    "pass a numpy array (with cupy",
    "; pass an array of integers",
    "this process is not in the group",
    "; pass lists that nothing else changes",
    ", and call fastbleu.patch()",
    "; use dialects=True.",
    "False None True and as",  # Python's keywords
)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("case", "usual"), CASES, ids=[case[0] for case, _ in CASES])
def test_advice_is_typed(case, usual):
    follow(case, NAMES, usual)


def test_all_advice_is_typed():
    said = [heard(call, NAMES) for (call, *_), _ in CASES]
    assert untyped("".join(said), ROOMS, UNTYPED) == []


def error_of(function, *arguments, **options):
    with pytest.raises((TypeError, ValueError)) as raised:
        function(*arguments, **options)
    return str(raised.value)


@pytest.mark.parametrize(
    ("option", "given", "meant"),
    [
        ("dialect", "sacreblue", "sacrebleu"),
        ("dialect", "moses", "multi-bleu"),
        ("dialect", "huggingface", "evaluate"),
        ("dialect", "torch", "torchmetrics"),
        ("smooth_method", "method1", "floor"),
        ("smooth_method", "method2", "add-k"),
        ("smooth_method", "add-one", "add-k"),
        ("tokenize", "mecab", "ja-mecab"),
    ],
)
def test_the_likeliest_name_comes_first(option, given, meant):
    assert f"did you mean {meant!r}?" in error_of(BLEU, **{option: given})


def test_several_samples_of_each_reference():
    samples = [text for text in H for _ in range(8)]
    for metric, hypotheses, references in (
        (BLEU(), samples, R),
        (BLEU(), numpy.array(samples, object), numpy.array(R, object)),
        (BLEU(tokenize=False), [text.split() for text in samples], LISTED),
        (BLEU(tokenize=False), numpy.arange(80).reshape(16, 5), numpy.arange(10).reshape(2, 5)),
        (BLEU(tokenize=False), numpy.arange(80).reshape(16, 5), [IDS[:3, :5], IDS[1:, :5]]),
    ):
        message = error_of(metric.score, hypotheses, references)
        [typed] = re.findall("for 8 samples.* pass (.*)", message)
        repeated = eval(typed, {"references": references})
        assert len(metric.sentence_scores(hypotheses, repeated)) == 16
    assert repeated[7] is references[0]
    with pytest.raises(ValueError, match=r"of hypotheses\[i\]$"):
        BLEU().score(samples[:15], R)
