"""What errors of adaptors advise is typed, and works."""

import os
from types import SimpleNamespace

import numpy
import pytest
from advice import cases, follow, heard, untyped
from hosts import host
from texts import with_keras

import fastbleu

os.environ.setdefault("KERAS_BACKEND", "torch")
torch, _ = host("torch"), host("keras")
coco, evaluate, keras_bleu = (
    host(f"fastbleu.integrations.{name}") for name in ("coco", "evaluate", "keras")
)
BLEU = fastbleu.BLEU
BLEUReward = host("fastbleu.integrations.rewards").BLEUReward
compute_metrics = host("fastbleu.integrations.transformers").compute_metrics
BLEUScore = host("fastbleu.integrations.torcheval").BLEUScore

pytestmark = with_keras
H = ["the cat sat here", "it rained all night"]
R = ["the cat sat there", "it rained all the night"]
IDS = numpy.array([[5, 6, 7, 8, 2], [9, 5, 7, 6, 2]])
LABELS = IDS[::-1]
LOGITS = numpy.eye(10)[IDS]
PREDICTED = SimpleNamespace(label_ids=LABELS)
CAPTIONS = {7: [{"caption": "a\u2028cat"}]}
OF_IDS = BLEU(tokenize=False, ignore_ids=(0,))
REWARDS = BLEUReward()(completions=H, references=R)


class Words:
    """A tokenizer as transformers has them."""

    pad_token_id = 0

    def batch_decode(self, rows, skip_special_tokens):
        return [" ".join(map(str, row)) for row in rows]


def added(metric, **options):
    metric.update_state(R, H, **options)
    return metric.score().value


ADVICE = r"""
BLEUReward(completions=H, references=R)
    as in (reward_funcs=.*=)...(.*)
    dict({0}"references"{1})["reward_funcs"][0](completions=H, references=R)
BLEUReward(tokenize="zh")
    to its metric, (metric=.*\()...
    BLEUReward({0}tokenize="13a"))(completions=H, references=R)
BLEUReward("completions")
    pass the (name) of the column
    BLEUReward("column")(completions=H, column=R)
BLEUReward()(completions=H, column=R)
    as (BLEUReward\(.*=)...
    {0}"column")(completions=H, column=R)
BLEUReward("texts")(completions=H, texts=H)
    pass the (name) of the column
    BLEUReward("column")(completions=H, texts=H, column=R)
BLEUReward().reward_func(H, ["the"], R)
    pass the (prompt) of each query
    BLEUReward().reward_func(H, ["", ""], R)["rewards"].tolist() == torch.tensor(REWARDS).tolist()
    True
compute_metrics(PREDICTED)
    (compute_metrics=.*)
    (lambda tokenizer: dict({0})["compute_metrics"])(Words())((IDS, LABELS))
    compute_metrics(Words())((IDS, LABELS))
compute_metrics(OF_IDS)
    passed by name, (metric=)
    compute_metrics({0}OF_IDS)((IDS, LABELS))
    compute_metrics(metric=BLEU(tokenize=False, ignore_ids=0))((IDS, LABELS))
compute_metrics(metric=OF_IDS, rows=IDS)
    pass (len\()...
    compute_metrics(metric=OF_IDS, rows={0}IDS))((IDS, LABELS))
    compute_metrics(metric=OF_IDS)((IDS, LABELS))
compute_metrics(extra=lambda *texts: {})
    pass the (tokenizer) that decodes ids
    compute_metrics({0}=Words(), extra=lambda *texts: {{}})((IDS, LABELS))
    compute_metrics(Words())((IDS, LABELS))
compute_metrics(metric=BLEU())
    pass the (tokenizer) that decodes ids, or a metric with (tokenize=False)
    [compute_metrics({0}=Words()), compute_metrics(metric=BLEU({1}))][1]((IDS, LABELS))
    compute_metrics()((IDS, LABELS))
compute_metrics()((LOGITS, LABELS))
    preprocess_logits_for_metrics=(lambda.*)
    compute_metrics()((({0})((LOGITS, 0), LABELS), LABELS))
    compute_metrics()((IDS, LABELS))
compute_metrics()((H, R))
    use (fastbleu.*)
    {0}(H, R)
    BLEU().score(H, R)
added(keras_bleu.BLEU(BLEU()))
    pass a metric as (metric=)
    added(keras_bleu.BLEU({0}BLEU()))
    BLEU().score(H, R).value
keras_bleu.BLEU().update_state(R, H, sample_weight=[0.5, 1])
    pass (only) 0 and 1
    added(keras_bleu.BLEU(), sample_weight=[0, 1])
    BLEU().score(H[1:], R[1:]).value
keras_bleu.BLEU(metric=BLEU(keep_stats=True))
    use fastbleu.(.*) with its own (update)
    (lambda metric: (metric.{1}(H, R), metric.compute()))({0})[1]
    BLEU().score(H, R)
BLEUScore(n_gram=BLEU())
    pass it as (metric=)
    BLEUScore({0}BLEU()).update(H, R).compute().item()
    BLEU().score(H, R).value / 100
evaluate.load("bleu").compute()
    call add or (add_batch) before compute
    (lambda it: (it.{0}(predictions=H, references=R), it.compute()))(evaluate.load("bleu"))[1]
    evaluate.load("bleu").compute(predictions=H, references=R)
coco.PTBTokenizer(compatible=True).tokenize(CAPTIONS)
    by itself: (PTBTokenizer\(\))
    coco.{0}.tokenize(CAPTIONS)
    {{7: ["a cat"]}}
evaluate.load("bleu").compute(predictions=H, references=R, tokenizer=str)
    pass (tokenizer=list) if
    evaluate.load("bleu").compute(predictions=H, references=R, {0})["bleu"]
    BLEU("evaluate", tokenize=False).score([*map(list, H)], [[[*text]] for text in R]).value
"""

# In queries, which test_queries.py types; in compiled code and several processes.
UNTYPED = (
    ', or use empty texts with missing="empty"',
    "there is no column of references; pass",
    "there is no reference; pass at least one column",
    "pass several one by one",
    " in this database; pass a different name",
    " has no values yet, because Keras is compiling",
    " processes were scored; Seq2SeqTrainer repeats rows",
)


@pytest.mark.parametrize("case", cases(ADVICE), ids=lambda case: case[0])
def test_advice_is_typed(case):
    follow(case, globals(), "REWARDS")


def test_all_advice_is_typed():
    said = [heard(call, globals()) for call, *_ in cases(ADVICE)]
    assert untyped("".join(said), ["integrations", "patching"], UNTYPED) == []
