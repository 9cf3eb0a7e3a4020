"""Header only: the smoothing methods, whose formulas are in _nltk.pyx and _sacrebleu.pyx.

The same formulas with Python's own numbers are in nltk_arithmetic.py and `score_in_python`. nltk adds
fractions and sacreBLEU percentages, so the two differ in the last bits.
"""


cdef enum Smoothing:           # nltk's methods in their order
    SMOOTH_NONE                # method0
    SMOOTH_FLOOR               # method1
    SMOOTH_ADD_K               # method2
    SMOOTH_EXP                 # method3
    SMOOTH_LENGTH              # method4
    SMOOTH_AVERAGE             # method5
    SMOOTH_INTERPOLATE         # method6
    SMOOTH_LENGTH_AVERAGE      # method7
    SMOOTH_IN_PYTHON           # any other


cdef inline Smoothing smoothing_named(object name):
    """The Smoothing of a name, if rows are sufficient for it."""
    if name == "exp":
        return SMOOTH_EXP
    if name == "floor":
        return SMOOTH_FLOOR
    if name == "add-k":
        return SMOOTH_ADD_K
    if name == "none":
        return SMOOTH_NONE
    if name == "method4":
        return SMOOTH_LENGTH
    return SMOOTH_IN_PYTHON
