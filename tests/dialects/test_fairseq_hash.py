"""fairseq's counts: the hash of libbleu, written as it is there."""

from fastbleu import BLEU

# Ids are given out in the order of occurrence, the first, 4, to a token that is not special.
NAMING = " ".join(f"w{number}" for number in range(4, 2000))


def libbleus_hash(ids):
    found = 14695981039346656037
    for number in ids:
        for byte in number.to_bytes(4, "little", signed=True):
            signed = byte - 256 if byte > 127 else byte
            found = (found ^ signed % 2**64) * 0x100000001B3 % 2**64
    return found


def row_of(hypothesis, reference):
    """The row of a segment after one that names all ids."""
    rows = BLEU("fairseq").count([NAMING, hypothesis], [NAMING, reference])
    return rows.__array__().tolist()[1]


def test_two_bigrams_without_a_token_in_common_are_one_if_they_collide():
    assert libbleus_hash([402, 294]) == libbleus_hash([1900, 478])
    assert row_of("w402 w294", "w1900 w478") == [2, 2, 0, 1, 0, 0, 2, 1, 0, 0]
    assert row_of("w402 w295", "w1900 w478") == [2, 2, 0, 0, 0, 0, 2, 1, 0, 0]


def test_special_tokens_and_empty_texts():
    """An unknown token of a reference is no token of a hypothesis; an empty text has one."""
    assert row_of("<unk> w9", "<unk> w9") == [2, 2, 1, 0, 0, 0, 2, 1, 0, 0]
    assert row_of("<s> w9", "<s> w9") == [2, 2, 2, 1, 0, 0, 2, 1, 0, 0]
    assert row_of("", "") == [1, 1, 1, 0, 0, 0, 1, 0, 0, 0]
    assert row_of("", "w9") == [1, 1, 0, 0, 0, 0, 1, 0, 0, 0]
