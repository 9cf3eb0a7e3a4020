"""Systems to report on: WMT22's, right-to-left scripts, hostile texts."""

import warnings
from functools import cache

import wmt22

import fastbleu

RIGHT_TO_LEFT = {
    "references": [
        ["جلس القط على السجادة أمام الباب.", "القط جلس فوق السجادة قرب الباب."],
        ["ذهبت إلى السوق واشتريت ثلاث تفاحات (3) بسعر 4.50 دولار."],
        ["השועל החום המהיר קופץ מעל הכלב העצלן."],
        ["הספר נמצא על השולחן, ליד המנורה הישנה."],
        ["کتاب روی میز کنار پنجره است."],
        ["قال: «BLEU ليس كل شيء» ثم ابتسم."],
    ],
    "a": [
        "جلس القط على السجادة قرب الباب.",
        "ذهبت إلى السوق واشتريت ثلاث تفاحات (3) بسعر 4.50 دولار.",
        "השועל החום קופץ מעל הכלב העצלן.",
        "הספר על השולחן, ליד מנורה ישנה.",
        "کتاب روی میز است.",
        "قال: «BLEU ليس كل شيء» وابتسم.",
    ],
    "b": [
        "قط جالس على سجادة.",
        "ذهبت للسوق واشتريت 3 تفاحات بسعر 4.50.",
        "שועל מהיר קופץ מעל כלב.",
        "הספר נמצא על השולחן, ליד המנורה הישנה.",
        "",
        "BLEU ليس كل شيء",
    ],
}

ATTACKS = [
    "<script>window.attacked = 1</script>",
    "</script><script>window.attacked = 2</script>",
    "<img src=x onerror='window.attacked = 3'>",
    '"><svg onload="window.attacked = 4">',
    "{{ 7 * 7 }} {% raw %} ${7 * 7} &lt;b&gt; &amp;amp; &quot;q&quot;",
    "<!-- <script> --> ]]> <![CDATA[ <style>*{display:none}</style>",
    "javascript:window.attacked=5 =HYPERLINK(1) 'quotes' \"double\" `back`",
    "control \x00\x01\x07\x1b[31m\x7f\x85 tab\tend",
    "override \u202eevil\u202c isolate \u2067x\u2069 mark \u200f.",
    "lone \ud800 and \udfff surrogates \U0001f600 pair",
    "\ufeffmark at the start, zero\u200bwidth, combining e\u0301\u0327 नि 👩‍👩‍👧‍👦",
    "line\nbreak\r\nand\u2028separator",
    "",
    "word " * 10_000,
]


def wmt22_systems(pair, segments=None):
    """(systems by name, references by segment) of a language pair."""
    systems = wmt22.lines_of_systems(pair)
    references = [list(its) for its in zip(*wmt22.lines_of_references(pair), strict=True)]
    short = {name.split(".")[1]: lines[:segments] for name, lines in systems.items()}
    return short, references[:segments]


def case(name):
    """The arguments of `fastbleu.report` for one of the cases."""
    if name == "right-to-left":
        its = RIGHT_TO_LEFT
        return {"systems": {k: its[k] for k in "ab"}, "references": its["references"]}
    if name == "hostile":
        systems = {"<b>a</b>": ATTACKS, "b'\"&": [text.upper() for text in ATTACKS]}
        references = [[text[::-1], f"{text} x"] for text in ATTACKS]
        extra = {"ids": ATTACKS, "documents": ATTACKS, "sources": ATTACKS, "title": ATTACKS[1]}
        return {"systems": systems, "references": references, **extra}
    tokenize = {"en-zh": "zh", "en-ja": "char"}.get(name, "13a")
    systems, references = wmt22_systems(name, None if name == "en-de" else 400)
    documents = [f"document {number // 25}" for number in range(len(references))]
    metric = fastbleu.BLEU(tokenize=tokenize)
    named = {"documents": documents, "metric": metric, "dialects": name == "en-zh"}
    return {"systems": systems, "references": references, **named}


CASES = ("en-de", "en-zh", "en-ja", "right-to-left", "hostile")


@cache
def make_report(name):
    """The report of a case, made once."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fastbleu.InputWarning)
        return fastbleu.report(**case(name))
