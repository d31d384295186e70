# SPDX-License-Identifier: BSD-3-Clause
"""NumPy names that compute nothing on a device: scalar types, dtypes, settings for printing and errors, and functions
of dtypes and shapes. They are NumPy's own objects."""
import numpy as np

_TYPES = """dtype generic number inexact integer signedinteger unsignedinteger floating complexfloating flexible
byte ubyte short ushort intc uintc intp uintp longlong ulonglong uint half single double csingle cdouble"""
_FUNCTIONS = """issubdtype mintypecode typename iterable isscalar broadcast ndindex s_
index_exp set_printoptions get_printoptions printoptions format_float_positional format_float_scientific
binary_repr base_repr errstate seterr geterr typecodes euler_gamma little_endian exceptions"""
NAMES = {n: getattr(np, n) for n in (_TYPES + ' ' + _FUNCTIONS).split() if hasattr(np, n)}
if 'exceptions' not in NAMES:  # NumPy before 1.25
    import types
    NAMES['exceptions'] = types.SimpleNamespace(
        **{n: getattr(np, n) for n in ('AxisError', 'ComplexWarning', 'VisibleDeprecationWarning', 'RankWarning')})
ComplexWarning = NAMES['exceptions'].ComplexWarning


def promote_types(type1, type2):
    """The smallest dtype to which both may be cast safely, as numpy.promote_types."""
    return np.promote_types(type1, type2)


def min_scalar_type(a):
    """The smallest dtype that holds a number; for an array its dtype."""
    return np.min_scalar_type(a) if np.ndim(a) == 0 and not hasattr(a, 'device') else a.dtype


FUNCTIONS = [promote_types, min_scalar_type]
