"""pycocoevalcap's `PTBTokenizer` and `Bleu`, without Java; and `read`, for COCO files.

pycocoevalcap need not be installed.

>>> captions = {7: [{"caption": "A man's riding a bike."}, {"caption": "Man on a bike"}]}
>>> references = PTBTokenizer().tokenize(captions)
>>> references
{7: ["a man 's riding a bike", 'man on a bike']}
>>> scores, _ = Bleu(2).compute_score(references, {7: ["a man on the bike"]}, verbose=0)
>>> [round(score, 3) for score in scores]
[0.8, 0.632]
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import islice

from ..core.counting.stats import Stats
from ..core.inputs.arguments import shown
from ..core.inputs.errors import InputError
from ..core.metric.bleu import BLEU
from ..files.collection import collection_paused
from ..files.formats import check_results, parse_captions, problem_of, unpacked, with_ids_of
from ..originals import _ptb
from ..originals.formulas import COCO, split_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


# The white space of a line.
_SPACES = " \t\x85\xa0\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
# Where Java ends a line; pycocoevalcap replaces "\n" alone.
_LINE_BREAKS = "\r\v\f\u2028\u2029"


class PTBTokenizer:
    """pycocoevalcap's tokenizer: lowercased tokens of the Penn Treebank without punctuation.

    Parameters
    ----------
    compatible : bool
        By default, each caption is tokenized by itself. If true, captions are tokenized as in
        pycocoevalcap, which joins them into one file, where the first character of a caption may
        change the end of the caption before it, and the last one has no end of line.

    References
    ----------
    salaniz/pycocoevalcap 1.2, tokenizer/ptbtokenizer.py, with Stanford CoreNLP 3.4.1.
    """

    def __init__(self, compatible: bool = False) -> None:
        self.compatible = compatible

    @collection_paused()
    def tokenize(
        self, captions_for_image: Mapping[Any, Sequence[Mapping[str, Any]]]
    ) -> dict[Any, list[str]]:
        """Tokenize all captions; the result has spaces between tokens.

        Parameters
        ----------
        captions_for_image : mapping
            The captions of each image, which are mappings with the key "caption".

        Returns
        -------
        dict of list of str
            The tokens of each image that has captions; "\\\\xa0" stands for a space in a token.

        Raises
        ------
        KeyError, AttributeError
            A caption has no key "caption", or its value is not a str.
        ValueError
            With ``compatible=True``: a caption contains half of a surrogate pair, or a line break
            other than "\\\\n", after which pycocoevalcap would give all captions the tokens of
            others.
        """
        images = captions_for_image.items()
        try:
            listed = [entry["caption"] for _, entries in images for entry in entries]
            captions = [caption.replace("\n", " ") for caption in listed]
        except TypeError as error:
            expected = 'expected captions as in {7: [{"caption": "A cat."}]}'
            raise TypeError(f"{error}; {expected}") from error
        lines = _lines_of_file(captions) if self.compatible else list(map(_ptb.write, captions))
        for number in [number for number, line in enumerate(lines) if "\n" in line]:
            image = [image for image, entries in images for _ in entries][number]
            caption = captions[number]
            [line_break, *_] = [character for character in _LINE_BREAKS if character in caption]
            raise InputError(
                f"a caption of image {shown(image)} contains {line_break!r}, after which "
                "pycocoevalcap gives captions the tokens of others; replace it with a space, or "
                f"tokenize each caption by itself: PTBTokenizer(). The caption is {shown(caption)}"
            )
        line_iterator = iter(lines)
        return {
            image: list(islice(line_iterator, len(entries))) for image, entries in images if entries
        }


def _lines_of_file(captions: Sequence[str]) -> list[str]:
    """The tokens of captions as the lines of one file; "\\n" stands for other line breaks.

    Each is read with what follows, up to a line that is not blank: no token depends on more. One
    blank line stands for all those before that line.
    """
    lines = []
    blank = following = ""  # the next line if it is blank, and the next one that is not
    for caption in reversed(captions):
        if not caption.strip(_SPACES):
            lines.append("")
            blank = f"\n{caption}"
            continue
        if not caption.isascii():
            caption.encode()  # fails as when a file is written
        lines.append(_ptb.write(caption + blank + following, False, len(caption)))
        following = f"\n{caption}\n" if blank or following else f"\n{caption}"
        blank = ""
    return lines[::-1]


class Bleu:
    """pycocoevalcap's BLEU-1 to BLEU-`n` of tokenized captions.

    Parameters
    ----------
    n : int
        The longest n-grams.

    References
    ----------
    salaniz/pycocoevalcap 1.2, bleu/bleu.py and bleu/bleu_scorer.py.
    """

    def __init__(self, n: int = 4) -> None:
        self._n = n

    @collection_paused()
    def compute_score(
        self, gts: Mapping[Any, list[str]], res: Mapping[Any, list[str]], verbose: int = 1
    ) -> tuple[list[float], list[list[float]]]:
        """The scores of the corpus and of each image.

        Parameters
        ----------
        gts, res : mapping of list of str
            The references of each image, and a list of one hypothesis; split at whitespace.
        verbose : int
            0 prints nothing, 1 the counts of the corpus, 2 also those of each image.

        Returns
        -------
        list of float, shape (n,)
            BLEU-1 to BLEU-n, 0-1.
        list of list of float, shape (n, images)
            The same for each image.

        Raises
        ------
        AssertionError
            The images differ, or an image does not have one hypothesis and a list of references.
        """
        _check(gts, res)
        hypotheses = [res[image][0] for image in gts]
        references = [gts[image] for image in gts]
        metric = BLEU("coco", max_ngram_order=self._n)
        stats = metric.count(hypotheses, references) if hypotheses else Stats.zeros(0, self._n)
        rows = list(split_rows(stats))
        [(hyp_len, ref_len, matches, ngrams)] = split_rows(stats.sum())
        # With the types of pycocoevalcap's counts, which are printed.
        total = hyp_len, ref_len, list(matches), list(ngrams)
        scores = list(COCO.by_order(*total))
        if verbose > 1:
            for segment, row in zip(references, rows, strict=True):
                lengths = [len(reference.split()) for reference in segment]
                counts = {"reflen": lengths, "testlen": row[0]}
                print({**counts, "guess": list(row[3]), "correct": list(row[2])}, row[1])
        if verbose > 0:
            counts = {"testlen": total[0], "reflen": total[1]}
            print({**counts, "guess": total[3], "correct": total[2]})
            print("ratio:", COCO.ratio(*total[:2]))
        by_image = [COCO.by_order(*row) for row in rows]
        return scores, [[image[order] for image in by_image] for order in range(self._n)]

    def method(self) -> str:
        """The name in pycocoevalcap's output."""
        return "Bleu"


def _check(gts: Mapping[Any, list[str]], res: Mapping[Any, list[str]]) -> None:
    if gts.keys() != res.keys():
        example = next(iter(gts.keys() ^ res.keys()))
        raise AssertionError(f"gts and res have different images: {shown(example)} is in only one")
    for image in gts:
        if type(res[image]) is not list or len(res[image]) != 1:
            raise AssertionError(f"res[{shown(image)}] must be a list of one hypothesis")
        if type(gts[image]) is not list or not gts[image]:
            raise AssertionError(f"gts[{shown(image)}] must be a list of at least one reference")


def read(
    annotations: str | os.PathLike[str], results: str | os.PathLike[str]
) -> dict[str, list[Any]]:
    """Read COCO captions as a table of the images that have results, for `fastbleu.tables`.

    Parameters
    ----------
    annotations : path
        COCO JSON: an object with a list "annotations" of objects with "image_id" and "caption", or
        an object with a list of captions for each image.
    results : path
        A JSON list of objects with "image_id" and "caption", one for each image, or an object as
        above. Ids may be numbers in one file and text in the other.

    Returns
    -------
    dict of list
        The columns "image_id", "hypothesis" (str) and "references" (list of str), in the order of
        the annotations.

    Raises
    ------
    ValueError
        A file is not COCO JSON, or an image has no annotation or several results.
    OSError
        A file cannot be read.

    Examples
    --------
    >>> import json, tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> captions = [{"image_id": 7, "caption": "a cat."}, {"image_id": 7, "caption": "A cat sits"}]
    >>> _ = (folder / "annotations.json").write_text(json.dumps({"annotations": captions}))
    >>> _ = (folder / "results.json").write_text(json.dumps(captions[:1]))
    >>> read(folder / "annotations.json", folder / "results.json")
    {'image_id': [7], 'hypothesis': ['a cat.'], 'references': [['a cat.', 'A cat sits']]}
    """
    references, hypotheses = (
        parse_captions(_content(path), str(path)) for path in (annotations, results)
    )
    hypotheses = with_ids_of(references, hypotheses)
    check_results(hypotheses, references, str(results))
    images = [image for image in references if image in hypotheses]
    return {
        "image_id": images,
        "hypothesis": [hypotheses[image][0] for image in images],
        "references": [references[image] for image in images],
    }


def _content(path: str | os.PathLike[str]) -> bytes:
    with open(path, "rb") as file:
        try:
            content: bytes = unpacked(file, os.fspath(path)).read()
        except Exception as error:
            if problem := problem_of(error):
                raise ValueError(f"{path}: {problem}") from error
            raise
    return content
