"""fairseq's counts: the hash of libbleu, written as it is there."""

from collections import Counter

from generators import SEGMENTS, seeded

from fastbleu import BLEU

# Ids are given out in the order of occurrence, the first to a token that is not special.
IDS = {f"w{number}": number for number in range(4, 34_000)}
NAMING = " ".join(IDS)
KNOWN = [f"w{number}" for number in (4, 5, 127, 128, 200, 255, 256, 300, 33_000)]
SPECIAL = {"<s>": 0, "<unk>": 3}


def libbleus_hash(ids):
    found = 14695981039346656037
    for number in ids:
        for byte in number.to_bytes(4, "little", signed=True):
            signed = byte - 256 if byte > 127 else byte
            found = (found ^ signed % 2**64) * 0x100000001B3 % 2**64
    return found


def row(hypothesis, reference):
    """The row of texts; an empty one is the id 2, an unknown token of a reference -999."""
    ids = {**IDS, **SPECIAL}
    ours = [ids[word] for word in hypothesis.split()] or [2]
    its = [-999 if word == "<unk>" else ids[word] for word in reference.split()] or [2]
    matches, totals = [], []
    for n in range(1, 5):
        counts = [
            Counter(libbleus_hash(side[i : i + n]) for i in range(len(side) - n + 1))
            for side in (ours, its)
        ]
        matches.append((counts[0] & counts[1]).total())
        totals.append(counts[0].total())
    return [len(ours), len(its), *matches, *totals]


def rows_of(hypotheses, references):
    """The rows of segments after one that names all ids."""
    metric = BLEU(dialect="fairseq")
    rows = metric.count([NAMING, *hypotheses], [NAMING, *references])
    return rows.__array__().tolist()[1:]


def test_random_texts():
    rng = seeded("libbleu")
    hypotheses, references = [], []
    for _ in range(max(SEGMENTS // 100, 300)):
        words = rng.sample([*KNOWN, *SPECIAL], rng.randint(1, 11))
        for side in (hypotheses, references):
            side.append(" ".join(rng.choices(words, k=rng.choice((0, 1, 2, 3, 4, 5, 9, 40)))))
    expected = [row(*pair) for pair in zip(hypotheses, references, strict=True)]
    assert rows_of(hypotheses, references) == expected


def test_a_collision():
    """Two bigrams without a token in common, which libbleu takes for one."""
    assert libbleus_hash([402, 294]) == libbleus_hash([1900, 478])
    assert rows_of(["w402 w294"], ["w1900 w478"]) == [[2, 2, 0, 1, 0, 0, 2, 1, 0, 0]]
