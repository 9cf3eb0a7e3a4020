"""Whether names still refer to the same objects, which a patched function checks before its fast path.

An `Internals` keeps references to the namespaces and objects, so that no address is reused. Names are
looked up only after a dict has changed; otherwise the check takes a few nanoseconds.
Thread-safety: a change that another thread makes meanwhile may be seen at the next call.
"""

from cpython.object cimport PyTypeObject
from libc.stdint cimport uint64_t


cdef extern from *:
    """
    #if PY_VERSION_HEX >= 0x030C0000
    static volatile uint64_t dict_changes = 1;

    static int note_dict_change(PyDict_WatchEvent event, PyObject *dict, PyObject *key, PyObject *value)
    {
        (void)event, (void)dict, (void)key, (void)value;
        dict_changes++;
        return 0;
    }

    static int watch_dict(PyObject *dict)
    {
        static int watcher = -1;
        if (watcher < 0)
            watcher = PyDict_AddWatcher(note_dict_change);
        return watcher < 0 ? -1 : PyDict_Watch(watcher, dict);
    }

    #define dict_version(dict) dict_changes
    #else
    #define watch_dict(dict) 0
    #define dict_version(dict) ((PyDictObject *)dict)->ma_version_tag
    #endif
    """
    int watch_dict(object namespace) except -1
    # Grows with each change of the dict: a count of the changes of all watched dicts, or, before
    # Python 3.12, the dict's own tag, which is unique in the process.
    uint64_t dict_version(object namespace) noexcept

cdef object ABSENT = object()


cdef class Internals:
    """The current objects of (dict or class, name) pairs, including absent names.

    A class stands for its own attributes, without inherited ones.
    """

    cdef list held      # (namespace, name, object)
    cdef tuple namespaces
    cdef uint64_t version

    def __init__(self, names):
        namespaces = {}
        self.held = []
        for owner, name in names:
            namespace = <object> (<PyTypeObject *> owner).tp_dict if isinstance(owner, type) else owner
            watch_dict(namespace)
            namespaces[id(namespace)] = namespace
            self.held.append((namespace, name, namespace.get(name, ABSENT)))
        self.namespaces = tuple(namespaces.values())

    def unchanged(self):
        """Whether every name holds the same object, and absent ones are still absent."""
        cdef uint64_t version = 0
        for namespace in self.namespaces:
            version = max(version, dict_version(namespace))
        if version != self.version:
            for namespace, name, value in self.held:
                if (<dict> namespace).get(name, ABSENT) is not value:
                    return False
            self.version = version
        return True
