"""Properties that are computed once, when they are first read."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from functools import cached_property
else:

    class cached_property:
        """`functools.cached_property` without a lock.

        Before Python 3.12, the one in functools holds a lock while it computes; a child forked
        meanwhile would inherit the lock and wait for it forever. Here several threads may compute
        the value; all of them get the first one.
        """

        def __init__(self, compute):
            self._compute = compute
            self.__doc__ = compute.__doc__

        def __set_name__(self, owner, name):
            self._name = name

        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            return vars(instance).setdefault(self._name, self._compute(instance))


__all__ = ["cached_property"]
