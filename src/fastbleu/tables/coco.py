"""COCO's captions as a table."""

from __future__ import annotations

import os
from pathlib import Path

from ..inputs.coco_captions import check_results, parse_captions, with_ids_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def read_coco(
    annotations: str | os.PathLike[str], results: str | os.PathLike[str]
) -> dict[str, list[Any]]:
    """COCO's captions as a table of the images that have results, for the other functions here.

    Parameters
    ----------
    annotations : path
        COCO's JSON: an object with a list "annotations" of objects with "image_id" and "caption".
        Or an object with a list of captions for each image.
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
        A file is not COCO's JSON, or an image has no annotation or several results.
    OSError
        A file cannot be read.

    Examples
    --------
    >>> import json, tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> captions = [{"image_id": 7, "caption": "a cat."}, {"image_id": 7, "caption": "A cat sits"}]
    >>> _ = (folder / "annotations.json").write_text(json.dumps({"annotations": captions}))
    >>> _ = (folder / "results.json").write_text(json.dumps(captions[:1]))
    >>> read_coco(folder / "annotations.json", folder / "results.json")
    {'image_id': [7], 'hypothesis': ['a cat.'], 'references': [['a cat.', 'A cat sits']]}
    """
    references = parse_captions(Path(annotations).read_bytes(), str(annotations))
    hypotheses = parse_captions(Path(results).read_bytes(), str(results))
    hypotheses = with_ids_of(references, hypotheses)
    check_results(hypotheses, references, str(results))
    images = [image for image in references if image in hypotheses]
    return {
        "image_id": images,
        "hypothesis": [hypotheses[image][0] for image in images],
        "references": [references[image] for image in images],
    }
