# SPDX-License-Identifier: BSD-3-Clause
"""Parameters of the functions of the table as Python shows them: in help(), inspect.signature() and
the stubs (.pyi)."""

# Every function takes device= (the device of the result) and out=. Signatures show device= only for
# functions that create arrays.
_MAKERS = frozenset(
    """zeros ones empty full zeros_like ones_like empty_like full_like arange linspace logspace
    geomspace eye identity tri astype indices fftfreq rfftfreq""".split())
_VARIANCES = frozenset(('var', 'std', 'nanvar', 'nanstd'))


def shown(name, parameters, method=False):
    """The text of the parameters of a function of the table: "x, axis=None, *, device=None"."""
    short = name.rpartition('.')[2]
    more = []
    if short in _VARIANCES:
        more.append('correction=None')
    if short in _MAKERS and not method:
        more.append('device=None')
    if not more:
        return parameters
    star = '' if any(p.startswith('*') for p in parameters.split(', ')) else '*, '
    return f"{parameters}, {star}{', '.join(more)}"
