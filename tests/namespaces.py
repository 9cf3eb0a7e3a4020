"""What every module and some classes hold, to find what a patch left behind."""

import sys
from types import ModuleType


def names(*classes):
    """Each (module or class, name), and the object that it holds; not those of fastbleu."""
    owners = {name: module for name, module in sys.modules.items() if type(module) is ModuleType}
    owners |= {f"{kind.__module__}.{kind.__qualname__}": kind for kind in classes}
    return {
        (owner, name): value
        for owner, holder in owners.items()
        # hypothesis counts the garbage collector's time in its own names.
        if owner.partition(".")[0] not in ("fastbleu", "hypothesis", "sys")
        for name, value in vars(holder).items()
        # Python and the module copy keep notes there.
        if name not in ("__warningregistry__", "__slotnames__")
    }


def changed(before, after):
    """The names that hold another object, or none, on one of the two sides."""
    nothing = object()
    keys = before.keys() | after.keys()
    return {key for key in keys if before.get(key, nothing) is not after.get(key, nothing)}
