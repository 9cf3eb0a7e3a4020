/* A number that changes with the content of dicts.

From Python 3.12 on it counts the changes of all dicts that are watched; before, each dict has a tag
that is unique in the process and grows with each change of any dict.

Thread-safety: a change that another thread makes meanwhile may be seen at the next call.
*/
#ifndef FASTBLEU_DICT_VERSION_H
#define FASTBLEU_DICT_VERSION_H

#include <Python.h>

#if PY_VERSION_HEX >= 0x030C0000

static volatile uint64_t dict_changes = 1;

static int note_dict_change(PyDict_WatchEvent event, PyObject *dict, PyObject *key, PyObject *value)
{
    (void)event, (void)dict, (void)key, (void)value;
    dict_changes++;
    return 0;
}

/* Watch a dict; -1 with an error set. */
static inline int watch_dict(PyObject *dict)
{
    static int watcher = -1;
    if (watcher < 0)
        watcher = PyDict_AddWatcher(note_dict_change);
    return watcher < 0 ? -1 : PyDict_Watch(watcher, dict);
}

static inline uint64_t dict_version(PyObject *dicts)
{
    (void)dicts;
    return dict_changes;
}

#else

static inline int watch_dict(PyObject *dict)
{
    (void)dict;
    return 0;
}

/* Of a tuple of dicts: the tag of the one that was changed last. */
static inline uint64_t dict_version(PyObject *dicts)
{
    uint64_t latest = 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(dicts); i++) {
        uint64_t tag = ((PyDictObject *)PyTuple_GET_ITEM(dicts, i))->ma_version_tag;
        if (tag > latest)
            latest = tag;
    }
    return latest;
}

#endif

#endif
