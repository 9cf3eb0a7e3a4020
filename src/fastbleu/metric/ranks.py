"""Gathering objects from all ranks of a PyTorch process group."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def gather(value: object, group: object = None) -> list[Any]:
    """The value of every rank, in the order of the ranks; without a process group only this one's.

    PyTorch is not imported: if it has not been imported, there is no process group.

    Raises
    ------
    ValueError
        This process is not in the group.
    """
    torch = sys.modules.get("torch")
    if torch is None or not torch.distributed.is_available():
        return [value]
    distributed = torch.distributed
    if not distributed.is_initialized():
        return [value]
    ranks = distributed.get_world_size(group)
    if ranks < 1:
        raise ValueError("this process is not in the group; call all_reduce on its members only")
    gathered = [None] * ranks
    distributed.all_gather_object(gathered, value, group=group)
    return gathered
