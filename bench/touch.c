/* The floor under every token counter: read each token's pointer and its hash field, nothing else.
 *
 * touch(hypotheses, references) walks lists of lists of str as stats.count does (the references
 * one list deeper) and adds up what it read, so that the loop cannot be left out. The hash field
 * is read and not computed: it is -1 in a string that nobody has hashed. No checks: the benchmark
 * made these lists.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static size_t touch_tokens(PyObject *tokens) {
    size_t sum = 0;
    Py_ssize_t length = PyList_GET_SIZE(tokens);
    for (Py_ssize_t i = 0; i < length; i++) {
        PyObject *token = PyList_GET_ITEM(tokens, i);
        sum += (size_t)token ^ (size_t)((PyASCIIObject *)token)->hash;
    }
    return sum;
}

static PyObject *touch(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
    (void)module;
    if (nargs != 2 || !PyList_Check(args[0]) || !PyList_Check(args[1]) ||
        PyList_GET_SIZE(args[0]) != PyList_GET_SIZE(args[1])) {
        PyErr_SetString(PyExc_TypeError, "touch takes two lists of the same length");
        return NULL;
    }
    size_t sum = 0;
    Py_ssize_t segments = PyList_GET_SIZE(args[0]);
    for (Py_ssize_t segment = 0; segment < segments; segment++) {
        sum += touch_tokens(PyList_GET_ITEM(args[0], segment));
        PyObject *references = PyList_GET_ITEM(args[1], segment);
        for (Py_ssize_t k = 0; k < PyList_GET_SIZE(references); k++)
            sum += touch_tokens(PyList_GET_ITEM(references, k));
    }
    return PyLong_FromSize_t(sum);
}

static PyMethodDef methods[] = {
    {"touch", (PyCFunction)(void (*)(void))touch, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "touch", NULL, -1, methods, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit_touch(void) { return PyModule_Create(&module); }
