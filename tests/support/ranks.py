"""What processes of torch.distributed need; a separate module, because each of them imports it."""

import datetime
import os
import sys

import torch.distributed as dist

TIMEOUT = 10  # seconds that a collective waits for the other ranks


def attempt(function, *arguments):
    """What a function returns, or (type, message) of what it raises."""
    try:
        return function(*arguments)
    except Exception as error:
        kind = ValueError if isinstance(error, ValueError) else type(error)
        return kind.__name__, str(error)


def join(rank, ranks, directory):
    if sys.platform == "linux":
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    os.environ["LOCAL_RANK"] = str(rank)
    dist.init_process_group(
        "gloo",
        init_method=f"file://{directory}/rendezvous",
        rank=rank,
        world_size=ranks,
        timeout=datetime.timedelta(seconds=TIMEOUT),
    )
