"""Files of COCO's captions: annotations as references, results as hypotheses."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from itertools import zip_longest
from typing import Any

from ..inputs.coco_captions import check_results, parse_captions, with_ids_of
from ..inputs.compression import without_suffix
from ..runtime.collection import collection_paused
from .files import ByteSource, InputError
from .readers import Reader


def is_coco_file(name: str) -> bool:
    """Whether a file has COCO's captions, by its name."""
    return without_suffix(name).endswith(".json")


class CocoReader(Reader):
    """The captions of images; the images are those of the results, in the order of the annotations.

    Images have different numbers of references: in shorter columns there is None.
    """

    unit = "image"

    def __init__(self, path: str, opened: ExitStack) -> None:
        self.source = ByteSource(path, opened)
        self.label = self.source.label
        opened.enter_context(collection_paused())  # until the captions are no longer needed
        data = b"".join(iter(self.source.read, b""))
        try:
            self.captions = parse_captions(data, self.label)
        except ValueError as error:
            fix = f"name a key of other objects, as in {path}::KEY, and a file of lines otherwise"
            raise InputError(f"{error} ({fix})") from error
        self._images: list[Any] = []

    def choose(self, images: list[Any]) -> None:
        """Decide which images are read."""
        widths = {len(self.captions[image]) for image in images}
        self._images, self.width, self.ragged = images, max(widths), len(widths) > 1

    def read(self, count: int) -> list[list[Any]]:
        images = self._images[self.segments : self.segments + count]
        self.segments += len(images)
        rows = [self.captions[image] for image in images]
        columns = list(map(list, zip_longest(*rows)))
        return columns + [[None] * len(rows) for _ in range(self.width - len(columns))]


def align_images(references: Sequence[Reader], systems: Sequence[Reader]) -> None:
    """Let all files of COCO's captions have the same images in the same order.

    Raises
    ------
    InputError
        Annotations are without results, the results of an image are not one caption, it has no
        annotation, or systems have different images.
    """
    results = [reader for reader in systems if isinstance(reader, CocoReader)]
    annotations = [reader for reader in references if isinstance(reader, CocoReader)]
    if not results and not annotations:
        return
    if not results or len(results) != len(systems) or len(annotations) != len(references):
        raise InputError(
            "COCO's annotations and results belong together: all files, also those after -i, must "
            "be .json; of other JSON choose a text by ::KEY after the name"
        )
    for reader in [*annotations[1:], *results]:
        reader.captions = with_ids_of(annotations[0].captions, reader.captions)
    for reader in results:
        for other in annotations:
            try:
                check_results(reader.captions, other.captions, reader.label)
            except ValueError as error:
                raise InputError(str(error)) from error
        if reader.captions.keys() != results[0].captions.keys():
            image = next(iter(reader.captions.keys() ^ results[0].captions.keys()))
            raise InputError(
                f"{reader.label} and {results[0].label} have different images: {image!r} is in one "
                "of them"
            )
    images = [image for image in annotations[0].captions if image in results[0].captions]
    for reader in results + annotations:
        reader.choose(images)
