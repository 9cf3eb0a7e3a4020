"""Words of scripts without spaces by the libraries of their languages, and "auto", by script."""

import importlib
import json
import random
import sys
from importlib.metadata import version

import numpy
import pytest
from commands import output
from generators import SEED, raises, rounds, seeded
from random_texts import random_line
from tokenizer_libraries import need

from fastbleu import BLEU, tokenizers
from fastbleu.core.scoring.base import UPDATE
from fastbleu.reporting.contents import match_positions
from fastbleu.tokenizers import tokenize

ENGLISH = "A boy's playing football in the park."
CHINESE = "一个男孩正在公园里踢足球。"
TEXTS = {
    "burmesenlp": "ကလေးတစ်ယောက်သည် ပန်းခြံထဲတွင် ဘောလုံးကစားနေသည်။ 12 a",
    "khmercut": "ក្មេងប្រុសម្នាក់កំពុងលេងបាល់នៅក្នុងសួនច្បារ។ hello 12",
    "laonlp": "ເດັກນ້ອຍຄົນໜຶ່ງກຳລັງຫຼິ້ນບານຢູ່ໃນສວນ hello 12.",
    "pythainlp": "เด็กผู้ชายคนหนึ่งกำลังเล่นบอลในสวน hello 12.",
}
MODULES = {"laonlp": "laonlp.tokenize", "pythainlp": "pythainlp.tokenize"}


@pytest.mark.parametrize("name", TEXTS)
def test_words_are_those_of_the_library(name):
    need(name)
    module = importlib.import_module(MODULES.get(name, name))
    found = module.tokenize if name == "khmercut" else module.word_tokenize
    for text in (TEXTS[name], f" {TEXTS[name]}\t(a-b)\n", CHINESE, ENGLISH, "", " ", "\U0001f600"):
        assert tokenize(text, name) == [w for word in found(text) for w in word.split()]
    assert tokenizers.get(name).signature == f"{name}-{version(name)}"


@pytest.mark.parametrize("name", TEXTS)
def test_a_missing_library_is_named(name, monkeypatch, nothing_loaded):
    monkeypatch.setitem(sys.modules, MODULES.get(name, name), None)
    message = rf"tokenizer '{name}' needs {name}, which .*\[words\]"
    raises(ImportError, message, tokenizers.get, name)
    raises(ImportError, message, BLEU(tokenize="auto").score, ["a"], [TEXTS[name]])


# What is expected of "auto" and, if it differs, of captions.
SCRIPTS = {
    ENGLISH: ("13a", "ptb"),
    "": ("13a", "ptb"),
    " \ud800": ("13a", "ptb"),
    "\u3000": ("13a", "ptb"),
    "Привет, мир": ("13a", "ptb"),
    "مرحبا بالعالم": ("13a", "ptb"),
    "A sign in front of the shop says 北京": ("13a", "ptb"),
    CHINESE: ("zh", "jieba"),
    "使用 PyTorch 训练": ("zh", "jieba"),
    "鲜の每日牛奶和一杯热咖啡在桌子上": ("zh", "jieba"),
    "これはペンです。": ("ja-mecab",) * 2,
    "東京都に住んでいます": ("ja-mecab",) * 2,
    "안녕하세요 세계": ("ko-mecab",) * 2,
    **{text: (name,) * 2 for name, text in TEXTS.items()},
}


@pytest.mark.parametrize("text", SCRIPTS)
def test_the_tokenizer_of_a_script(text):
    of_captions = BLEU("coco", tokenize="auto").tokenize
    for tokenizer, name in zip((tokenizers.get("auto"), of_captions), SCRIPTS[text], strict=True):
        need(*{"ja-mecab": ("MeCab", "ipadic"), "ko-mecab": ("mecab_ko",)}.get(name, ()))
        need(*([name] if name in (*TEXTS, "jieba") else []))
        assert tokenizer.choose(text).name == name
        assert tokenize(text, tokenizer) == tokenize(text, name)


def mixed(count, seed):
    """Chinese and English segments in random order, with 1 to 3 references."""
    rng = random.Random(f"{SEED} {seed}")
    hypotheses, references = [], []
    for _ in range(count):
        words = list(CHINESE * 2) if rng.random() < 0.5 else (ENGLISH * 2).split()
        space = "" if words[0] == CHINESE[0] else " "
        made = [space.join(rng.choices(words, k=rng.randint(5, 12))) for _ in range(4)]
        hypotheses.append(made[0])
        references.append(made[1 : rng.randint(2, 4)])
    return hypotheses, references


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"lowercase": True, "threads": 2, "effective_order": True}, ("13a", "zh")),
        ({"dialect": "nltk"}, ("13a", "zh")),
        ({"dialect": "coco"}, ("ptb", "jieba")),
        ({"dialect": "coco", "reference_length": "average"}, ("ptb", "jieba")),
    ],
)
def test_each_segment_is_counted_by_its_own_tokenizer(options, names):
    need("jieba")
    hypotheses, references = mixed(500, repr(options))
    metric = BLEU(tokenize="auto", **options)
    rest, of_chinese = (BLEU(tokenize=name, **options) for name in names)
    chosen = [of_chinese if some[0] > "z" else rest for some in references]
    segments = list(zip(hypotheses, references, chosen, strict=True))
    scores = metric.sentence_scores(hypotheses, references)
    assert [*scores] == [float(m.sentence_scores([h], [r])[0]) for h, r, m in segments]
    score = metric.score(hypotheses, references)
    name = "auto" if names[0] == "13a" else "auto-captions"
    assert f"|tok:{'+'.join([name, *sorted(names)])}|" in score.signature
    assert f"tok:{name}|" in metric.signature
    if metric._scorer.supports(UPDATE):
        rows = metric.count(hypotheses, references)
        assert [list(r) for r in rows] == [list(m.count([h], [r])) for h, r, m in segments]
        positions, matched = match_positions(metric._counter, hypotheses, references)
        assert matched == rows
        assert len(positions) == numpy.asarray(rows)[:, 0].sum()


def test_the_first_reference_decides():
    """Also about a hypothesis in another script."""
    metric = BLEU(tokenize="auto")
    for references in ([CHINESE, ENGLISH], CHINESE, (CHINESE,), iter([CHINESE])):
        [row] = numpy.asarray(metric.count([ENGLISH], [references]))
        assert row[0] == len(tokenize(ENGLISH, "zh"))
    found = metric.count([CHINESE], [[ENGLISH, CHINESE]])
    assert found == BLEU().count([CHINESE], [[ENGLISH, CHINESE]])


def test_a_metric_names_the_tokenizers_of_its_segments():
    metric, other = BLEU(tokenize="auto"), BLEU(tokenize="auto")
    other.update(*mixed(40, "pickles"))
    assert "tok:auto+13a+zh|" in other.compute().signature
    metric.merge(other)
    metric.reset()
    metric.update([ENGLISH], [ENGLISH])
    assert "tok:auto+13a|" in metric.compute().signature
    # A pickle of a version that did not have them.
    make, arguments, state = other.__reduce__()
    old = make(*arguments)
    old.__setstate__(state[:-1])
    assert old.compute().matches == other.compute().matches


def test_errors_name_the_segment():
    metric = BLEU(tokenize="auto")
    two, three = ["a", "b"], [ENGLISH, CHINESE, "a"]
    wrong = [[ENGLISH], [CHINESE], ["a", 3]]
    raises(TypeError, r"segment 2: references\[1\] is an int", metric.score, three, wrong)
    raises(TypeError, "segment 1: references is an int", metric.score, two, [["a"], 3])
    raises(ValueError, "segment 1", metric.score, two, [["a"], []])
    raises(ValueError, "does not support tokenize='auto'", BLEU, "multi-bleu", tokenize="auto")
    raises(ValueError, "'auot' is unknown; did you mean 'auto'", BLEU, tokenize="auot")


def test_the_command_names_the_tokenizers(tmp_path):
    file, texts = tmp_path / "texts", [CHINESE, ENGLISH]
    file.write_text("\n".join(texts), "utf-8")
    printed = json.loads(output(str(file), "-i", str(file), "-tok", "auto"))
    assert printed["tok"] == "auto+13a+zh"
    assert printed["signature"] == BLEU(tokenize="auto").score(texts, texts).signature


def test_jieba_reads_each_word_between_spaces_by_itself():
    need("jieba")
    split, rng = tokenizers.get("jieba").split, seeded("jieba")
    for _ in range(rounds(2_000)):
        text = random_line(rng, 9)
        assert split(text) == [token for word in text.split(" ") for token in split(word)], text
