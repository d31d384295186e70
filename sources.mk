# SPDX-License-Identifier: BSD-3-Clause
# Made by build-aux/sources from the files of the tree; ./bootstrap makes it again.

public_headers = \
    include/gnd/array.h \
    include/gnd/backend.h \
    include/gnd/create.h \
    include/gnd/device.h \
    include/gnd/eval.h \
    include/gnd/io.h \
    include/gnd/linalg.h \
    include/gnd/reduce.h \
    include/gnd/types.h \
    include/gnd/view.h

lib_files = \
    lib/backend/call.c \
    lib/backend/gate.c \
    lib/backend/gate.h \
    lib/backend/priv.h \
    lib/base/dtype.c \
    lib/base/dtype.h \
    lib/base/env.c \
    lib/base/env.h \
    lib/base/err.c \
    lib/base/err.h \
    lib/base/half.c \
    lib/base/hash.c \
    lib/base/hash.h \
    lib/base/log.c \
    lib/base/log.h \
    lib/base/map.c \
    lib/base/map.h \
    lib/base/mem.c \
    lib/base/mem.h \
    lib/base/shape.c \
    lib/base/shape.h \
    lib/base/strbuf.c \
    lib/base/strbuf.h \
    lib/graph/graph.h \
    lib/graph/opset.def \
    lib/graph/opset.h

kernel_files =

common_files = \
    backends/common/gemm.c \
    backends/common/gemm.h \
    backends/common/openblas.c \
    backends/common/plug.c \
    backends/common/plug.h

opencl_files =

opencl_plugin =

cuda_files =

cuda_plugin =

tool_files =

tool_program =

generated_headers =

man_pages =

test_programs =

test_plugins =

test_helpers = \
    tests/tap.c \
    tests/tap.h

test_scripts =

plain_programs =

cairo_programs =

other_files = \
    tests/tap.c \
    tests/tap.h \
    tools/embed.awk

