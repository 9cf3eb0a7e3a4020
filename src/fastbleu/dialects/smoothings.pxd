"""Header only: the smoothing methods, whose formulas are in _nltk.pyx and _sacrebleu.pyx.

With Python's own numbers the same formulas are in nltk_arithmetic.py and `compute_plainly`: nltk adds
fractions and sacreBLEU percentages, so that neither equals the other to the last bit.
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


cdef inline int smoothing_named(object name) except -1:
    """The Smoothing of a name that rows can be smoothed by."""
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
    raise ValueError(f"smoothing {name!r} is unknown; choose one of none, floor, add-k, exp, method4")
