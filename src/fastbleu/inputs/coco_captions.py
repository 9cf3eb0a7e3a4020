"""Captions in COCO's JSON: annotations, which are references, and results, which are hypotheses."""

from __future__ import annotations

import json
from collections.abc import Mapping

from ..runtime.collection import collection_paused
from ._coco_json import CaptionReader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@collection_paused()
def parse_captions(data: bytes, name: str) -> dict[Any, list[str]]:
    """The captions of each image, in the order of the file.

    `data` is a list of objects with the keys "image_id" and "caption", as in files of results, or
    an object with such a list as "annotations". Errors are ValueError and begin with `name`.
    """
    try:
        text = data.decode(json.detect_encoding(data), "surrogatepass")
        return CaptionReader(text).captions
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"{name}: this is not JSON: {error}") from error
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def check_results(
    results: Mapping[Any, list[str]], annotations: Mapping[Any, list[str]], name: str
) -> None:
    """Check that there is one caption for each image, and that the image has annotations."""
    for image, captions in results.items():
        if len(captions) != 1:
            raise ValueError(f"{name}: image {image!r} has {len(captions)} captions, expected one")
        if image not in annotations:
            raise ValueError(f"{name}: image {image!r} has no annotation")
    if not results:
        raise ValueError(f"{name}: there are no captions")
