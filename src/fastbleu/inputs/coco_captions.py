"""Captions in COCO's JSON: annotations, which are references, and results, which are hypotheses."""

from __future__ import annotations

import json
from collections.abc import Mapping

from ..runtime.collection import collection_paused
from .arguments import a_type, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@collection_paused()
def parse_captions(data: bytes | bytearray, name: str) -> dict[Any, list[str]]:
    """The captions of each image, in the order of the file.

    `data` is a list of objects with the keys "image_id" and "caption", as in files of results, an
    object with such a list as "annotations", or one with a caption or a list of them for each
    image. Errors are ValueError and begin with `name`.
    """
    try:
        entries = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{name}: this is not JSON: {error}") from error
    if type(entries) is dict and "annotations" in entries:
        entries = entries["annotations"]
    elif type(entries) is dict:
        entries = [
            {"image_id": image, "caption": text.get("caption") if type(text) is dict else text}
            for image, texts in entries.items()
            for text in (texts if type(texts) is list else [texts])
        ]
    if type(entries) is not list:
        raise ValueError(f"{name}: expected a list of captions, found {a_type(entries)}")
    captions: dict[Any, list[str]] = {}
    for number, entry in enumerate(entries):
        try:
            image, caption = entry["image_id"], entry["caption"]
        except (KeyError, TypeError):
            image = caption = None
        if type(caption) is not str or type(image) not in (int, str):
            raise ValueError(
                f'{name}: entry {number} has no "image_id" with a "caption", which is a string; '
                "expected COCO's captions, or an object with a list of captions for each image"
            )
        captions.setdefault(image, []).append(caption)
    return captions


def with_ids_of(
    annotations: Mapping[Any, list[str]], captions: dict[Any, list[str]]
) -> dict[Any, list[str]]:
    """The captions by the ids that annotations have, which may be numbers where others are text."""
    ids = {str(image): image for image in annotations}
    matched = {ids.get(str(image), image): texts for image, texts in captions.items()}
    return matched if len(ids) == len(annotations) and len(matched) == len(captions) else captions


def check_results(
    results: Mapping[Any, list[str]], annotations: Mapping[Any, list[str]], name: str
) -> None:
    """Check that there is one caption for each image, and that the image has annotations."""
    for image, captions in results.items():
        if len(captions) != 1:
            number = f"{len(captions)} captions, expected one"
            raise ValueError(f"{name}: image {shown(image)} has {number}")
        if image not in annotations:
            raise ValueError(f"{name}: image {shown(image)} has no annotation")
    if not results:
        raise ValueError(f"{name}: there are no captions")
