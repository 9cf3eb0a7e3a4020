/* plain_text.h: where the characters of a str are, for a thread that does not hold the GIL.
 *
 * Contract. Another thread holds the GIL meanwhile, so that nothing changes and the objects live. Nothing is
 * written, not even a reference count. Only exact str objects whose characters follow their header are read
 * here.
 */
#pragma once

#include <Python.h>
#include "../text/line_reader.h"

/* The line that a str is; 0 where it is something else. */
FB_INLINE int plain_line(PyObject *text, text_line *line)
{
    if (!PyUnicode_CheckExact(text) || !PyUnicode_IS_COMPACT(text)) return 0;
    line->chars = PyUnicode_DATA(text);
    line->length = (size_t)PyUnicode_GET_LENGTH(text);
    line->char_width = (int)PyUnicode_KIND(text);
    return 1;
}
