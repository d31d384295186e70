# SPDX-License-Identifier: BSD-3-Clause
"""Support for gnd arrays in einops. einops asks each subclass of its AbstractBackend whether a tensor belongs to it.
The subclass for gnd is made when einops is imported, before or after gnd."""
import sys

NAME = 'einops._backends'
backend = None  # einops holds its subclasses weakly


def define():
    """Makes the backend for einops from functions of gnd."""
    global backend
    gnd = sys.modules['gnd']

    class GndBackend(sys.modules[NAME].AbstractBackend):
        framework_name = 'gnd'

        def is_appropriate_type(self, tensor):
            return isinstance(tensor, gnd.ndarray)

        def from_numpy(self, x):
            return gnd.asarray(x)

        def to_numpy(self, x):
            return gnd.asnumpy(x)

        def arange(self, start, stop):
            return gnd.arange(start, stop)

        def stack_on_zeroth_dimension(self, tensors):
            return gnd.stack(list(tensors))

        def tile(self, x, repeats):
            return gnd.tile(x, tuple(repeats))

        def concat(self, tensors, axis):
            return gnd.concat(list(tensors), axis=axis)

        def add_axis(self, x, new_position):
            return gnd.expand_dims(x, axis=new_position)

        def is_float_type(self, x):
            return x.dtype.kind in 'fc' or x.dtype == 'bfloat16'

        def einsum(self, pattern, *x):
            return gnd.einsum(pattern, *x)

    backend = GndBackend


class _Finder:
    """Finds the module NAME through the other finders, and defines the backend once the module has run."""

    def find_spec(self, name, path, target=None):
        if name != NAME:
            return None
        import importlib.util
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            run = spec.loader.exec_module

            def exec_module(module):
                run(module)
                define()
            spec.loader.exec_module = exec_module
        return spec


def register():
    if NAME in sys.modules:
        define()
    else:
        sys.meta_path.insert(0, _Finder())
