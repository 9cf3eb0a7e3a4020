"""Whether names still hold the objects that they held: what a patched function asks before its fast way.

An `Internals` keeps references to the namespaces and objects, so that no address is used again. Names
are looked up only after a namespace has changed: else the question takes a few nanoseconds.
Thread-safety: see dict_version.h.
"""

from cpython.object cimport PyTypeObject
from libc.stdint cimport uint64_t


cdef extern from "kernel/objects/dict_version.h":
    int watch_dict(object namespace) except -1
    uint64_t dict_version(object namespaces) noexcept

cdef object ABSENT = object()


cdef class Internals:
    """What names hold now.

    Parameters
    ----------
    names : iterable of (dict or class, str)
        A class stands for its own attributes, without inherited ones. A name may be absent.
    """

    cdef list held      # (namespace, name, object)
    cdef tuple namespaces
    cdef uint64_t version

    def __init__(self, names):
        namespaces = {}
        self.held = []
        for owner, name in names:
            namespace = owner
            if isinstance(owner, type):
                namespace = <object> (<PyTypeObject *> owner).tp_dict
            watch_dict(namespace)
            namespaces[id(namespace)] = namespace
            self.held.append((namespace, name, namespace.get(name, ABSENT)))
        self.namespaces = tuple(namespaces.values())
        self.version = dict_version(self.namespaces)

    def unchanged(self):
        """Whether every name holds the same object, and absent ones are still absent."""
        cdef uint64_t version = dict_version(self.namespaces)
        if version != self.version:
            for namespace, name, value in self.held:
                if (<dict> namespace).get(name, ABSENT) is not value:
                    return False
            self.version = version
        return True
