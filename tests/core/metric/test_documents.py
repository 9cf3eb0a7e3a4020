"""`join=`: d-BLEU equals BLEU of texts that were joined by hand."""

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


def test_texts_and_tokens_are_joined_in_their_order():
    def split(texts):
        return [text.split() if isinstance(text, str) else split(text) for text in texts]

    given, joined = (HYPOTHESES, REFERENCES), (JOINED, JOINED_REFERENCES)
    for metric, sides, expected in (
        (BLEU(effective_order=True), given, joined),
        (BLEU(tokenize=False, effective_order=True), map(split, given), map(split, joined)),
    ):
        sides, expected = list(sides), list(expected)
        assert metric.score(*sides, join=DOCUMENTS) == metric.score(*expected)
        assert metric.count(*sides, join=DOCUMENTS) == metric.count(*expected)
        scores = metric.sentence_scores(*sides, join=DOCUMENTS)
        assert scores.tolist() == metric.sentence_scores(*expected).tolist()


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
        assert BLEU().score(*sides, join=documents).value == expected


def test_wrong_documents_are_refused():
    for error, words, *arguments in (
        (ValueError, "join has 1 entry, hypotheses has 2", ["a", "b"], ["a", "b"], ["x"]),
        (ValueError, "references has 1 segment", ["a", "b"], ["a"], ["x", "x"]),
        (TypeError, "join is a str", ["a", "b"], ["a", "b"], "xy"),
        (ValueError, "segment 1: it has 2 references", ["a", "b"], ["a", ["b", "c"]], ["x", "x"]),
        (TypeError, "segment 1: a part is a NoneType", ["a", None], ["a", "b"], ["x", "x"]),
        (TypeError, "segment 1: references is a NoneType", ["a", "b"], ["a", None], ["x", "x"]),
        (TypeError, "both texts and lists", ["a", ["b"]], ["a", "b"], ["x", "x"]),
        (TypeError, "segment 0: the document is a list", ["a"], ["a"], [["x"]]),
    ):
        hypotheses, references, documents = arguments
        raises(error, words, BLEU().score, hypotheses, references, join=documents)
    score = BLEU().score
    raises(ValueError, "without masks", score, ["a"], ["a"], join=["x"], missing="skip")
    score, ids = BLEU(tokenize=False).score, ([[5, 6]], [[[5, 6]]])
    raises(ValueError, "without masks", score, *ids, join=["x"], hypothesis_mask=[[1, 0]])
