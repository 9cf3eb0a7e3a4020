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
    rewards = BLEUReward("answer", smoothing="floor")(completions=hypotheses, answer=references)
    assert rewards == expected(hypotheses, references, smoothing="floor")
    assert BLEUReward()(completions=[], references=[]) == []


def test_messages():
    one = [[{"role": "assistant", "content": text}] for text in COMPLETIONS]
    turns = [[{"role": "assistant", "content": "Let me see."}, *messages] for messages in one]
    parts = [
        [{"role": "assistant", "content": [{"type": "image"}, {"type": "text", "text": text}]}]
        for text in COMPLETIONS
    ]
    texts = [
        [{"content": [text[:5], None, {"type": "text", "text": text[5:]}]}] for text in COMPLETIONS
    ]
    for completions in (one, turns, parts, texts, [messages[0] for messages in one]):
        rewards = BLEUReward()(completions=completions, references=REFERENCES)
        assert rewards == expected(COMPLETIONS, REFERENCES)
    answers = [messages[0] for messages in one]
    assert BLEUReward()(completions=COMPLETIONS, references=answers) == [1.0] * 3
    assert BLEUReward()(completions=COMPLETIONS, references=one) == [1.0] * 3
    call = [{"role": "assistant", "content": None, "tool_calls": []}]
    assert BLEUReward()(completions=[call], references=["a b"]) == [0.0]


@pytest.mark.parametrize(
    "extract",
    [TAGS, re.compile(TAGS, re.DOTALL), "(?<=<answer>).*?(?=</answer>)"],
    ids=["str", "compiled", "without a group"],
)
def test_answers(extract):
    texts = ["<answer>the cat\nsat down</answer> <answer>no</answer>", "the cat sat down"]
    rewards = BLEUReward(extract=extract)(completions=texts, references=["the cat sat down"] * 2)
    assert rewards == [1.0, 0.0]


def test_a_function_finds_answers():
    def last_line(text):
        return text.splitlines()[-1] if "\n" in text else None

    texts = ["So:\nthe cat sat down", "the cat sat down", "\n "]
    rewards = BLEUReward(extract=last_line)(completions=texts, references=["the cat sat down"] * 3)
    assert rewards == [1.0, 0.0, 0.0]
    assert BLEUReward(extract="(a)|b")(completions=["b"], references=["b"]) == [0.0]


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
        found = pool.map(lambda _: reward(completions=completions, answer=REFERENCES), range(40))
        assert all(each == rewards for each in found)


def test_what_is_refused():
    several = ["a b c d"] * 3
    raises(ValueError, "reads or writes", BLEUReward, "completions")
    raises(TypeError, "references is a list, expected the name", BLEUReward, several)
    raises(TypeError, "extract is an int", BLEUReward, extract=7)
    raises(ValueError, "unknown", BLEUReward, dialect="unheard-of")
    raises(ValueError, "missing 'no' is unknown", BLEUReward, missing="no")
    raises(TypeError, "pass the trainer an instance", BLEUReward, prompts="", completions=several)
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
    """TRL takes None for a sample that a reward does not apply to."""
    completions, references = ["the cat sat down", None, "a dog"], ["the cat sat down", "a", None]
    columns = {"completions": completions, "answer": references}
    assert BLEUReward("answer", missing="skip")(**columns) == [1.0, None, None]
    assert BLEUReward("answer", missing="empty")(**columns) == [1.0, 0.0, 0.0]
    assert BLEUReward(missing="skip").compute_score("", "a dog", None) is None


def test_an_expression_that_never_matches_is_warned_of():
    columns = {"completions": ["the cat", "a dog", "", "it"], "references": ["the cat"] * 4}
    with pytest.warns(InputWarning, match="extract finds an answer in none of the completions"):
        assert BLEUReward(extract=TAGS)(**columns) == [0.0] * 4
    columns["completions"][0] = "<answer>the cat</answer>"
    assert BLEUReward(extract=TAGS)(**columns) == [1.0, 0.0, 0.0, 0.0]


def test_a_script_without_spaces_is_warned_of():
    texts = [
        "今日はとても天気がいいので散歩に行きます",
        "明日は雨が降るだろう",
        "猫が窓の外を見ている",
        "東京に行きたいです",
    ]
    with pytest.warns(InputWarning, match="script without spaces") as issued:
        assert BLEUReward()(completions=texts, references=texts[1:] + texts[:1]) == [0.0] * 4
    assert len(issued) == 1


def test_completions_that_are_the_references_are_warned_of():
    with pytest.warns(InputWarning, match="all 4 completions are equal to their references"):
        rewards = BLEUReward()(completions=["a b c d"] * 4, references=["a b c d"] * 4)
    assert rewards == [1.0] * 4
    assert BLEUReward()(completions=["a b c d"] * 3, references=["a b c d"] * 3) == [1.0] * 3
