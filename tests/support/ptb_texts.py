"""Random texts for the tokenizer "ptb", and what Stanford's own program makes of them."""

import subprocess
from functools import partial
from pathlib import Path

_WORDS = """
a the cat dogs I It's don't CAN'T U.S. U.K. Mr. Inc. etc. No. Jan. p.m. 5 10 1,000 3.5 1/2
$5 50% cat's cats' o'clock rock'n'roll gonna cannot AT&T R&D C++ e.g. i.e. vs. St. John-F.
10:30 555-1234 (555) 2020 1990s '90s :) ;) :D :-( ^_^ http://a.com/b www.x.org x@y.com #tag
@user ... -- - , . ! ? ; : " ' ` ( ) [ ] { } “ ” ‘ ’ « » – — … é über naïve 中文 日本 こんにちは кот
ελ ไทย عرب 😀 👍 ½ ¢ £ € ° ² ™ © &amp; &lt; <b> </i> <a href="x"> * ** + = / \\ | ~ ^ _ % & J.
A. B.C. Ph.D. The We He In and x.y foo.txt a/b and/or 12/31/1999 +1 -5 .5 ,5 you've I'll
we're they'd 'em 'tis y'all l'eau O'Brien McDonald's 1st 2nd 20th 4x4 3D mp3 10-year-old
well-known co-op self-
"""
WORDS = _WORDS.split()
# Marks of Windows's code page, entities, and words with them.
_QUOTED = """
&apos; &apos;s don&apos;t can&apos;t CAN&apos;T &apos;ll &apos;em &apos;90s &apos;&apos; `&apos;
''&apos; '’ &apos;’ O&apos;Brien y&apos;all n&apos;t &quot; &amp;apos; it\x92s \x92 \x91a\x92
\x93\x94 \x91\x91 “” ‘‘ ’ ' " \\* \\*\\* * cat The
"""
QUOTED = _QUOTED.split()
SEPARATORS = [*[" "] * 6, "", "", "", " ", "  ", "\t", "\u00a0", "-", "'", ".", ","]
CHARACTERS = "aabbcdeinstTAUS.  ..,''\"-!?()5120&$%:;/@#*+=<>_^~|\\[]{}“”‘’–—…é½€中😀\u00a0"
SUBJECTS = "A man|Two women|a group of people|The dog's owner|An old couple|a T.V. reporter"
VERBS = "is riding|can't reach|jumps over|are standing next to|'s about to eat|has just thrown"
OBJECTS = "a bike|the ball|a slice of pizza|a double-decker bus|No. 5|a teddy bear's arm"
PLACES = "in the snow|at 5 p.m.|on a beach (day)|near Smith & Co.|- downtown|while it's raining"


def caption(rng):
    parts = [rng.choice(some.split("|")) for some in (SUBJECTS, VERBS, OBJECTS, PLACES)]
    return " ".join(parts) + rng.choice(["", ".", " .", "!", "...", "?", "\t", ", too."])


def joined(rng, words, most):
    """Up to so many of the words, with and without white space between them."""
    return "".join(rng.choice(words) + rng.choice(SEPARATORS) for _ in range(rng.randint(1, most)))


def drawn(rng, characters, most):
    return "".join(rng.choices(characters, k=rng.randint(1, most)))


KINDS = {
    "captions": caption,
    "mixed": partial(joined, words=WORDS, most=9),
    "numbers": partial(drawn, characters="0123456789  .,-/:()+'$%thx", most=16),
    "quoted": partial(joined, words=QUOTED, most=7),
    "soup": partial(drawn, characters=CHARACTERS, most=14),
}


def java_lines(folder, texts, tmp_path):
    """The output of PTBTokenizer for a file of these lines, with pycocoevalcap's options."""
    path = tmp_path / "captions.txt"
    path.write_text("\n".join(texts), encoding="utf-8", newline="")
    jar = str(Path(folder, "tokenizer", "stanford-corenlp-3.4.1.jar"))
    command = ["java", "-Dfile.encoding=UTF-8", "-cp", jar, "edu.stanford.nlp.process.PTBTokenizer"]
    options = ["-preserveLines", "-lowerCase", str(path)]
    done = subprocess.run([*command, *options], capture_output=True, check=True)
    return done.stdout.decode("utf-8").split("\n")[: len(texts)]
