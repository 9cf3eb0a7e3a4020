"""Tokens are equal if their characters are, whatever the width of the line in memory.

Python stores a line in units of 1, 2 or 4 bytes, as its widest character needs. The same word must
match across all of them, and words whose bytes happen to agree must not.
"""

import itertools
import string

import pytest
from generators import seeded
from metrics import count

pytestmark = pytest.mark.pythons

NAMES = ("none", "13a", "zh", "intl")  # char makes no words
LETTERS = {
    1: string.ascii_letters + "éÿñÀ",
    2: "жяЩøa漢한ÿ",
    4: "\U00010400\U00010428\U0002f800éЖa",
}
# A word for the end of a line that makes it wider and never matches.
WIDENERS = ("", " é", " ж", " \U00010401")


def expected_rows(hypotheses, references):
    """Rows of texts in which only white space separates tokens."""
    return count([text.split() for text in hypotheses], [[text.split()] for text in references])


def check(name, hypotheses, references):
    for one, other in ((hypotheses, references), (references, hypotheses)):
        seen = count(one, other, tokenize=name)
        expected = expected_rows(one, other)
        if seen != expected:
            rows = zip(seen.__array__().tolist(), expected.__array__().tolist(), strict=True)
            index = next(i for i, (row, right) in enumerate(rows) if row != right)
            pytest.fail(
                f"{name}: {one[index]!r} against {other[index]!r}: {seen[index : index + 1]}"
            )


@pytest.mark.parametrize("name", NAMES)
def test_words_match_in_lines_of_every_width(name):
    rng = seeded("widths", name)
    hypotheses, references = [], []
    for width, length in itertools.product(LETTERS, [*range(1, 40), 63, 64, 65, 130]):
        letters = LETTERS[width].replace("漢", "") if name == "zh" else LETTERS[width]
        for _ in range(30):
            word = "".join(rng.choices(letters, k=length))
            fillers = ["x" * rng.randint(1, 20) for _ in range(rng.randint(0, 6))]
            place = rng.randint(0, len(fillers))
            line = " ".join([*fillers[:place], word, *fillers[place:]])
            hypotheses.append(line)
            references.append(rng.choice((line, word, f"x {word}")) + rng.choice(WIDENERS))
    check(name, hypotheses, references)


@pytest.mark.parametrize("width", [1, 2, 4])
def test_words_that_differ_in_one_character_do_not_match(width):
    rng = seeded("near", width)
    hypotheses, references = [], []
    for length in [*range(1, 36), 64, 65]:
        word = "".join(rng.choices(LETTERS[width], k=length))
        near = [word[:at] + "\0" + word[at:] for at in range(length + 1)]
        near += [word[:at] + word[at + 1 :] for at in range(length)]
        near += [
            word[:at] + rng.choice(LETTERS[width].replace(word[at], "")) + word[at + 1 :]
            for at in range(length)
        ]
        near += [word + word[-1], word[0] + word, word * 2, word[::-1]]
        for other in near:
            hypotheses.append(f"{word}{rng.choice(WIDENERS)} {rng.choice('ab')}")
            references.append(f"{rng.choice('cd')} {other}{rng.choice(WIDENERS)}")
    check("none", hypotheses, references)


def test_words_of_equal_bytes_in_units_of_other_widths_do_not_match():
    rng = seeded("bytes")
    words = []
    for length in range(1, 20):
        for _ in range(10):
            wide = "".join(rng.choices("漢字жЩ\u2102\u4142", k=length))
            words.append((wide, wide.encode("utf-16-le").decode("latin-1")))
            wide = "".join(rng.choices("\U00010441\U00016263\U0001f6ff", k=length))
            raw = wide.encode("utf-32-le")
            words.append((wide, raw.decode("latin-1")))
            words.append((wide, raw.decode("utf-16-le", "surrogatepass")))
    words = [pair for pair in words if not any(map(str.isspace, itertools.chain(*pair)))]
    assert len(words) > 300
    hypotheses = [f"{one} a" for one, _ in words]
    references = [f"b {other}{rng.choice(WIDENERS)}" for _, other in words]
    check("none", hypotheses, references)
