"""What a patched function checks before its fast path: names, the state of objects, the types of arguments.

An `Internals` keeps references to the namespaces and objects, so that no address is reused. Names are
looked up only after a dict has changed; otherwise the check takes a few nanoseconds.
Thread-safety: a change that another thread makes meanwhile may be seen at the next call.
"""

from cpython.object cimport PyTypeObject
from libc.stdint cimport uint64_t

from fastbleu.core.kernel.sequences cimport is_list_or_tuple, item_at, size_of, unchanging


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

cdef extern from "Python.h":
    object PyObject_GenericGetDict(object owner, void *context)

cdef object ABSENT = object()


cdef class Internals:
    """The current objects of (dict or class, name) pairs, including absent names; (list, None) is its items.

    A class stands for its own attributes, without inherited ones. For methods, `owner` is their class.
    """

    cdef list held      # (namespace, name, object)
    cdef list lists     # (list, copy)
    cdef tuple namespaces
    cdef uint64_t version
    cdef object owner
    cdef set attributes     # of the owner

    def __init__(self, names, owner=None):
        namespaces = {}
        self.held, self.lists, self.owner, self.attributes = [], [], owner, set()
        for holder, name in names:
            if type(holder) is list:
                self.lists.append((holder, holder.copy()))
                continue
            if owner is not None and isinstance(holder, type) and issubclass(owner, holder):
                self.attributes.add(name)
            namespace = <object> (<PyTypeObject *> holder).tp_dict if isinstance(holder, type) else holder
            watch_dict(namespace)
            namespaces[id(namespace)] = namespace
            self.held.append((namespace, name, namespace.get(name, ABSENT)))
        self.namespaces = tuple(namespaces.values())

    cpdef bint unchanged(self) except -1:
        """Whether every name holds the same object, and absent ones are still absent."""
        cdef uint64_t version = 0
        for namespace in self.namespaces:
            version = max(version, dict_version(namespace))
        if version != self.version:
            for namespace, name, value in self.held:
                if (<dict> namespace).get(name, ABSENT) is not value:
                    return False
            self.version = version
        for items, copy in self.lists:
            if items != copy:
                return False
        return True

    def unchanged_for(self, instance):
        """The same for an object of the owner, which may hold copies of its methods, but no others."""
        if type(instance) is not self.owner or not self.unchanged():
            return False
        for name, value in (<dict> PyObject_GenericGetDict(instance, NULL)).items():
            if name in self.attributes:
                code = getattr(getattr(self.owner, name), "__code__", None)
                if code is None or getattr(value, "__code__", None) is not code:
                    return False
        return True

    def unchanged_like(self, instance, model):
        """The same, and `instance` has the state of `model`."""
        return self.unchanged() and is_like(instance, model)


cpdef bint is_like(object value, object model) except -1:
    """Whether two objects have the same types, attributes and items, all the way down."""
    cdef Py_ssize_t i
    if value is model:
        return True
    if type(value) is not type(model):
        return False
    if is_list_or_tuple(value):
        if size_of(value) != size_of(model):
            return False
        for i in range(size_of(model)):
            if not is_like(item_at(value, i), item_at(model, i)):
                return False
        return True
    if type(value) is not dict:
        try:
            state = PyObject_GenericGetDict(model, NULL)
        except AttributeError:
            return value == model
        return is_like(PyObject_GenericGetDict(value, NULL), state)
    if len(<dict> value) != len(<dict> model):
        return False
    for name, item in (<dict> model).items():
        if not is_like((<dict> value).get(name, ABSENT), item):
            return False
    return True


cpdef bint is_nested(object value, int depth) except -1:
    """Whether a value is `depth` levels of exact lists and tuples of exact str, int and bytes, and None."""
    cdef Py_ssize_t i
    if depth == 0:
        return type(value) is str or type(value) is int or type(value) is bytes or value is None
    if not is_list_or_tuple(value):
        return False
    items = unchanging(value)
    for i in range(size_of(items)):
        if not is_nested(item_at(items, i), depth - 1):
            return False
    return True
