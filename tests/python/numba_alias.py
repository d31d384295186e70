# SPDX-License-Identifier: BSD-3-Clause
"""Numba's own tests of its CUDA language with gnd in Numba's place, for py_numba.py:

    python3 numba_alias.py CHECKOUT MODULE

imports MODULE (cudapy.test_atomics) out of a checkout of NVIDIA/numba-cuda and prints one line for each of its tests:
passed, failed or skipped, its name, the reason. `numba` and `numba.cuda` are gnd.cuda; of Numba's insides there are
only names, which are false, do nothing and can be base classes. Tests that Numba's simulator skips are run."""
import builtins
import contextlib
import importlib.util
import linecache
import os
import sys
import tempfile
import types
import unittest

import gnd.cuda

TESTS = 'numba.cuda.tests'


class Missing:
    """A name of Numba's insides: nothing."""

    def __init__(self, name):
        self._name = name

    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        return Missing(f'{self._name}.{name}')

    def __call__(self, *args, **keywords):
        if len(args) == 1 and not keywords and isinstance(args[0], (types.FunctionType, type)):
            return args[0]  # as a decorator
        return self

    def __iter__(self):
        return iter(())

    def __bool__(self):
        return False

    def __mro_entries__(self, bases):
        return (Base,)


class Base:
    """What a class of Numba's insides is as a base."""

    def __init__(self, *args, **keywords):
        pass


class Names(types.ModuleType):
    """A module of Missing names, but for those that are given."""

    def __init__(self, name, **given):
        super().__init__(name)
        self.__path__ = []
        self.__dict__.update(given)

    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        return Missing(f'{self.__name__}.{name}')


class Proxy(types.ModuleType):
    """A module of gnd's under Numba's name."""

    def __init__(self, name, of, **given):
        super().__init__(name)
        self.__path__ = []
        self.__dict__.update(given, _of=of)

    def __getattr__(self, name):
        return getattr(self._of, name)


class Finder:
    """Answers every import of numba, and of what Numba's tests need beside it."""

    def __init__(self, checkout):
        self.tests = os.path.join(checkout, 'numba_cuda', 'numba', 'cuda', 'tests')

    def find_spec(self, name, path=None, target=None):
        if name == TESTS + '.support':
            return importlib.util.spec_from_file_location(name, os.path.join(self.tests, 'support.py'))
        if name.startswith(TESTS + '.') and '.' in name[len(TESTS) + 1:]:
            return importlib.util.spec_from_file_location(
                name, os.path.join(self.tests, *name[len(TESTS) + 1:].split('.')) + '.py')
        if name.split('.')[0] in ('numba', 'pytest', 'llvmlite', 'cffi', 'cupy', 'filecheck') or name == 'cuda' \
                or name.startswith('cuda.'):
            return importlib.util.spec_from_loader(name, self)
        return None

    def create_module(self, spec):
        return MODULES.get(spec.name) or Names(spec.name)

    def exec_module(self, module):
        make = MAKERS.get(module.__name__)
        if make:
            module.__dict__.update(make())


class Errors:
    """numba.core.errors: gnd has one class for what a kernel cannot say."""
    TypingError = LoweringError = UnsupportedError = NumbaTypeError = ConstantInferenceError = gnd.cuda.TypingError
    NumbaValueError = UnsupportedBytecodeError = NumbaNotImplementedError = gnd.cuda.TypingError
    NumbaWarning, NumbaPerformanceWarning, NumbaDebugInfoWarning = (
        type(n, (Warning,), {}) for n in ('NumbaWarning', 'NumbaPerformanceWarning', 'NumbaDebugInfoWarning'))


def testing():
    """numba.cuda.testing."""
    from numba.cuda.tests.support import TestCase

    class CUDATestCase(TestCase):
        FLOAT16_RTOL = 2.0**-10

    def decorator(*args):
        return args[0] if len(args) == 1 and callable(args[0]) else lambda f: f

    def not_there(reason):
        return unittest.skip(reason) if isinstance(reason, str) else unittest.skip('not for gnd')(reason)

    names = {'skip_' + n: decorator for n in (
        'on_cudasim', 'if_external_memmgr', 'under_cuda_memcheck', 'on_arm', 'on_wsl2', 'unless_cc_50', 'unless_cc_53',
        'unless_cc_60', 'unless_cc_75', 'unless_cc_90', 'on_nvjitlink_13_1_sm_120')}
    names.update({'skip_' + n: not_there for n in (
        'unless_cudasim', 'on_standalone_numba_cuda', 'if_nvjitlink_missing', 'unless_conda_cudatoolkit',
        'if_cuda_includes_missing', 'if_curand_kernel_missing', 'if_cudadevrt_missing', 'without_nvdisasm')})
    return {**names, 'CUDATestCase': CUDATestCase, 'unittest': unittest, 'xfail_unless_cudasim': decorator,
            'cc_X_or_above': lambda major, minor: True, 'test_data_dir': ''}


def config():
    """The simulator's branches of the tests have no text of NVIDIA's to look at."""
    return Names('numba.cuda.core.config', ENABLE_CUDASIM=True, CUDA_LOW_OCCUPANCY_WARNINGS=0,
                 CUDA_WARN_ON_IMPLICIT_COPY=0, CUDA_ENABLE_PYNVJITLINK=False, DEBUG=0)


CONFIG = config()
REAL = {'cudapy.test_flow_control', 'cudapy.test_exception', 'cudapy.test_userexc'}  # the simulator's errors are others
PROXY = Proxy('numba.cuda', of=gnd.cuda, config=CONFIG, HAS_NUMBA=False)
NUMPY = tuple(int(i) for i in gnd.cuda.np.__version__.split('.')[:2])
TYPES = Proxy('numba.cuda.types', of=gnd.cuda.types, Type=Base)
SUPPORT = Names('numba.cuda.np.numpy_support', numpy_version=NUMPY, from_dtype=gnd.cuda.types.of_dtype,
                as_dtype=gnd.cuda.types.as_dtype)
PROXY.types = TYPES
MODULES = {'numba.cuda.np.numpy_support': SUPPORT, 'numba': Names('numba', cuda=PROXY, vectorize=gnd.cuda.vectorize, types=TYPES), 'numba.cuda': PROXY,
           'numba.types': TYPES, 'numba.cuda.types': TYPES, 'numba.core.types': TYPES,
           'numba.cuda.core.config': CONFIG, 'numba.core.config': CONFIG, 'numba.cuda.config': CONFIG}
MAKERS = {'numba.cuda.testing': testing, 'numba.cuda.core': lambda: {'config': CONFIG, 'errors': Errors},
          'numba.core': lambda: {'config': CONFIG, 'errors': Errors, 'types': TYPES},
          'numba.cuda.core.errors': lambda: vars(Errors), 'numba.core.errors': lambda: vars(Errors),
          'numba.cuda.utils': lambda: {'PYVERSION': sys.version_info[:2]},
          'numba.cuda.np': lambda: {'numpy_support': SUPPORT}}


def exec_with_source(code, *spaces):
    """exec that keeps the text where inspect finds it: Numba reads bytecode, gnd the source."""
    if isinstance(code, str):
        file = f'<exec {len(linecache.cache)}>'
        linecache.cache[file] = (len(code), None, code.splitlines(True), file)
        code = compile(code, file, 'exec')
    if not spaces:
        frame = sys._getframe(1)
        spaces = frame.f_globals, frame.f_locals
    EXEC(code, *spaces)


EXEC = builtins.exec


class Result(unittest.TestResult):
    """Prints each test when it ends."""

    def __init__(self, out):
        super().__init__()
        self.out = out

    def tell(self, how, test, why=''):
        print(how, '.'.join(test.id().split('.')[-2:]), ' '.join(str(why).split()), sep='\t', file=self.out, flush=True)

    def startTest(self, test):
        super().startTest(test)
        self.bad = None

    def stopTest(self, test):
        if self.bad:
            self.tell('failed', test, self.bad)
        super().stopTest(test)

    def addSuccess(self, test):
        self.tell('passed', test)

    def addSkip(self, test, reason):
        self.tell('skipped', test, reason)

    def addFailure(self, test, err):
        self.bad = f'{err[0].__name__}: {err[1]}'
        print(self._exc_info_to_string(err, test), file=sys.stderr)

    addError = addFailure

    def addSubTest(self, test, subtest, err):
        if err:
            self.addFailure(test, err)

    def addExpectedFailure(self, test, err):
        self.tell('passed', test)

    def addUnexpectedSuccess(self, test):
        self.tell('passed', test, 'where Numba fails')


def install(checkout):
    """Makes `import numba` give gnd, here and, by SITE, in Python processes that are started from here."""
    sys.meta_path.insert(0, Finder(checkout))
    if sys.orig_argv[1:2] == ['-c']:
        text = sys.orig_argv[2]
        linecache.cache['<string>'] = (len(text), None, text.splitlines(True), '<string>')


SITE = """import sys
sys.path.insert(0, {folder!r})
import numba_alias
numba_alias.install({checkout!r})
"""


def main(checkout, module, *only):
    install(checkout)
    with tempfile.TemporaryDirectory() as site:
        with open(os.path.join(site, 'sitecustomize.py'), 'w', encoding='utf-8') as f:
            f.write(SITE.format(folder=os.path.dirname(os.path.abspath(__file__)), checkout=checkout))
        os.environ['PYTHONPATH'] = os.pathsep.join([site, os.environ.get('PYTHONPATH', '')])
        run(module, only)


def run(module, only):
    sys.dont_write_bytecode = True
    CONFIG.ENABLE_CUDASIM = module not in REAL
    builtins.exec = exec_with_source
    out = os.fdopen(os.dup(1), 'w')
    with contextlib.redirect_stdout(sys.stderr):
        suite = unittest.TestLoader().loadTestsFromName(TESTS + '.' + module) if not only else \
            unittest.TestLoader().loadTestsFromNames([f'{TESTS}.{module}.{o}' for o in only])
        suite.run(Result(out))


if __name__ == '__main__':
    main(*sys.argv[1:])
