# SPDX-License-Identifier: BSD-3-Clause
#
# cupy_alias.py - a plugin of pytest: the module that CUPY_ALIAS names (numpy, gnd) in CuPy's place. `cupy` forwards
# to it; cupy.testing and cupy.exceptions, which are plain Python, come from the checkout that CUPY_CHECKOUT names.
# Every other module of CuPy's is a stub, whose names raise when they are used. Each test has a time limit
# (CUPY_TIMEOUT seconds of CPU, ten times as many by the clock: the machine may be busy), and how it ended goes to the
# file CUPY_REPORT names, a line of JSON each. py_cupy.py runs it.
import functools
import importlib
import importlib.abc
import importlib.util
import json
import os
import signal
import sys
import types
import warnings

import numpy
import pytest

alias = importlib.import_module(os.environ['CUPY_ALIAS'])
checkout = os.environ['CUPY_CHECKOUT']
limit = int(os.environ.get('CUPY_TIMEOUT', '30'))


class Stub:
    """A name of CuPy's own: false, with any attributes, and an error when it is called."""

    def __init__(self, name):
        self.__name__ = name

    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        return stub(f'{self.__name__}.{name}')

    def __call__(self, *args, **keywords):
        raise NotImplementedError(f"{self.__name__} is CuPy's own")

    def __bool__(self):
        return False

    def __lt__(self, other):
        return True

    __gt__ = __le__ = __ge__ = __lt__


def stub(name):
    """Names with a capital and small letters are classes."""
    short = name.rpartition('.')[2]
    if not short[:1].isupper() or short.isupper():
        return Stub(name)

    def refuse(self, *args, **keywords):
        raise NotImplementedError(f"{name} is CuPy's own")
    error = short.endswith(('Error', 'Exception', 'Warning'))
    return type(short, (Exception,) if error else (), {} if error else {'__init__': refuse})


class Absent(types.ModuleType):
    """A module of CuPy's that is not there."""

    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        value = stub(f'{self.__name__}.{name}')
        setattr(self, name, value)
        return value


class Forward(Absent):
    """A module whose names are those of the alias's module, where it has them."""

    def __getattr__(self, name):
        there = alias
        for part in self.__name__.split('.')[1:]:
            there = getattr(there, part, None)
        if not name.startswith('__') and hasattr(there, name):
            return getattr(there, name)
        if self.__name__ == 'cupy':
            raise AttributeError(f"module '{alias.__name__}' has no attribute {name!r}")
        return super().__getattr__(name)


class Config(Absent):
    """cupy.fft.config, whose setting warns that it is deprecated."""
    _nd_planning = True

    @property
    def enable_nd_planning(self):
        warnings.warn('enable_nd_planning is deprecated', DeprecationWarning, stacklevel=2)
        return self._nd_planning

    @enable_nd_planning.setter
    def enable_nd_planning(self, on):
        warnings.warn('enable_nd_planning is deprecated', DeprecationWarning, stacklevel=2)
        self._nd_planning = on


OWN = ('cupy.linalg', 'cupy.fft', 'cupy.random', 'cupy.polynomial', 'cupy.lib')


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        if name.split('.')[0] not in ('cupy', 'cupyx', 'cupy_backends'):
            return None
        if name.startswith(('cupy.testing', 'cupy.exceptions')):
            at = os.path.join(checkout, *name.split('.'))
            if os.path.isdir(at):
                return importlib.util.spec_from_file_location(
                    name, os.path.join(at, '__init__.py'), submodule_search_locations=[at])
            return importlib.util.spec_from_file_location(name, at + '.py')
        return importlib.util.spec_from_loader(name, self, is_package=True)

    def create_module(self, spec):
        if spec.name == 'cupy.fft.config':
            return Config(spec.name)
        own = spec.name == 'cupy' or '._' not in spec.name and spec.name.startswith(OWN)
        return (Forward if own else Absent)(spec.name)

    def exec_module(self, module):
        for part in EXTRA.get(module.__name__, {}).items():
            setattr(module, *part)


def asnumpy(a, stream=None, order='C', out=None, *, blocking=True):
    if out is not None:
        out[...] = asnumpy(a)
        return out
    return numpy.asarray(a.asnumpy() if hasattr(a, 'asnumpy') else a)


def get_array_module(*args):
    return alias if any(isinstance(a, alias.ndarray) for a in args) else numpy


def fuse(*args, **keywords):
    return args[0] if args and callable(args[0]) else lambda f: f


class _Kind(type):
    """Of the class that stands for an ndarray without subclasses: tests may derive from it."""

    def __instancecheck__(cls, instance):
        return isinstance(instance, alias.ndarray)

    def __call__(cls, *args, **keywords):
        return alias.ndarray(*args, **keywords)


class _Array(metaclass=_Kind):
    """gnd.ndarray as a base class. Its subclasses can be defined, but have no instances of their own."""


_settings = types.SimpleNamespace(routine=[], reduction=[])
def reset_states():
    sys.modules['cupy.random._generator']._random_states = {}
    if hasattr(alias.random, 'seed'):
        alias.random.seed(0)


RUNTIME = {'is_hip': False, 'runtimeGetVersion': lambda: 12000, 'driverGetVersion': lambda: 12000,
           'getDeviceCount': lambda: 1}
EXTRA = {
    'cupy': {'asnumpy': asnumpy, 'get_array_module': get_array_module, 'fuse': fuse,
             '__version__': '15.0.0', **({'ndarray': _Array} if alias.__name__ == 'gnd' else {})},
    'cupy._core': {},
    'cupy._core.internal': {'prod': lambda seq: functools.reduce(lambda a, b: a * b, seq, 1)},
    'cupy._core._accelerator': {
        'set_routine_accelerators': lambda a: setattr(_settings, 'routine', list(a)),
        'get_routine_accelerators': lambda: _settings.routine,
        'set_reduction_accelerators': lambda a: setattr(_settings, 'reduction', list(a)),
        'get_reduction_accelerators': lambda: _settings.reduction},
    'cupy.random': {'reset_states': reset_states},
    'cupy.random._generator': {'_random_states': {}},
    'cupy.cuda.runtime': RUNTIME,
    'cupy_backends.cuda.api.runtime': RUNTIME,
    'cupy.fft.config': {'use_multi_gpus': False},
    'cupyx': {'errstate': numpy.errstate},
    'cupyx.scipy.sparse': {'issparse': lambda x: False},
}

sys.meta_path.insert(0, Finder())
import cupy  # noqa: E402
for _name in ('cupy.lib', 'cupy.lib.stride_tricks', 'cupy.polynomial', 'cupy.random', 'cupy.random._generator', 'cupy.linalg', 'cupy.fft', 'cupy.fft.config', 'cupy._core',
              'cupy._core.internal', 'cupy._core._accelerator', 'cupy.cuda', 'cupy.cuda.runtime', 'cupy.exceptions',
              'cupy.testing', 'cupy_backends.cuda.api.runtime', 'cupyx', 'cupyx.scipy', 'cupyx.scipy.sparse', 'cupy_backends'):
    importlib.import_module(_name)
if alias is numpy:
    import cupy.testing._loops as _loops
    # The one place where the comparisons call a method that NumPy's arrays lack.
    _source = open(_loops.__file__, encoding='utf-8').read().replace('cupy_r[mask].get()', 'cupy_r[mask]')
    _spec_globals = vars(_loops)
    exec(compile(_source, _loops.__file__, 'exec'), _spec_globals)
    for _n in dir(cupy.testing):
        if hasattr(_loops, _n) and not _n.startswith('_'):
            setattr(cupy.testing, _n, getattr(_loops, _n))


def pytest_collection_modifyitems(session, config, items):
    """CUPY_ONLY: a file with a list of the ids to run, as JSON."""
    if 'CUPY_ONLY' in os.environ:
        with open(os.environ['CUPY_ONLY'], encoding='utf-8') as f:
            only = set(json.load(f))
        items[:] = [i for i in items if i.nodeid in only]


class OverTime(BaseException):
    pass


def _over(signum, frame):
    by = 'CPU' if signum == signal.SIGPROF else 'the clock'
    raise OverTime(f'more than {limit if by == "CPU" else 10 * limit} s of {by}')


_report = open(os.environ['CUPY_REPORT'], 'a', encoding='utf-8') if 'CUPY_REPORT' in os.environ else None


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    clocks = ((signal.ITIMER_PROF, signal.SIGPROF, limit), (signal.ITIMER_REAL, signal.SIGALRM, 10 * limit))
    for clock, number, seconds in clocks:
        signal.signal(number, _over)
        signal.setitimer(clock, seconds)
    yield
    for clock, _, _ in clocks:
        signal.setitimer(clock, 0)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    r = outcome.get_result()
    if _report is None or not (call.when == 'call' or r.outcome != 'passed' and call.when == 'setup'):
        return
    text = ''
    if r.outcome == 'failed':
        text = str(call.excinfo.value)[-1500:] if call.excinfo else str(r.longrepr)[-600:]
        kind = call.excinfo.typename if call.excinfo else ''
        text = f'{kind}: {text}'
    _report.write(json.dumps({'id': item.nodeid, 'end': r.outcome, 's': round(call.duration, 2), 'text': text}) + '\n')
    _report.flush()
