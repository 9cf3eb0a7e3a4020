"""log and exp as JavaScript's engines compute them, by fdlibm, which C libraries no longer use.

References
----------
Sun's fdlibm 5.3, e_log.c and e_exp.c; for V8, src/base/ieee754.cc.
"""

from __future__ import annotations

from math import e, frexp, ldexp

_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_LOG = (
    *(6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01),
    *(2.222219843214978396e-01, 1.818357216161805012e-01, 1.531383769920937332e-01),
    1.479819860511658591e-01,
)
_EXP = (
    *(1.66666666666666019037e-01, -2.77777777770155933842e-03, 6.61375632143793436125e-05),
    *(-1.65339022054652515390e-06, 4.13813679705723846039e-08),
)


def log(x: float) -> float:
    """The logarithm of a positive normal number."""
    mantissa, k = frexp(x)
    mantissa, k = 2 * mantissa, k - 1
    high = int((mantissa - 1) * 2**20)  # the upper bits of the fraction
    if high >= 0x6A09C:
        mantissa, k = mantissa / 2, k + 1
    f, low = mantissa - 1, k * _LN2_LOW
    if (high + 2) & 0xFFFFF < 3:  # |f| < 2 ** -20
        return k * _LN2_HIGH - ((f * f * (0.5 - 0.33333333333333333 * f) - low) - f)
    s = f / (2 + f)
    z = s * s
    w = z * z
    l1, l2, l3, l4, l5, l6, l7 = _LOG
    r = z * (l1 + w * (l3 + w * (l5 + w * l7))) + w * (l2 + w * (l4 + w * l6))
    if (high - 0x6147A) | (0x6B851 - high) > 0:
        half = 0.5 * f * f
        return k * _LN2_HIGH - ((half - (s * (half + r) + low)) - f)
    return k * _LN2_HIGH - ((s * (f - r) - low) - f)


def exp(x: float) -> float:
    """The exponential of a number of moderate size, which is 0 or above 2 ** -28."""
    if x == 1:
        return e  # V8's exception
    size, k = abs(x), 0
    if size >= 0.3465735912322998:  # half of log 2, as far as its upper 32 bits tell
        k = int(1.44269504088896338700 * x + (0.5 if x > 0 else -0.5))
        if size < 1.0397207708399179:
            k = 1 if x > 0 else -1
    high, low = x - k * _LN2_HIGH, k * _LN2_LOW
    x = high - low
    t, c = x * x, 0.0
    for p in reversed(_EXP):
        c = t * (p + c)
    c = x - c
    return ldexp(1 - ((low - (x * c) / (2 - c)) - high), k)
