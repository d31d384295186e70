#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# py_kernels.py - RawKernel, RawModule and PyCUDA's SourceModule: arguments, views and arrays given twice, what is
# refused, what a kernel takes.
import os
import subprocess
import sys

import pytap as t
from pytap import gnd, np

ADD = '''
GND_KERNEL void add(GND_CONST_GLOBAL g_f32 *a, GND_GLOBAL g_f32 *b, g_i32 n)
{
    g_i32 i = (g_i32)GND_GID(0);
    if (i < n)
        b[i] += SCALE * a[i];
}
GND_KERNEL void move(GND_GLOBAL g_i64 *out, GND_GLOBAL g_i64 *x, g_i32 n)
{
    g_i32 i = (g_i32)GND_GID(0);
    if (i < n)
        out[i] = 3 * x[i] + 1;
}
'''
SUM = '''
__kernel void total(__global const float *x, __global float *y, __local float *part)
{
    int l = get_local_id(0);
    part[l] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        float s = 0;
        for (int i = 0; i < (int)get_local_size(0); i++) s += part[i];
        y[get_group_id(0)] = s;
    }
}
'''
TWICE = '''
__kernel void twice(__global float *a)
{
    int i = get_local_id(0) + get_local_id(1) * 4;
    a[i] *= 2;
}
'''


def test_raw():
    module = gnd.RawModule(code=ADD, options=('-DSCALE=2', '-std=c++11'))
    add = module.get_function('add')
    a, b = gnd.arange(10.).astype('float32'), gnd.ones(10, dtype='float32')
    old = b + 0
    seen = b[2:]
    add((1,), (16,), (a, b, 10))
    t.is_(b, (1 + 2 * np.arange(10)).astype('f4'), 'a launch changes its array')
    t.is_(seen, (1 + 2 * np.arange(2, 10)).astype('f4'), 'a view sees it')
    t.is_(old, np.ones(10, 'f4'), 'what was computed before keeps its elements')
    v = gnd.zeros((10, 3), dtype='float32')
    add((1,), (16,), (a, v[:, 1], np.int32(10)))
    want = np.zeros((10, 3), 'f4')
    want[:, 1] = 2 * np.arange(10)
    t.is_(v, want, 'writing through a view')
    for _ in range(50):
        add(1, 16, (a, b, 10))
    t.is_(b, (1 + 102 * np.arange(10)).astype('f4'), '50 launches on one array')
    move = module.get_function('move')
    x = gnd.arange(6)
    move((1,), (8,), (x, x, 6))
    t.is_(x, 3 * np.arange(6) + 1, 'an array given twice is one memory')
    one = gnd.RawKernel(SUM, 'total')
    y = gnd.zeros(2, dtype='float32')
    one((2,), (8,), (gnd.arange(16.).astype('float32'), y), shared_mem=32)
    t.is_(y, np.array([28, 92], 'f4'), 'shared_mem')
    t.ok(module.names == ['add', 'move'] and one.max_threads_per_block >= 1 and one.name == 'total' and
         set(one.attributes) == {'num_regs', 'local_size_bytes', 'shared_size_bytes', 'max_threads_per_block'} and
         one.parameters[2][2] == 'shared' and one.parameters[0][2:] == ('in', np.dtype('f4'), 1), 'what a kernel takes')
    t.ok(gnd.fuse(test_raw) is test_raw and gnd.fuse(kernel_name='f')(test_raw) is test_raw, 'fuse')


def test_refused():
    add = gnd.RawModule(code=ADD, options='-D SCALE=1').get_function('add')
    a, d = gnd.ones(4, dtype='float32'), gnd.ones(4)
    t.raises(TypeError, lambda: add((1,), (4,), (a, d, 4)), 'another dtype', 'cannot point to float64')
    t.raises(TypeError, lambda: add((1,), (4,), (a, a, 'x')), 'no number', 'argument 2, g_i32 n')
    t.raises(ValueError, lambda: add((1,), (4,), (a, 3., 4)), 'a number for a pointer', 'takes an array')
    t.raises(ValueError, lambda: add((1,), (4,), (a, a)), 'too few arguments', 'takes 3 arguments, 2 given')
    t.raises(ValueError, lambda: add((0,), (4,), (a, a, 4)), 'an empty grid', 'grid')
    t.raises(ValueError, lambda: add((1, 1, 1, 1), (4,), (a, a, 4)), 'a grid of four axes', 'one to three')
    t.raises(AttributeError, lambda: gnd.RawModule(code=ADD, options='-DSCALE=1').get_function('ad'),
             'an unknown name', "did you mean 'add'")
    t.raises(RuntimeError, lambda: gnd.RawModule(code='__kernel void f(__global float *x) { y = 1; }').compile(),
             'a mistake in the source', 'source:1:')
    t.raises(ValueError, lambda: gnd.RawModule(code=ADD, options=('-Wall',)), 'an unknown option', '-Wall')
    t.raises(ValueError, lambda: gnd.RawModule(code=ADD, language='basic'), 'an unknown language', 'basic')
    t.raises(TypeError, lambda: gnd.RawModule(), 'no source')


def test_pycuda():
    from gnd import driver as drv
    from gnd.compiler import SourceModule
    twice = SourceModule(TWICE).get_function('twice')
    x = np.random.default_rng(1).random((4, 4)).astype('f4')
    a = gnd.asarray(x)
    twice(a, block=(4, 4, 1), grid=(1, 1))
    t.is_(a, 2 * x, 'an array of gnd\'s')
    y, z = x.copy(), x.copy()
    twice(drv.InOut(y), block=(4, 4, 1))
    t.ok(np.array_equal(y, 2 * x), 'InOut')
    twice(drv.In(z), block=(4, 4, 1))
    t.ok(np.array_equal(z, x), 'In leaves the array')
    m = drv.mem_alloc(x.nbytes)
    drv.memcpy_htod(m, x)
    twice(m, block=(4, 4, 1))
    drv.memcpy_dtoh(y, m)
    t.ok(np.array_equal(y, 2 * x) and np.array_equal(drv.from_device(m, (4, 4), np.float32), y), 'mem_alloc')
    t.raises(TypeError, lambda: twice(x, block=(4, 4, 1)), 'an array of NumPy\'s alone', 'driver.In')
    t.raises(ValueError, lambda: twice(a), 'no block', 'block')
    t.raises(ValueError, lambda: drv.memcpy_htod(drv.mem_alloc(4), x), 'too little memory', '64 bytes')


def test_lazy():
    code = 'import sys, gnd; assert "gnd.kernels" not in sys.modules; gnd.RawKernel; import gnd.kernels as k; ' \
           'assert gnd.kernels is k'
    t.ok(subprocess.run([sys.executable, '-c', code], env=os.environ).returncode == 0, 'loaded when it is used')


t.run([test_raw, test_refused, test_pycuda, test_lazy])
