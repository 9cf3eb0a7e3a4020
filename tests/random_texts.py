"""Random lines of text in which every tokenizer finds something to do."""

# Words that are cut, glued, rewritten or wide, so that every line mixes storage units.
WORDS = (
    *("a", "the", "cat,", "3.5%", "x-y", "5-6", "...", "a..5", "&amp;lt;", "<skipped>", "(b)", "é"),
    *("“q”", "я", "длинноеслово", "你好。", "\ud800", "😀", "longer-than-fifteen-characters", "\n"),
)
SPACES = (" ", " ", " ", "  ", "\u3000", "\x1c", "\t")


def random_line(rng, most=40):
    words = rng.sample(WORDS, rng.randint(1, len(WORDS)))
    size = rng.randint(0, rng.choice((3, most, most, 4 * most)))
    return "".join(rng.choice(words) + rng.choice(SPACES) for _ in range(size))


def random_corpus(rng, segments):
    hypotheses, references = [], []
    for _ in range(segments):
        hypothesis = random_line(rng)
        cut = rng.randint(0, len(hypothesis))
        its = [hypothesis[cut:] + random_line(rng, 9) for _ in range(rng.randint(1, 3))]
        hypotheses.append(hypothesis)
        references.append(its[0] if len(its) == 1 and rng.random() < 0.5 else its)
    return hypotheses, references
