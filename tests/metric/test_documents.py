"""`documents=`: d-BLEU equals BLEU of texts that were joined by hand."""

import pytest
import sacrebleu
from generators import raises, seeded

from fastbleu import BLEU

HYPOTHESES = ["The cat sat.", "It rained.", "It sat down.", "No."]
REFERENCES = [
    ["A cat sat.", "The cat lay."],
    ["It rained."],
    ["It sat.", "It lay down."],
    ["Not at all."],
]
DOCUMENTS = ["a", "b", "a", "b"]
JOINED = ["The cat sat. It sat down.", "It rained. No."]
JOINED_REFERENCES = [
    ["A cat sat. It sat.", "The cat lay. It lay down."],
    ["It rained. Not at all."],
]


def test_texts_are_joined_in_their_order():
    metric = BLEU(effective_order=True)
    arguments = HYPOTHESES, REFERENCES
    found = metric.score(*arguments, documents=DOCUMENTS)
    assert found == metric.score(JOINED, JOINED_REFERENCES)
    scores = metric.sentence_scores(*arguments, documents=DOCUMENTS)
    assert scores.tolist() == metric.sentence_scores(JOINED, JOINED_REFERENCES).tolist()
    rows = metric.statistics(*arguments, documents=DOCUMENTS)
    assert rows == metric.statistics(JOINED, JOINED_REFERENCES)


def test_random_documents_equal_sacrebleu():
    rng = seeded("documents")
    for _ in range(20):
        documents = [rng.randint(0, 2) for _ in range(rng.randint(1, 12))]
        sides = [[" ".join(rng.choices("abc", k=4)) for _ in documents] for _ in range(2)]
        whole = [
            [
                " ".join(line for line, own in zip(side, documents, strict=True) if own == one)
                for one in dict.fromkeys(documents)
            ]
            for side in sides
        ]
        expected = sacrebleu.corpus_bleu(whole[0], [whole[1]]).score
        assert BLEU().score(*sides, documents=documents).value == expected


def test_tokens_follow_each_other():
    metric = BLEU(tokenize=None)
    tokens = [line.split() for line in HYPOTHESES]
    references = [[line.split() for line in several] for several in REFERENCES]
    expected = metric.score(
        [line.split() for line in JOINED],
        [[line.split() for line in several] for several in JOINED_REFERENCES],
    )
    assert metric.score(tokens, references, documents=DOCUMENTS) == expected


@pytest.mark.parametrize(
    ("error", "message", "arguments"),
    [
        (ValueError, "documents has 1 entries, hypotheses has 2", (["a", "b"], ["a", "b"], ["x"])),
        (ValueError, "references has 1 segments", (["a", "b"], ["a"], ["x", "x"])),
        (TypeError, "documents is a str", (["a", "b"], ["a", "b"], "xy")),
        (ValueError, "segment 1 has 2 references", (["a", "b"], ["a", ["b", "c"]], ["x", "x"])),
        (TypeError, "segment 1 holds a NoneType", (["a", None], ["a", "b"], ["x", "x"])),
        (TypeError, "segment 1: references is a NoneType", (["a", "b"], ["a", None], ["x", "x"])),
        (TypeError, "both texts and lists", (["a", ["b"]], ["a", "b"], ["x", "x"])),
        (TypeError, "segment 0: the document is a list", (["a"], ["a"], [["x"]])),
    ],
)
def test_wrong_documents(error, message, arguments):
    hypotheses, references, documents = arguments
    raises(error, message, BLEU().score, hypotheses, references, documents=documents)


def test_what_documents_do_not_take_is_refused():
    score = BLEU().score
    raises(ValueError, "without masks", score, ["a"], ["a"], documents=["x"], missing="skip")
    ids = [[5, 6]], [[[5, 6]]]
    score = BLEU(tokenize=None).score
    raises(ValueError, "without masks", score, *ids, documents=["x"], hypothesis_mask=[[1, 0]])
