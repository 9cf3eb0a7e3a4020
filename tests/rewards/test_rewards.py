"""`BLEUReward`: the scores of `BLEU.sentence_scores` on 0-1, in the forms that trainers call.

TRL's trainer runs with it in tests/integrations/test_trl.py.
"""

import pickle
import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from generators import raises, seeded
from random_texts import random_corpus

from fastbleu import BLEU, InputWarning, dialects
from fastbleu.rewards import BLEUReward

COMPLETIONS = ["The cat sat down.", "A dog.", "There it is, the dog (again)."]
REFERENCES = ["The cat sat down.", ["The dog sat.", "A cat."], "Here it is, the dog, again."]
TAGS = "<answer>(.*?)</answer>"


def expected(hypotheses, references, **parameters):
    metric = BLEU(**{"effective_order": True, **parameters})
    return [min(1.0, score / 100) for score in metric.sentence_scores(hypotheses, references)]


def test_rewards_are_sentence_scores():
    rewards = BLEUReward()(prompts=["", "", ""], completions=COMPLETIONS, references=REFERENCES)
    assert rewards == expected(COMPLETIONS, REFERENCES)
    assert rewards[0] == 1.0
    assert {type(reward) for reward in rewards} == {float}
    hypotheses, references = random_corpus(seeded("rewards"), 300)
    rewards = BLEUReward("answer", smoothing="floor")(hypotheses, answer=references)
    assert rewards == expected(hypotheses, references, smoothing="floor")
    assert BLEUReward()(completions=[], references=[]) == []


def test_messages():
    one = [[{"role": "assistant", "content": text}] for text in COMPLETIONS]
    turns = [[{"role": "assistant", "content": "Let me see."}, *messages] for messages in one]
    parts = [
        [{"role": "assistant", "content": [{"type": "image"}, {"type": "text", "text": text}]}]
        for text in COMPLETIONS
    ]
    for completions in (one, turns, parts):
        rewards = BLEUReward()(completions=completions, references=REFERENCES)
        assert rewards == expected(COMPLETIONS, REFERENCES)
    call = [{"role": "assistant", "content": None, "tool_calls": []}]
    assert BLEUReward()(completions=[call], references=["a b"]) == [0.0]


@pytest.mark.parametrize(
    "extract",
    [TAGS, re.compile(TAGS, re.DOTALL), "(?<=<answer>).*?(?=</answer>)"],
    ids=["str", "compiled", "without a group"],
)
def test_answers(extract):
    texts = ["<answer>the cat\nsat down</answer> <answer>no</answer>", "the cat sat down"]
    rewards = BLEUReward(extract=extract)(texts, references=["the cat sat down"] * 2)
    assert rewards == [1.0, 0.0]


def test_a_function_finds_answers():
    def last_line(text):
        return text.splitlines()[-1] if "\n" in text else None

    texts = ["So:\nthe cat sat down", "the cat sat down", "\n "]
    rewards = BLEUReward(extract=last_line)(texts, references=["the cat sat down"] * 3)
    assert rewards == [1.0, 0.0, 0.0]
    assert BLEUReward(extract="(a)|b")(["b"], references=["b"]) == [0.0]


@pytest.mark.parametrize("name", dialects.names())
def test_every_dialect_is_on_0_to_1_and_has_a_reward_for_empty_texts(name):
    if name.startswith("torch"):
        pytest.importorskip("torch")
    reward = BLEUReward(dialect=name)
    text = "the cat sat on the mat and so on"
    low, high = reward(completions=["", text], references=[text, text])
    assert low == 0.0
    assert high == pytest.approx(1)
    assert high <= 1


def test_tokens_instead_of_text():
    tokens, references = [["a", "b", "c"]], [[["a", "b", "d"]]]
    reward = BLEUReward(tokenize=None)
    assert reward(completions=tokens, references=references) == expected(
        tokens, references, tokenize=None
    )
    raises(
        TypeError,
        "hypothesis is a str, expected a list of tokens",
        reward,
        completions=["a b c"],
        references=[["a b d"]],
    )


def test_effective_order_can_be_left_out():
    reward = BLEUReward(effective_order=False)
    with pytest.warns(InputWarning, match="effective_order=False"):
        assert reward(completions=["a b"], references=["a b"]) == [0.0]


def test_verl():
    reward = BLEUReward(extract=TAGS)
    sample = {"data_source": "wmt", "solution_str": "<answer>the cat sat down</answer>"}
    assert reward.compute_score(**sample, ground_truth="the cat sat down", extra_info={}) == 1.0
    several = np.array(["a dog", "the cat sat down"], object)
    assert reward.compute_score(**sample, ground_truth=several, index=3) == 1.0
    assert type(reward.compute_score("wmt", "no answer", "the cat")) is float


def test_openrlhf_and_torch():
    torch = pytest.importorskip("torch")
    prompts = ["Say it: ", "Once more: ", ""]
    queries = [prompt + text for prompt, text in zip(prompts, COMPLETIONS, strict=True)]
    found = BLEUReward(name="closeness").reward_func(queries, prompts, REFERENCES, extra=1)
    rewards = torch.tensor(expected(COMPLETIONS, REFERENCES), dtype=torch.float32)
    assert found["rewards"].dtype == torch.float32
    assert list(found) == ["rewards", "scores", "extra_logs"]
    assert found["rewards"].equal(rewards)
    assert found["scores"].equal(rewards)
    assert found["extra_logs"]["closeness"].equal(rewards)
    raises(
        ValueError,
        r"queries\[1\] does not begin with prompts\[1\]",
        BLEUReward().reward_func,
        ["a b", "c"],
        ["a", "b"],
        ["b", "c"],
    )
    raises(
        ValueError, "2 queries and 1 prompts", BLEUReward().reward_func, ["a", "b"], ["a"], ["b"]
    )


def test_pickling_and_threads():
    reward = pickle.loads(pickle.dumps(BLEUReward("answer", TAGS, "closeness", lowercase=True)))
    assert reward.__name__ == "closeness"
    completions = [f"<answer>{text.upper()}</answer>" for text in COMPLETIONS]
    rewards = expected(COMPLETIONS, REFERENCES, lowercase=True)
    with ThreadPoolExecutor(4) as pool:
        found = pool.map(lambda _: reward(completions, answer=REFERENCES), range(40))
        assert all(each == rewards for each in found)


def test_what_is_refused():
    reward = BLEUReward()
    several = ["a b c d"] * 3
    raises(ValueError, "reads or writes", BLEUReward, "completions")
    raises(TypeError, "extract is an int", BLEUReward, extract=7)
    raises(ValueError, "unknown", BLEUReward, dialect="moses")
    raises(ValueError, "only \\['answer'\\]", reward, several, answer=several)
    raises(ValueError, "is the list of completions itself", reward, several, references=several)
    raises(TypeError, "completions is a str", reward, "a b", references=["a b"])
    raises(TypeError, "'references' is a str", reward, several, references="a b")
    raises(ValueError, "looks like references", reward, several, references=[several, several])
    raises(ValueError, "has 2 segments", reward, several, references=["a", "b"])
    raises(TypeError, "segment 1: .* missing", reward, ["a", None], references=["a", "b"])
    raises(TypeError, "the messages' content", reward, [{"content": "a"}], references=["a"])


def test_completions_that_are_the_references_are_warned_of():
    with pytest.warns(InputWarning, match="all 4 completions are equal to their references"):
        rewards = BLEUReward()(completions=["a b c d"] * 4, references=["a b c d"] * 4)
    assert rewards == [1.0] * 4
    assert BLEUReward()(completions=["a b c d"] * 3, references=["a b c d"] * 3) == [1.0] * 3
