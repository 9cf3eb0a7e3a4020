"""COCO's JSON, read without an object for each of its entries.

Strings without escapes and plain integers are read here, all other values by Python's `json`.

Ownership. A reader holds the text, into which `chars` points.
Thread-safety. A reader does all its work while it is made.
"""

from cpython.exc cimport PyErr_CheckSignals

import json

from fastbleu.inputs.arguments import a_type

cdef extern from "Python.h":
    int PyUnicode_KIND(object text)
    void *PyUnicode_DATA(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    Py_UCS4 PyUnicode_READ(int kind, const void *chars, Py_ssize_t i) nogil
    object PyUnicode_Substring(object text, Py_ssize_t start, Py_ssize_t end)
    Py_ssize_t PyUnicode_Tailmatch(
        object text, object word, Py_ssize_t start, Py_ssize_t end, int direction) except -1

cdef tuple KEYS = (("image_id", '"image_id"'), ("caption", '"caption"'))    # for which no str is made
cdef object read_string = json.decoder.scanstring

cdef enum:
    FEW_DIGITS = 18             # a number of so many is a long long


cdef class CaptionReader:
    """The captions of each image, `captions`, in the order of the text.

    The text is a list of objects with "image_id" and "caption", or an object with such a list as
    "annotations". Raises JSONDecodeError, a ValueError, or ValueError where it is other JSON.
    """

    cdef readonly dict captions
    cdef str text
    cdef object read_other
    cdef Py_ssize_t at, entries
    cdef int kind
    cdef const void *chars

    def __cinit__(self, str text not None):
        self.text = text
        self.kind, self.chars = PyUnicode_KIND(text), PyUnicode_DATA(text)
        self.read_other = json.JSONDecoder().raw_decode
        self.at = 0
        if self.peek() == u"{":
            self.read_file()
        else:
            self.read_list()
        if self.peek() or self.at < PyUnicode_GET_LENGTH(text):
            self.fail("Extra data")

    cdef int read_file(self) except -1:
        cdef Py_ssize_t count = 0
        self.at += 1
        while self.has_more(count, u"}"):
            count += 1
            if self.key() == "annotations":
                self.read_list()
            else:
                self.value()
        if self.captions is None:
            raise ValueError(
                'the object has no key "annotations"; expected COCO\'s captions, or a list of objects with '
                '"image_id" and "caption"')
        return 0

    cdef int read_list(self) except -1:
        self.captions, self.entries = {}, 0
        if self.peek() != u"[":
            raise ValueError(f"expected a list of captions, found {a_type(self.value())}")
        self.at += 1
        while self.has_more(self.entries, u"]"):
            self.read_entry()
            self.entries += 1
            if self.entries % 1024 == 0:
                PyErr_CheckSignals()
        return 0

    cdef int read_entry(self) except -1:
        cdef Py_ssize_t count = 0
        cdef list captions
        image = caption = None
        if self.peek() == u"{":
            self.at += 1
            while self.has_more(count, u"}"):
                count += 1
                key, value = self.key(), self.value()
                if key == "image_id":
                    image = value
                elif key == "caption":
                    caption = value
        if type(caption) is not str or type(image) not in (int, str):
            raise ValueError(f'entry {self.entries} has no "image_id" with a "caption", which is a string')
        captions = self.captions.get(image)
        if captions is None:
            self.captions[image] = captions = []
        captions.append(caption)
        return 0

    cdef Py_UCS4 peek(self) noexcept:
        """The next character that is no white space, 0 at the end."""
        cdef Py_UCS4 c
        while self.at < PyUnicode_GET_LENGTH(self.text):
            c = PyUnicode_READ(self.kind, self.chars, self.at)
            if c != 32 and c != 9 and c != 10 and c != 13:
                return c
            self.at += 1
        return 0

    cdef bint has_more(self, Py_ssize_t count, Py_UCS4 end) except -1:
        """Whether a list or object goes on after `count` values, up to the next one."""
        cdef Py_UCS4 c = self.peek()
        if c == end or count > 0:
            if c != end and c != u",":
                self.fail("Expecting ',' delimiter")
            self.at += 1
        return c != end

    cdef object key(self):
        """The next key, up to its value."""
        if self.peek() != u'"':
            self.fail("Expecting property name enclosed in double quotes")
        for key, quoted in KEYS:
            if PyUnicode_Tailmatch(self.text, quoted, self.at, PyUnicode_GET_LENGTH(self.text), -1):
                self.at += PyUnicode_GET_LENGTH(quoted)
                break
        else:
            key = self.value()
        if self.peek() != u":":
            self.fail("Expecting ':' delimiter")
        self.at += 1
        return key

    cdef object value(self):
        cdef Py_UCS4 c = self.peek()
        cdef Py_ssize_t start = self.at, end = start + 1, length = PyUnicode_GET_LENGTH(self.text)
        cdef long long number = <long long> c - 48
        if c == u'"':
            while end < length:
                c = PyUnicode_READ(self.kind, self.chars, end)
                if c == u'"':
                    self.at = end + 1
                    return PyUnicode_Substring(self.text, start + 1, end)
                if c == u"\\" or c < 32:
                    break
                end += 1
            value, self.at = read_string(self.text, start + 1)
            return value
        if 1 <= number <= 9:
            c = 0
            while end < min(length, start + FEW_DIGITS):
                c = PyUnicode_READ(self.kind, self.chars, end)
                if not 48 <= c <= 57:
                    break
                number = 10 * number + <long long> c - 48
                end += 1
            if c == u"," or c == u"}":
                self.at = end
                return number
        value, self.at = self.read_other(self.text, start)
        return value

    cdef int fail(self, str problem) except -1:
        raise json.JSONDecodeError(problem, self.text, self.at)
