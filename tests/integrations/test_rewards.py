"""`BLEUReward`: the scores of `BLEU.sentence_scores` on 0-1, in the forms that trainers call.

TRL's trainer runs with it in tests/integrations/test_trl.py.
"""

import pickle
import re
from inspect import isfunction
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from generators import raises

from fastbleu import BLEU, InputWarning
from fastbleu.integrations.rewards import BLEUReward

ROOT = Path(__file__).resolve().parents[2]
COMPLETIONS = ["The cat sat down.", "A dog.", "There it is, the dog (again)."]
REFERENCES = ["The cat sat down.", ["The dog sat.", "A cat."], "Here it is, the dog, again."]
TAGS = "<answer>(.*?)</answer>"
JAPANESE = [
    *("今日はとても天気がいいので散歩に行きます", "明日は雨が降るだろう"),
    *("猫が窓の外を見ている", "東京に行きたいです"),
]


def expected(hypotheses, references, **parameters):
    metric = BLEU(**{"effective_order": True, **parameters})
    return [min(1.0, score / 100) for score in metric.sentence_scores(hypotheses, references)]


def test_rewards_are_sentence_scores():
    rewards = BLEUReward()(prompts=["", "", ""], completions=COMPLETIONS, references=REFERENCES)
    assert rewards == expected(COMPLETIONS, REFERENCES)
    assert rewards[0] == 1.0
    assert {type(reward) for reward in rewards} == {float}
    assert BLEUReward()(completions=[], references=[]) == []
    # Of one the score of no match is above 0, and the other has none of an empty text.
    for name in ("mteval-v13a", "tf-nmt"):
        assert BLEUReward(metric=name)(completions=[""], references=["a b"]) == [0.0]
    tokens, references = [["a", "b", "c"]], [[["a", "b", "d"]]]
    reward = BLEUReward(metric=BLEU(tokenize=False))
    rewards = reward(completions=tokens, references=references)
    assert rewards == expected(tokens, references, tokenize=False)
    words = "hypothesis is a str, expected a list of tokens"
    raises(TypeError, words, reward, completions=["a b c"], references=references)


def test_messages():
    def said(content):
        return {"role": "assistant", "content": content}

    answers = [said(text) for text in COMPLETIONS]
    one = [[answer] for answer in answers]
    turns = [[said("Let me see."), answer] for answer in answers]
    parts = [[said([{"type": "image"}, {"type": "text", "text": t}])] for t in COMPLETIONS]
    texts = [
        [{"content": [text[:5], None, {"type": "text", "text": text[5:]}]}] for text in COMPLETIONS
    ]
    for completions in (answers, one, turns, parts, texts):
        rewards = BLEUReward()(completions=completions, references=REFERENCES)
        assert rewards == expected(COMPLETIONS, REFERENCES)
    for references in (answers, one):
        assert BLEUReward()(completions=COMPLETIONS, references=references) == [1.0] * 3
    call = said(None) | {"tool_calls": []}
    tool, user = ({"role": role, "content": "a b"} for role in ("tool", "user"))
    no_content = {"role": "assistant", "tool_calls": []}
    for completion in ([call], [no_content], [call, tool], [said("c d"), user]):
        assert BLEUReward()(completions=[completion], references=["a b"]) == [0.0]
    for texts in ([said("a b"), tool, user], [said("c d"), tool, said("a b")], (said("a b"), tool)):
        assert BLEUReward()(completions=[texts], references=["a b"]) == [1.0]
        assert BLEUReward()(completions=["a b"], references=[texts]) == [1.0]


def test_messages_without_one_of_the_assistant_are_refused():
    said, tool, user = ({"role": role, "content": "a b"} for role in ("assistant", "tool", "user"))
    words = r"completions: sample 1 has no message of the assistant, only of \['user', 'tool'\]"
    completions = [[said], [user, tool]]
    raises(ValueError, words, BLEUReward(), completions=completions, references=["a b"] * 2)
    words = r"the column 'references': sample 0 has no message of the assistant, only of \['user'\]"
    for reference in (user, [user]):
        raises(ValueError, words, BLEUReward(), completions=["a b"], references=[reference])


def test_answers_are_extracted():
    text = "<answer>the cat\nsat down</answer> <answer>no</answer>\n"
    columns = {"completions": [text, "the cat sat down"], "references": ["the cat sat down"] * 2}

    def last_answer(text):
        return "the cat sat down" if "no</answer>\n" in text else None

    lookaround = "(?<=<answer>).*?(?=</answer>)"
    for extract in (TAGS, re.compile(TAGS, re.DOTALL), lookaround, last_answer):
        assert BLEUReward(extract=extract)(**columns) == [1.0, 0.0]
    assert BLEUReward(extract="(a)|b")(completions=["b"], references=["b"]) == [0.0]


def test_verl_and_openrlhf():
    reward = BLEUReward(extract=TAGS)
    sample = {"data_source": "wmt", "solution_str": "<answer>the cat sat down</answer>"}
    assert reward.compute_score(**sample, ground_truth="the cat sat down", extra_info={}) == 1.0
    several = np.array(["a dog", "the cat sat down"], object)
    assert reward.compute_score(**sample, ground_truth=several, index=3) == 1.0
    assert type(reward.compute_score("wmt", "no answer", "the cat")) is float

    call = BLEUReward().reward_func
    raises(ValueError, "2 queries and 1 prompt: ", call, ["a", "b"], ["a"], ["b"])
    torch = pytest.importorskip("torch")
    prompts = ["Say it: ", "Once more: ", ""]
    queries = [prompt + text for prompt, text in zip(prompts, COMPLETIONS, strict=True)]
    found = BLEUReward(name="closeness").reward_func(queries, prompts, REFERENCES, extra=1)
    rewards = torch.tensor(expected(COMPLETIONS, REFERENCES), dtype=torch.float32)
    assert list(found) == ["rewards", "scores", "extra_logs"]
    for tensor in (found["rewards"], found["scores"], found["extra_logs"]["closeness"]):
        assert tensor.dtype == torch.float32
        assert tensor.equal(rewards)


def test_verl_passes_a_batch():
    """As its reward manager "batch" does."""
    batch = {
        "data_sources": np.array(["wmt"] * 2, object),
        "solution_strs": ["a b", "a b"],
        "ground_truths": [None, "a b"],
        "extra_infos": np.array([{"rollout_reward_scores": {}}] * 2, object),
    }
    rewards = BLEUReward(missing="skip").compute_scores(**batch, an_option=1)
    assert rewards == [0.0, 1.0]
    assert {*map(type, rewards)} == {float}


def test_a_tokenizer_by_a_column_of_languages():
    tokenizers = {"zh": "zh", "de": "intl", None: "13a"}
    reward = BLEUReward(language="lang", tokenizers=tokenizers)
    texts = [
        "我今天去了北京。",
        "Es regnet (heute) nicht.",
        "The cat sat down.",
        "我今天去了北京。",
    ]
    others = ["我昨天去了北京。", "Es regnet heute nicht!", "The cat sat up.", "我昨天去了北京。"]
    languages = ["zh", "de", None, "en"]
    wanted = expected(texts, others)
    wanted[0] = expected(texts[:1], others[:1], tokenize="zh")[0]
    wanted[1] = expected(texts[1:2], others[1:2], tokenize="intl")[0]
    assert wanted[0] != wanted[3]
    assert reward(completions=texts, references=others, lang=languages) == wanted
    infos = [{"lang": language} for language in languages]
    assert reward.compute_scores(languages, texts, others, np.array(infos, object)) == wanted
    assert reward.compute_score("wmt", texts[0], others[0], {"lang": "zh"}) == wanted[0]
    by_source = BLEUReward(language="data_source", tokenizers=tokenizers)
    assert by_source.compute_scores(np.array(languages, object), texts, others) == wanted
    assert pickle.loads(pickle.dumps(reward)).compute_scores([], texts, others, infos) == wanted
    skipping = BLEUReward(language="lang", tokenizers=tokenizers, missing="skip")
    found = skipping(completions=texts, references=[None, *others[1:]], lang=languages)
    assert found == [None, *wanted[1:]]

    raises(ValueError, "no column 'lang'", reward, completions=texts, references=others)
    raises(ValueError, "extra_info has no 'lang'", reward.compute_scores, languages, texts, others)
    words = "OpenRLHF passes no column of languages"
    raises(ValueError, words, reward.reward_func, ["a"], ["a"], ["b"])
    for wrong in ({"language": "lang"}, {"tokenizers": {}}):
        raises(ValueError, "tokenizers and language go together", BLEUReward, **wrong)
    strict = BLEUReward(language="lang", tokenizers={"zh": "zh"})
    words = "column 'lang' has 'de', for which tokenizers has no entry"
    raises(ValueError, words, strict, completions=["a"], references=["b"], lang=["de"])


def test_openrlhf_cuts_prompts_on_the_left():
    """The query then begins with the end of its prompt, which is not rewarded."""
    pytest.importorskip("torch")
    call = BLEUReward().reward_func
    answer = "the cat sat down"
    prompt = "<user>Say: the dog sat down\N{DOG FACE}<assistant>"
    for start in range(1, len(prompt)):
        kept = prompt[start:]
        for query in (kept, "\ufffd" + kept, "\ufffd\ufffd" + kept):
            assert call([query + answer], [prompt], [answer])["rewards"].tolist() == [1.0]
    words = r"queries\[1\] does not begin with prompts\[1\] or the end of it: .* is not "
    raises(ValueError, words + "'b'", call, ["a b", "c"], ["a", "b"], ["b", "c"])
    for query, prompt in (
        ("", "b"),
        ("\ufffd", "b"),
        ("'say it' a b", "'Say it'"),  # another prompt that happens to begin with a quote
        ("<s>say it: a b", "say it: "),
        ("say a b", "say it: s"),  # cut on the right
    ):
        raises(ValueError, words, call, ["a b", query], ["a", prompt], ["b", "a b"])


def test_ray_takes_the_function_of_the_guide():
    """OpenRLHF's ray.remote takes functions, not methods, and pickles them with cloudpickle."""
    cloudpickle = pytest.importorskip("cloudpickle")
    pytest.importorskip("torch")
    guide = ROOT / "docs" / "guides" / "rl-rewards.md"
    (code,) = re.findall(r"```python\n(# reward\.py\n.*?)```", guide.read_text("utf-8"), re.DOTALL)
    module = ModuleType("reward")  # not in sys.modules, as OpenRLHF loads it
    exec(code, vars(module))
    assert isfunction(module.reward_func)
    reward_func = cloudpickle.loads(cloudpickle.dumps(module.reward_func))
    assert reward_func(["Say: a b"], ["Say: "], ["a b"])["rewards"].tolist() == [1.0]


def test_pickling():
    reward = BLEUReward("answer", extract=TAGS, name="closeness", metric=BLEU(lowercase=True))
    reward = pickle.loads(pickle.dumps(reward))
    assert reward.__name__ == "closeness"
    completions = [f"<answer>{text.upper()}</answer>" for text in COMPLETIONS]
    rewards = expected(COMPLETIONS, REFERENCES, lowercase=True)
    assert reward(completions=completions, answer=REFERENCES) == rewards


def test_wrong_arguments_and_columns_are_refused():
    several = ["a b c d"] * 3
    for error, words, arguments in (
        (ValueError, "reads or writes", {"references": "completions"}),
        (TypeError, "references is a list, expected the name", {"references": several}),
        (TypeError, "extract is an int", {"extract": 7}),
        (TypeError, "an int, expected a fastbleu.BLEU", {"metric": 4}),
        (TypeError, r"parameter 'tokenize'; .*metric=fastbleu\.BLEU\(", {"tokenize": "zh"}),
        (ValueError, "does not support parts", {"metric": "lm-eval"}),
        (ValueError, "missing 'no' is unknown", {"missing": "no"}),
        (TypeError, "pass the trainer an instance", {"prompts": "", "completions": several}),
    ):
        raises(error, words, BLEUReward, **arguments)
    raises(TypeError, "positional", BLEUReward(), several, several, references=several)
    for error, words, completions, columns in (
        (ValueError, "only \\['answer'\\]", several, {"answer": several}),
        (ValueError, "is the list of completions itself", several, {"references": several}),
        (TypeError, "completions is a str", "a b", {"references": ["a b"]}),
        (TypeError, "'references' is a str", several, {"references": "a b"}),
        (ValueError, "looks like references", several, {"references": [several, several]}),
        (ValueError, "has 2 segments", several, {"references": ["a", "b"]}),
        (TypeError, "segment 1: .* missing", ["a", None], {"references": ["a", "b"]}),
        (TypeError, "the messages' content", [{"text": "a"}], {"references": ["a"]}),
    ):
        raises(error, words, BLEUReward(), completions=completions, **columns)


def test_missing_answers():
    """TRL takes None for a sample that a reward does not apply to; the others need a number."""
    completions, references = ["the cat sat down", None, "a dog"], ["the cat sat down", "a", None]
    columns = {"completions": completions, "answer": references}
    assert BLEUReward("answer", missing="skip")(**columns) == [1.0, None, None]
    with pytest.raises(TypeError, match="segment 2: the hypothesis is an int"):
        BLEUReward(missing="skip")(completions=[None, "a", 5], references=["a"] * 3)
    assert BLEUReward("answer", missing="empty")(**columns) == [1.0, 0.0, 0.0]
    for missing in ("skip", "empty"):
        reward = BLEUReward(missing=missing)
        value = reward.compute_score("", "a dog", None)
        assert (type(value), value) == (float, 0.0)
    pytest.importorskip("torch")
    found = BLEUReward(missing="skip").reward_func(["a dog", "a cat"], ["a ", "a "], [None, "cat"])
    assert found["rewards"].tolist() == found["scores"].tolist() == [0.0, 1.0]


def test_likely_mistakes_cause_one_warning():
    for words, options, completions, references, reward in (
        ("effective_order=False", {"metric": BLEU(effective_order=False)}, ["a b"], ["a b"], 0.0),
        ("no answer in any completion", {"extract": TAGS}, ["a", "b", "", "c"], ["a"] * 4, 0.0),
        ("script without spaces", {}, JAPANESE, JAPANESE[::-1], 0.0),
        ("all 4 completions are equal to", {}, ["a b c d"] * 4, ["a b c d"] * 4, 1.0),
    ):
        with pytest.warns(InputWarning, match=words) as issued:
            rewards = BLEUReward(**options)(completions=completions, references=references)
        assert rewards == [reward] * len(completions)
        assert len(issued) == 1


def test_one_answer_or_difference_causes_no_warning():
    columns = {"completions": ["<answer>a b</answer>", "a", "b", "c"], "references": ["a b"] * 4}
    assert BLEUReward(extract=TAGS)(**columns) == [1.0, 0.0, 0.0, 0.0]
    assert BLEUReward()(completions=["a b c d"] * 3, references=["a b c d"] * 3) == [1.0] * 3
