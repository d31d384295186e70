# SPDX-License-Identifier: BSD-3-Clause
# Made by build-aux/sources from the files of the tree; ./bootstrap makes it again.

public_headers = \
    include/gnd/array.h \
    include/gnd/backend.h \
    include/gnd/create.h \
    include/gnd/decompose.h \
    include/gnd/device.h \
    include/gnd/dlpack.h \
    include/gnd/eval.h \
    include/gnd/fft.h \
    include/gnd/image.h \
    include/gnd/index.h \
    include/gnd/info.h \
    include/gnd/io.h \
    include/gnd/linalg.h \
    include/gnd/loop.h \
    include/gnd/manip.h \
    include/gnd/quantile.h \
    include/gnd/random.h \
    include/gnd/record.h \
    include/gnd/reduce.h \
    include/gnd/scan.h \
    include/gnd/search.h \
    include/gnd/set.h \
    include/gnd/signal.h \
    include/gnd/sort.h \
    include/gnd/special.h \
    include/gnd/stat.h \
    include/gnd/tune.h \
    include/gnd/types.h \
    include/gnd/view.h

lib_files = \
    lib/api/array.c \
    lib/api/bits.c \
    lib/api/compact.c \
    lib/api/convolve.c \
    lib/api/convolve.h \
    lib/api/convolve_ways.c \
    lib/api/create.c \
    lib/api/dct.c \
    lib/api/decompose.c \
    lib/api/device.c \
    lib/api/devlist.c \
    lib/api/dlpack.c \
    lib/api/einsum.c \
    lib/api/einsum.h \
    lib/api/einsum_parse.c \
    lib/api/einsum_path.c \
    lib/api/elementwise.c \
    lib/api/eval.c \
    lib/api/expm.c \
    lib/api/expr.c \
    lib/api/fancy.c \
    lib/api/fft.c \
    lib/api/fft_rows.c \
    lib/api/fft_rows.h \
    lib/api/hist.c \
    lib/api/host.h \
    lib/api/image.c \
    lib/api/index.c \
    lib/api/index.h \
    lib/api/indices.c \
    lib/api/info.c \
    lib/api/inscope.h \
    lib/api/insert.c \
    lib/api/io.c \
    lib/api/item.c \
    lib/api/join.c \
    lib/api/linalg.c \
    lib/api/logspace.c \
    lib/api/loop.c \
    lib/api/loop.h \
    lib/api/manip.c \
    lib/api/matrices.c \
    lib/api/matrices.h \
    lib/api/move.c \
    lib/api/norms.c \
    lib/api/pad.c \
    lib/api/place.h \
    lib/api/print.c \
    lib/api/products.c \
    lib/api/put.c \
    lib/api/quantile.c \
    lib/api/random.c \
    lib/api/random.h \
    lib/api/random_int.c \
    lib/api/random_rows.c \
    lib/api/range.c \
    lib/api/record.c \
    lib/api/record.h \
    lib/api/reduce.c \
    lib/api/repeat.c \
    lib/api/scan.c \
    lib/api/search.c \
    lib/api/set.c \
    lib/api/sort.c \
    lib/api/special.c \
    lib/api/split.c \
    lib/api/stack.c \
    lib/api/stat.c \
    lib/api/stat_close.c \
    lib/api/stat_diff.c \
    lib/api/stat_exp.c \
    lib/api/stat_nan.c \
    lib/api/stat_poly.c \
    lib/api/steps.c \
    lib/api/steps.h \
    lib/api/systems.c \
    lib/api/temps.h \
    lib/api/tune.c \
    lib/api/update.c \
    lib/api/update.h \
    lib/api/update_at.c \
    lib/api/update_place.c \
    lib/api/version.c \
    lib/api/view.c \
    lib/api/views.h \
    lib/backend/call.c \
    lib/backend/compiling.c \
    lib/backend/disk.c \
    lib/backend/disk.h \
    lib/backend/evict.c \
    lib/backend/gate.c \
    lib/backend/gate.h \
    lib/backend/null.c \
    lib/backend/null.h \
    lib/backend/null_list.c \
    lib/backend/null_log.c \
    lib/backend/null_priv.h \
    lib/backend/open.c \
    lib/backend/pool.c \
    lib/backend/pool.h \
    lib/backend/pool_small.c \
    lib/backend/priv.h \
    lib/backend/progcache.c \
    lib/backend/trace.c \
    lib/backend/trace.h \
    lib/backend/tunefile.c \
    lib/base/cmplx.h \
    lib/base/dtype.c \
    lib/base/dtype.h \
    lib/base/env.c \
    lib/base/env.h \
    lib/base/err.c \
    lib/base/err.h \
    lib/base/fork.c \
    lib/base/fork.h \
    lib/base/grave.c \
    lib/base/grave.h \
    lib/base/half.c \
    lib/base/hash.c \
    lib/base/hash.h \
    lib/base/log.c \
    lib/base/log.h \
    lib/base/mem.c \
    lib/base/mem.h \
    lib/base/message.c \
    lib/base/places.c \
    lib/base/places.h \
    lib/base/shape.c \
    lib/base/shape.h \
    lib/base/spin.h \
    lib/base/strbuf.c \
    lib/base/strbuf.h \
    lib/base/table.c \
    lib/base/table.h \
    lib/base/tune.c \
    lib/base/tune.def \
    lib/base/tune.h \
    lib/base/words.c \
    lib/base/words.h \
    lib/codegen/acc_tree.c \
    lib/codegen/accum.c \
    lib/codegen/codegen.c \
    lib/codegen/codegen.h \
    lib/codegen/emit.c \
    lib/codegen/emit.h \
    lib/codegen/inline.c \
    lib/codegen/map.c \
    lib/codegen/map_boxes.c \
    lib/codegen/map_cpu.c \
    lib/codegen/map_random.c \
    lib/codegen/map_tile.c \
    lib/codegen/merge.c \
    lib/codegen/merge.h \
    lib/codegen/prelude.c \
    lib/codegen/prelude.h \
    lib/codegen/reduce_cpu.c \
    lib/codegen/reduce_gpu.c \
    lib/codegen/reduce_tile.c \
    lib/codegen/rows.h \
    lib/codegen/rows_cpu.c \
    lib/codegen/rows_gpu.c \
    lib/codegen/template.c \
    lib/codegen/words.c \
    lib/expr/args.c \
    lib/expr/call.c \
    lib/expr/call.h \
    lib/expr/error.c \
    lib/expr/expr.h \
    lib/expr/fn_choose.c \
    lib/expr/fn_create.c \
    lib/expr/fn_decompose.c \
    lib/expr/fn_edit.c \
    lib/expr/fn_elem.c \
    lib/expr/fn_fft.c \
    lib/expr/fn_image.c \
    lib/expr/fn_index.c \
    lib/expr/fn_info.c \
    lib/expr/fn_join.c \
    lib/expr/fn_linalg.c \
    lib/expr/fn_manip.c \
    lib/expr/fn_pad.c \
    lib/expr/fn_quantile.c \
    lib/expr/fn_random.c \
    lib/expr/fn_reduce.c \
    lib/expr/fn_scan.c \
    lib/expr/fn_search.c \
    lib/expr/fn_set.c \
    lib/expr/fn_signal.c \
    lib/expr/fn_sort.c \
    lib/expr/fn_special.c \
    lib/expr/fn_stat.c \
    lib/expr/fn_ufunc.c \
    lib/expr/fn_view.c \
    lib/expr/funcs.def \
    lib/expr/index.c \
    lib/expr/lex.c \
    lib/expr/lookup.c \
    lib/expr/names.c \
    lib/expr/number.c \
    lib/expr/ops.c \
    lib/expr/parse.c \
    lib/expr/run.c \
    lib/expr/value.c \
    lib/expr/value.h \
    lib/fuse/boxes.c \
    lib/fuse/collect.c \
    lib/fuse/fuse.h \
    lib/fuse/group.c \
    lib/fuse/kir.c \
    lib/fuse/kir.h \
    lib/fuse/lower.c \
    lib/fuse/lower.h \
    lib/fuse/lower_value.c \
    lib/fuse/place.c \
    lib/fuse/product.c \
    lib/fuse/roles.c \
    lib/fuse/rows.c \
    lib/graph/boxes.c \
    lib/graph/cells.c \
    lib/graph/cells.h \
    lib/graph/check.c \
    lib/graph/check.h \
    lib/graph/fnset.def \
    lib/graph/fold.c \
    lib/graph/fold.h \
    lib/graph/fold_complex.c \
    lib/graph/fold_special.c \
    lib/graph/graph.h \
    lib/graph/infer.c \
    lib/graph/label.c \
    lib/graph/label.h \
    lib/graph/node.c \
    lib/graph/opset.c \
    lib/graph/opset.def \
    lib/graph/opset.h \
    lib/graph/scope.c \
    lib/graph/scope.h \
    lib/graph/view.c \
    lib/io/digits.c \
    lib/io/digits.h \
    lib/io/file.c \
    lib/io/file.h \
    lib/io/format.c \
    lib/io/format.h \
    lib/io/npy.c \
    lib/io/npy.h \
    lib/io/npy_head.c \
    lib/io/npz.c \
    lib/io/npz.h \
    lib/io/png.c \
    lib/io/png.h \
    lib/io/text.c \
    lib/io/text.h \
    lib/io/text_format.c \
    lib/prim/accumulate.c \
    lib/prim/accumulate.h \
    lib/prim/accumulate_floats.c \
    lib/prim/accumulate_priv.h \
    lib/prim/blocked.c \
    lib/prim/blocked.h \
    lib/prim/compact.c \
    lib/prim/compact.h \
    lib/prim/fft.c \
    lib/prim/fft.h \
    lib/prim/finite.c \
    lib/prim/gemm.c \
    lib/prim/gemm.h \
    lib/prim/horner.c \
    lib/prim/horner.h \
    lib/prim/lapack.c \
    lib/prim/lapack.h \
    lib/prim/panel.c \
    lib/prim/panel.h \
    lib/prim/prim.h \
    lib/prim/prims.def \
    lib/prim/prog.c \
    lib/prim/qr_batch.c \
    lib/prim/qr_batch.h \
    lib/prim/rows.c \
    lib/prim/rows.h \
    lib/prim/scan.c \
    lib/prim/scan.h \
    lib/prim/scatter.c \
    lib/prim/scatter.h \
    lib/prim/search.c \
    lib/prim/search.h \
    lib/prim/solve.c \
    lib/prim/solve.h \
    lib/prim/solve_mem.c \
    lib/prim/sort.c \
    lib/prim/sort.h \
    lib/prim/sort_long.c \
    lib/prim/sort_priv.h \
    lib/prim/sort_rows.c \
    lib/prim/tally.c \
    lib/sched/bind.c \
    lib/sched/check.c \
    lib/sched/check.h \
    lib/sched/device.h \
    lib/sched/exec.c \
    lib/sched/explain.c \
    lib/sched/keep.c \
    lib/sched/maker.h \
    lib/sched/merge.c \
    lib/sched/merge.h \
    lib/sched/plan.c \
    lib/sched/plan.h \
    lib/sched/plan_prim.c \
    lib/sched/plan_steps.c \
    lib/sched/product.c \
    lib/sched/record.c \
    lib/sched/record.h \
    lib/sched/record_priv.h \
    lib/sched/repeat.c \
    lib/sched/replay.c

kernel_files = \
    kernels/accumulate.cl \
    kernels/cdouble.cl \
    kernels/cexp.cl \
    kernels/cinverse.cl \
    kernels/compact.cl \
    kernels/complex.cl \
    kernels/core.cl \
    kernels/ctrig.cl \
    kernels/deal.cl \
    kernels/dinverse.cl \
    kernels/double.cl \
    kernels/elementary.cl \
    kernels/fft.cl \
    kernels/half.cl \
    kernels/horner.cl \
    kernels/index.cl \
    kernels/int.cl \
    kernels/matmul.cl \
    kernels/qr.cl \
    kernels/random.cl \
    kernels/real.cl \
    kernels/scan.cl \
    kernels/scan_line.cl \
    kernels/search.cl \
    kernels/solve.cl \
    kernels/sort.cl \
    kernels/sort_long.cl \
    kernels/sort_move.cl \
    kernels/sort_rows.cl \
    kernels/special.cl \
    kernels/tally.cl \
    kernels/variates.cl

common_files = \
    backends/common/binary.c \
    backends/common/entry.c \
    backends/common/gemm.c \
    backends/common/gemm.h \
    backends/common/openblas.c \
    backends/common/plug.c \
    backends/common/plug.h \
    backends/common/team.c \
    backends/common/team.h

opencl_files = \
    backends/opencl/blas.c \
    backends/opencl/blas.h \
    backends/opencl/clblast.c \
    backends/opencl/device.c \
    backends/opencl/entry.c \
    backends/opencl/error.c \
    backends/opencl/memory.c \
    backends/opencl/ocl.h \
    backends/opencl/program.c \
    backends/opencl/queue.c \
    backends/opencl/replay.c \
    backends/opencl/stage.c

opencl_plugin = \
    backends/opencl/gnd-opencl.la

cuda_files = \
    backends/cuda/blas.c \
    backends/cuda/compile.c \
    backends/cuda/cu.h \
    backends/cuda/cubin.c \
    backends/cuda/device.c \
    backends/cuda/entry.c \
    backends/cuda/error.c \
    backends/cuda/fft.c \
    backends/cuda/load.c \
    backends/cuda/memory.c \
    backends/cuda/program.c \
    backends/cuda/queue.c \
    backends/cuda/replay.c \
    backends/cuda/solver.c \
    backends/cuda/solver.h \
    backends/cuda/solver_batch.c \
    backends/cuda/solver_dense.c \
    backends/cuda/solver_polar.c \
    backends/cuda/solver_svd.c

cuda_plugin = \
    backends/cuda/gnd-cuda.la

tool_files = \
    tools/bench.c \
    tools/bench.h \
    tools/bench_growth.c \
    tools/bench_replay.c \
    tools/bench_rng.c \
    tools/bench_rows.c \
    tools/bench_science.c \
    tools/bench_time.c \
    tools/bench_transfers.c \
    tools/devices.c \
    tools/devices_json.c \
    tools/eval.c \
    tools/gnd.c \
    tools/gnd.h \
    tools/input.c \
    tools/message.c \
    tools/progress.c \
    tools/tune.c

tool_program = \
    tools/gnd

generated_headers = \
    include/gnd/elementwise.h \
    include/gnd/where.h \
    include/gnd/functions.hpp

man_pages = \
    doc/gnd.1

test_programs = \
    tests/compiled_once \
    tests/conform_cuda \
    tests/conform_opencl \
    tests/diff_driver \
    tests/fault_all \
    tests/fault_fork \
    tests/fault_solve \
    tests/fault_sticky \
    tests/fft_lengths \
    tests/fft_rows \
    tests/fuse_boxes \
    tests/fuse_kept \
    tests/fuse_plan \
    tests/fuse_reduce \
    tests/fuse_rows \
    tests/kernels_double \
    tests/kernels_elementary \
    tests/kernels_half \
    tests/kernels_int \
    tests/kernels_math \
    tests/kernels_nvrtc \
    tests/kernels_prelude \
    tests/memory_pool \
    tests/null_cache \
    tests/null_chains \
    tests/null_compiling \
    tests/null_errors \
    tests/null_expr \
    tests/null_faults \
    tests/null_fork \
    tests/null_gate \
    tests/null_graph \
    tests/null_index \
    tests/null_info \
    tests/null_labels \
    tests/null_limits \
    tests/null_manip \
    tests/null_message \
    tests/null_owners \
    tests/null_programs \
    tests/null_random \
    tests/null_repeat \
    tests/null_scan \
    tests/null_search \
    tests/null_sort \
    tests/null_special \
    tests/null_stat \
    tests/null_views \
    tests/nvrtc_suite \
    tests/ops_accumulate \
    tests/ops_blocked \
    tests/ops_chains \
    tests/ops_convolve \
    tests/ops_cov \
    tests/ops_create \
    tests/ops_dct \
    tests/ops_deal \
    tests/ops_distributions \
    tests/ops_dlpack \
    tests/ops_edit \
    tests/ops_einsum \
    tests/ops_elementwise \
    tests/ops_feed \
    tests/ops_fft \
    tests/ops_image \
    tests/ops_index \
    tests/ops_large \
    tests/ops_linalg \
    tests/ops_loops \
    tests/ops_manip \
    tests/ops_matmul \
    tests/ops_merge \
    tests/ops_moves \
    tests/ops_nonfinite \
    tests/ops_numbers \
    tests/ops_pad \
    tests/ops_poly \
    tests/ops_prim \
    tests/ops_products \
    tests/ops_quantile \
    tests/ops_random \
    tests/ops_record \
    tests/ops_reduce \
    tests/ops_runs \
    tests/ops_scan \
    tests/ops_search \
    tests/ops_set \
    tests/ops_solve \
    tests/ops_sort \
    tests/ops_special \
    tests/ops_stat \
    tests/ops_threads \
    tests/ops_transpose \
    tests/ops_views \
    tests/plug \
    tests/unit_base \
    tests/unit_dtype \
    tests/unit_file \
    tests/unit_fold \
    tests/unit_npy \
    tests/unit_npz \
    tests/unit_png \
    tests/unit_text \
    tests/version

test_plugins =

test_helpers = \
    tests/calls.h \
    tests/calls_check.h \
    tests/conform.c \
    tests/conform.h \
    tests/conform_fault.h \
    tests/conform_gemm.h \
    tests/conform_memory.h \
    tests/conform_program.h \
    tests/conform_replay.h \
    tests/expect.c \
    tests/expect.h \
    tests/exprdump.c \
    tests/exprdump.h \
    tests/failing.c \
    tests/failing.h \
    tests/kernelrun.c \
    tests/kernelrun.h \
    tests/matcheck.c \
    tests/matcheck.h \
    tests/mathref.c \
    tests/mathref.h \
    tests/mathspec.c \
    tests/mathspec.h \
    tests/mats.c \
    tests/mats.h \
    tests/moved.c \
    tests/moved.h \
    tests/nodeval.c \
    tests/nodeval.h \
    tests/nvrtcrun.c \
    tests/nvrtcrun.h \
    tests/ref.c \
    tests/ref.h \
    tests/tap.c \
    tests/tap.h

test_scripts = \
    tests/bench.sh \
    tests/calls.sh \
    tests/cli.sh \
    tests/cuda_fake.sh \
    tests/diff_boxes.py \
    tests/diff_forms.py \
    tests/diff_index.py \
    tests/diff_numpy.py \
    tests/dlpack_numpy.py \
    tests/docs.sh \
    tests/examples.sh \
    tests/exports.sh \
    tests/fuzz.sh \
    tests/guides.sh \
    tests/hdr.sh \
    tests/hpp.sh \
    tests/imports.sh \
    tests/install.sh \
    tests/intel.sh \
    tests/limit.sh \
    tests/oclgrind.sh \
    tests/opencl_icd.sh \
    tests/pocl_build.sh \
    tests/programs.py \
    tests/rusticl.sh \
    tests/standard.sh \
    tests/style.sh \
    tests/trace.sh \
    tests/tune.sh

fuzz_programs = \
    fuzz/cache \
    fuzz/dlpack \
    fuzz/expr \
    fuzz/npy \
    fuzz/npz \
    fuzz/tune

plain_programs = \
    bench/first_calls \
    bench/first_result \
    bench/pocl_vs_c \
    bench/pocl_vs_lapack \
    bench/programs_c \
    examples/barrier \
    examples/cg \
    examples/fusion \
    examples/heat \
    examples/hello \
    examples/image \
    examples/kmeans \
    examples/mandelbrot \
    examples/pagerank \
    examples/pca \
    examples/rungekutta \
    examples/wave

cairo_programs = \
    examples/co2

other_files = \
    README.md \
    bench/first_calls.c \
    bench/first_result.c \
    bench/lagging.txt \
    bench/ledger.py \
    bench/numpy_rows.py \
    bench/pocl_vs_c.c \
    bench/pocl_vs_lapack.c \
    bench/programs_c.c \
    bench/results/2026-11-21-h200-b/README.md \
    bench/results/2026-11-21-h200-b/cuda.jsonl \
    bench/results/2026-11-21-h200-b/opencl-nvidia.jsonl \
    bench/results/2026-11-21-h200-b/rows-cuda-order.txt \
    bench/results/2026-11-21-h200-b/rows-cuda.txt \
    bench/results/2026-11-21-h200-b/rows-opencl-order.txt \
    bench/results/2026-11-21-h200-b/rows-opencl.txt \
    bench/results/2026-11-21-h200-b/sanitizer.txt \
    bench/results/2026-11-21-h200-b/tests.txt \
    bench/results/2026-11-21-h200/README.md \
    bench/results/2026-11-21-h200/cublaslt.txt \
    bench/results/2026-11-21-h200/cuda.jsonl \
    bench/results/2026-11-21-h200/differential.txt \
    bench/results/2026-11-21-h200/machine.txt \
    bench/results/2026-11-21-h200/opencl-nvidia.jsonl \
    bench/results/2026-11-21-h200/rows-cuda.txt \
    bench/results/2026-11-21-h200/rows-opencl.txt \
    bench/results/2026-11-21-h200/sanitizer.txt \
    bench/results/2026-11-21-h200/small-cuda.jsonl \
    bench/results/2026-11-21-h200/suite.txt \
    bench/results/2026-11-22-h200-b/README.md \
    bench/results/2026-11-22-h200-b/cuda12.txt \
    bench/results/2026-11-22-h200-b/hash.txt \
    bench/results/2026-11-22-h200-b/suite.txt \
    bench/results/2026-11-22-h200-b/two-gpus.txt \
    bench/results/2026-11-22-h200-c/README.md \
    bench/results/2026-11-22-h200-c/cuda.jsonl \
    bench/results/2026-11-22-h200-c/opencl-nvidia.jsonl \
    bench/results/2026-11-22-h200-c/peers.jsonl \
    bench/results/2026-11-22-h200-c/rows-cuda.txt \
    bench/results/2026-11-22-h200-c/rows-opencl.txt \
    bench/results/2026-11-22-h200-c/tests.txt \
    bench/results/2026-11-22-h200-d/README.md \
    bench/results/2026-11-22-h200-d/choices.txt \
    bench/results/2026-11-22-h200-d/cuda.jsonl \
    bench/results/2026-11-22-h200-d/lengths.txt \
    bench/results/2026-11-22-h200-d/opencl-nvidia.jsonl \
    bench/results/2026-11-22-h200-d/peers.jsonl \
    bench/results/2026-11-22-h200-d/suite.txt \
    bench/results/2026-11-22-h200-e/README.md \
    bench/results/2026-11-22-h200-e/choices.txt \
    bench/results/2026-11-22-h200-e/growth.jsonl \
    bench/results/2026-11-22-h200-e/nvrtc-12.1.txt \
    bench/results/2026-11-22-h200-e/suite.txt \
    bench/results/2026-11-22-h200-e/tune.txt \
    bench/results/2026-11-22-h200-f/README.md \
    bench/results/2026-11-22-h200-f/cuda.jsonl \
    bench/results/2026-11-22-h200-f/growth.jsonl \
    bench/results/2026-11-22-h200-f/opencl-nvidia.jsonl \
    bench/results/2026-11-22-h200-f/peers.jsonl \
    bench/results/2026-11-22-h200-f/tests.txt \
    bench/results/2026-11-22-h200-functions/README.md \
    bench/results/2026-11-22-h200-functions/functions.txt \
    bench/results/2026-11-22-h200-g/README.md \
    bench/results/2026-11-22-h200-g/cuda.jsonl \
    bench/results/2026-11-22-h200-g/growth.jsonl \
    bench/results/2026-11-22-h200-g/opencl-nvidia.jsonl \
    bench/results/2026-11-22-h200-g/peers.jsonl \
    bench/results/2026-11-22-h200-g/skips.txt \
    bench/results/2026-11-22-h200-g/suite.txt \
    bench/results/2026-11-22-h200-growth/README.md \
    bench/results/2026-11-22-h200-growth/growth.jsonl \
    bench/results/2026-11-22-h200-growth/opencl.txt \
    bench/results/2026-11-22-h200/README.md \
    bench/results/2026-11-22-h200/cuda.jsonl \
    bench/results/2026-11-22-h200/differential.txt \
    bench/results/2026-11-22-h200/elementary.txt \
    bench/results/2026-11-22-h200/first-result.txt \
    bench/results/2026-11-22-h200/large.txt \
    bench/results/2026-11-22-h200/opencl-nvidia.jsonl \
    bench/results/2026-11-22-h200/peers.jsonl \
    bench/results/2026-11-22-h200/products.txt \
    bench/results/2026-11-22-h200/rows-cuda.txt \
    bench/results/2026-11-22-h200/rows-opencl.txt \
    bench/results/2026-11-22-h200/sanitizer.txt \
    bench/results/2026-11-22-h200/tests.txt \
    bench/results/2026-11-22-pocl-b/README.md \
    bench/results/2026-11-22-pocl-b/growth.jsonl \
    bench/results/2026-11-22-pocl-b/memory.jsonl \
    bench/results/2026-11-22-pocl-b/rows.jsonl \
    bench/results/2026-11-22-pocl-c/README.md \
    bench/results/2026-11-22-pocl-c/first-calls.txt \
    bench/results/2026-11-22-pocl-c/ratios.txt \
    bench/results/2026-11-22-pocl-c/rows.jsonl \
    bench/results/2026-11-22-pocl-c/rows.txt \
    bench/results/2026-11-22-pocl-d/README.md \
    bench/results/2026-11-22-pocl-d/growth.jsonl \
    bench/results/2026-11-22-pocl-d/rest.jsonl \
    bench/results/2026-11-22-pocl-d/rows.jsonl \
    bench/results/2026-11-22-pocl-e/README.md \
    bench/results/2026-11-22-pocl-e/first-calls.txt \
    bench/results/2026-11-22-pocl-e/ratios.txt \
    bench/results/2026-11-22-pocl-e/rows.jsonl \
    bench/results/2026-11-22-pocl-f/README.md \
    bench/results/2026-11-22-pocl-f/first-calls.txt \
    bench/results/2026-11-22-pocl-f/ratios.txt \
    bench/results/2026-11-22-pocl-f/rows.jsonl \
    bench/results/2026-11-22-pocl/README.md \
    bench/results/2026-11-22-pocl/differential.txt \
    bench/results/2026-11-22-pocl/elementary.txt \
    bench/results/2026-11-22-pocl/rows.jsonl \
    bench/results/2026-11-22-pocl/rows.txt \
    bench/results/2026-11-23-h200-a/README.md \
    bench/results/2026-11-23-h200-a/cuda.jsonl \
    bench/results/2026-11-23-h200-a/suite.txt \
    bench/results/2026-11-23-intel/README.md \
    bench/results/2026-11-23-intel/intel-cpu.jsonl \
    bench/results/2026-11-23-intel/intel-gpu.jsonl \
    bench/results/2026-11-23-intel/pocl.jsonl \
    doc/API.md \
    doc/ARCHITECTURE.md \
    doc/ARRAY_API.md \
    doc/BACKENDS.md \
    doc/CONVENTIONS.md \
    doc/ENVIRONMENT.md \
    doc/ERRORS.md \
    doc/KERNELS.md \
    doc/LOOPS.md \
    doc/NUMPY.md \
    doc/PERFORMANCE.md \
    doc/RANDOM.md \
    doc/SEMANTICS.md \
    doc/TESTING.md \
    doc/co2.png \
    examples/barrier.c \
    examples/cg.c \
    examples/co2.c \
    examples/csv.c \
    examples/csv.h \
    examples/data/README \
    examples/data/co2.csv \
    examples/fusion.c \
    examples/heat.c \
    examples/hello.c \
    examples/image.c \
    examples/kmeans.c \
    examples/logistic.cc \
    examples/mandelbrot.c \
    examples/nbody.cc \
    examples/pagerank.c \
    examples/pca.c \
    examples/plot.c \
    examples/plot.h \
    examples/rungekutta.c \
    examples/share.h \
    examples/wave.c \
    fuzz/cache.c \
    fuzz/corpus/cache/changed \
    fuzz/corpus/cache/cut \
    fuzz/corpus/cache/file \
    fuzz/corpus/cache/nothing \
    fuzz/corpus/cache/whole \
    fuzz/corpus/dlpack/broadcast_c128 \
    fuzz/corpus/dlpack/empty \
    fuzz/corpus/dlpack/f32 \
    fuzz/corpus/dlpack/legacy_i64_order \
    fuzz/corpus/dlpack/negative_bool \
    fuzz/corpus/dlpack/overflow \
    fuzz/corpus/dlpack/scalar \
    fuzz/corpus/dlpack/stride_overflow \
    fuzz/corpus/expr.txt \
    fuzz/corpus/npy/bf16 \
    fuzz/corpus/npy/empty_v3 \
    fuzz/corpus/npy/f8 \
    fuzz/corpus/npy/huge \
    fuzz/corpus/npy/i4_big_fortran \
    fuzz/corpus/npy/record \
    fuzz/corpus/npy/scalar_v2 \
    fuzz/corpus/npy/short \
    fuzz/corpus/npz/deflated \
    fuzz/corpus/npz/f8 \
    fuzz/corpus/npz/huge \
    fuzz/corpus/npz/none \
    fuzz/corpus/npz/scalar_v2 \
    fuzz/corpus/npz/stored \
    fuzz/corpus/tune/cut \
    fuzz/corpus/tune/plain \
    fuzz/corpus/tune/range \
    fuzz/corpus/tune/unknown \
    fuzz/corpus/tune/version \
    fuzz/dict/npy \
    fuzz/dict/npz \
    fuzz/dlpack.c \
    fuzz/expr.c \
    fuzz/fuzz.h \
    fuzz/npy.c \
    fuzz/npz.c \
    fuzz/plain.c \
    fuzz/run.sh \
    fuzz/tune.c \
    kernels/accumulate.cl \
    kernels/cdouble.cl \
    kernels/cexp.cl \
    kernels/cinverse.cl \
    kernels/compact.cl \
    kernels/complex.cl \
    kernels/core.cl \
    kernels/ctrig.cl \
    kernels/deal.cl \
    kernels/dinverse.cl \
    kernels/double.cl \
    kernels/elementary.cl \
    kernels/fft.cl \
    kernels/half.cl \
    kernels/horner.cl \
    kernels/index.cl \
    kernels/int.cl \
    kernels/matmul.cl \
    kernels/qr.cl \
    kernels/random.cl \
    kernels/real.cl \
    kernels/scan.cl \
    kernels/scan_line.cl \
    kernels/search.cl \
    kernels/solve.cl \
    kernels/sort.cl \
    kernels/sort_long.cl \
    kernels/sort_move.cl \
    kernels/sort_rows.cl \
    kernels/special.cl \
    kernels/tally.cl \
    kernels/variates.cl \
    tests/bench.sh \
    tests/calls.awk \
    tests/calls.h \
    tests/calls.sh \
    tests/calls_check.h \
    tests/cli.sh \
    tests/compiled_once.c \
    tests/conform.c \
    tests/conform.h \
    tests/conform_cuda.c \
    tests/conform_fault.h \
    tests/conform_gemm.h \
    tests/conform_memory.h \
    tests/conform_opencl.c \
    tests/conform_program.h \
    tests/conform_replay.h \
    tests/cuda_fake.sh \
    tests/diff_boxes.py \
    tests/diff_driver.c \
    tests/diff_fft.py \
    tests/diff_fold.py \
    tests/diff_forms.py \
    tests/diff_gen.py \
    tests/diff_index.py \
    tests/diff_linalg.py \
    tests/diff_manip.py \
    tests/diff_model.py \
    tests/diff_numpy.py \
    tests/diff_products.py \
    tests/diff_scan.py \
    tests/diff_search.py \
    tests/diff_sets.py \
    tests/diff_sort.py \
    tests/diff_special.py \
    tests/diff_stat.py \
    tests/diff_take.py \
    tests/dlpack_numpy.py \
    tests/docs.sh \
    tests/examples.sh \
    tests/expect.c \
    tests/expect.h \
    tests/exports.sh \
    tests/exprdump.c \
    tests/exprdump.h \
    tests/exprs.txt \
    tests/failing.c \
    tests/failing.h \
    tests/fault_all.c \
    tests/fault_fork.c \
    tests/fault_solve.c \
    tests/fault_sticky.c \
    tests/fft_lengths.c \
    tests/fft_rows.c \
    tests/fuse_boxes.c \
    tests/fuse_kept.c \
    tests/fuse_plan.c \
    tests/fuse_reduce.c \
    tests/fuse_rows.c \
    tests/fuzz.sh \
    tests/guides.sh \
    tests/hdr.sh \
    tests/hpp.cc \
    tests/hpp.sh \
    tests/imports.sh \
    tests/install.sh \
    tests/intel.sh \
    tests/kernelrun.c \
    tests/kernelrun.h \
    tests/kernels_double.c \
    tests/kernels_elementary.c \
    tests/kernels_half.c \
    tests/kernels_int.c \
    tests/kernels_math.c \
    tests/kernels_nvrtc.c \
    tests/kernels_prelude.c \
    tests/limit.sh \
    tests/lsan.supp \
    tests/matcheck.c \
    tests/matcheck.h \
    tests/mathref.c \
    tests/mathref.h \
    tests/mathspec.c \
    tests/mathspec.h \
    tests/mats.c \
    tests/mats.h \
    tests/memory_pool.c \
    tests/moved.c \
    tests/moved.h \
    tests/nodeval.c \
    tests/nodeval.h \
    tests/null_cache.c \
    tests/null_chains.c \
    tests/null_compiling.c \
    tests/null_errors.c \
    tests/null_expr.c \
    tests/null_faults.c \
    tests/null_fork.c \
    tests/null_gate.c \
    tests/null_graph.c \
    tests/null_index.c \
    tests/null_info.c \
    tests/null_labels.c \
    tests/null_limits.c \
    tests/null_manip.c \
    tests/null_message.c \
    tests/null_owners.c \
    tests/null_programs.c \
    tests/null_random.c \
    tests/null_repeat.c \
    tests/null_scan.c \
    tests/null_search.c \
    tests/null_sort.c \
    tests/null_special.c \
    tests/null_stat.c \
    tests/null_views.c \
    tests/nvrtc_suite.c \
    tests/nvrtcrun.c \
    tests/nvrtcrun.h \
    tests/oclgrind.sh \
    tests/opencl_icd.sh \
    tests/ops_accumulate.c \
    tests/ops_blocked.c \
    tests/ops_chains.c \
    tests/ops_convolve.c \
    tests/ops_cov.c \
    tests/ops_create.c \
    tests/ops_dct.c \
    tests/ops_deal.c \
    tests/ops_distributions.c \
    tests/ops_dlpack.c \
    tests/ops_edit.c \
    tests/ops_einsum.c \
    tests/ops_elementwise.c \
    tests/ops_feed.c \
    tests/ops_fft.c \
    tests/ops_image.c \
    tests/ops_index.c \
    tests/ops_large.c \
    tests/ops_linalg.c \
    tests/ops_loops.c \
    tests/ops_manip.c \
    tests/ops_matmul.c \
    tests/ops_merge.c \
    tests/ops_moves.c \
    tests/ops_nonfinite.c \
    tests/ops_numbers.c \
    tests/ops_pad.c \
    tests/ops_poly.c \
    tests/ops_prim.c \
    tests/ops_products.c \
    tests/ops_quantile.c \
    tests/ops_random.c \
    tests/ops_record.c \
    tests/ops_reduce.c \
    tests/ops_runs.c \
    tests/ops_scan.c \
    tests/ops_search.c \
    tests/ops_set.c \
    tests/ops_solve.c \
    tests/ops_sort.c \
    tests/ops_special.c \
    tests/ops_stat.c \
    tests/ops_threads.c \
    tests/ops_transpose.c \
    tests/ops_views.c \
    tests/plug.c \
    tests/pocl_build.sh \
    tests/programs.py \
    tests/ref.c \
    tests/ref.h \
    tests/rusticl.sh \
    tests/standard.sh \
    tests/style.sh \
    tests/tap.c \
    tests/tap.h \
    tests/tap.sh \
    tests/trace.sh \
    tests/tune.sh \
    tests/unit_base.c \
    tests/unit_dtype.c \
    tests/unit_file.c \
    tests/unit_fold.c \
    tests/unit_npy.c \
    tests/unit_npz.c \
    tests/unit_png.c \
    tests/unit_text.c \
    tests/version.c \
    tools/bench.c \
    tools/bench.h \
    tools/bench_growth.c \
    tools/bench_replay.c \
    tools/bench_rng.c \
    tools/bench_rows.c \
    tools/bench_science.c \
    tools/bench_time.c \
    tools/bench_transfers.c \
    tools/devices.c \
    tools/devices_json.c \
    tools/embed.awk \
    tools/eval.c \
    tools/gen-cxx.awk \
    tools/gen-elementwise.awk \
    tools/gen-reference.awk \
    tools/gen-standard.awk \
    tools/gen-where.awk \
    tools/gnd.c \
    tools/gnd.h \
    tools/input.c \
    tools/message.c \
    tools/opset.awk \
    tools/progress.c \
    tools/special-coeffs.py \
    tools/standard.def \
    tools/tune.c

backends_opencl_gnd_opencl_la_SOURCES = $(opencl_files) $(common_files)
backends_opencl_gnd_opencl_la_CPPFLAGS = $(opencl_cppflags)
backends_opencl_gnd_opencl_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
backends_opencl_gnd_opencl_la_LDFLAGS = $(plugin_ldflags)
backends_opencl_gnd_opencl_la_LIBADD = $(opencl_libs)
backends_cuda_gnd_cuda_la_SOURCES = $(cuda_files) $(common_files)
backends_cuda_gnd_cuda_la_CPPFLAGS = $(cuda_cppflags)
backends_cuda_gnd_cuda_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
backends_cuda_gnd_cuda_la_LDFLAGS = $(plugin_ldflags)
backends_cuda_gnd_cuda_la_LIBADD = $(cuda_libs)
tools_gnd_SOURCES = $(tool_files)
tools_gnd_CPPFLAGS = $(tool_cppflags)
tools_gnd_LDADD = lib/libgnd.la
fuzz_cache_SOURCES = fuzz/cache.c fuzz/fuzz.h $(fuzz_main)
fuzz_cache_CPPFLAGS = $(fuzz_cppflags)
fuzz_cache_LDFLAGS = $(fuzz_ldflags)
fuzz_cache_LDADD = $(fuzz_libs)
fuzz_dlpack_SOURCES = fuzz/dlpack.c fuzz/fuzz.h $(fuzz_main)
fuzz_dlpack_CPPFLAGS = $(fuzz_cppflags)
fuzz_dlpack_LDFLAGS = $(fuzz_ldflags)
fuzz_dlpack_LDADD = $(fuzz_libs)
fuzz_expr_SOURCES = fuzz/expr.c fuzz/fuzz.h $(fuzz_main)
fuzz_expr_CPPFLAGS = $(fuzz_cppflags)
fuzz_expr_LDFLAGS = $(fuzz_ldflags)
fuzz_expr_LDADD = $(fuzz_libs)
fuzz_npy_SOURCES = fuzz/npy.c fuzz/fuzz.h $(fuzz_main)
fuzz_npy_CPPFLAGS = $(fuzz_cppflags)
fuzz_npy_LDFLAGS = $(fuzz_ldflags)
fuzz_npy_LDADD = $(fuzz_libs)
fuzz_npz_SOURCES = fuzz/npz.c fuzz/fuzz.h $(fuzz_main)
fuzz_npz_CPPFLAGS = $(fuzz_cppflags)
fuzz_npz_LDFLAGS = $(fuzz_ldflags)
fuzz_npz_LDADD = $(fuzz_libs)
fuzz_tune_SOURCES = fuzz/tune.c fuzz/fuzz.h $(fuzz_main)
fuzz_tune_CPPFLAGS = $(fuzz_cppflags)
fuzz_tune_LDFLAGS = $(fuzz_ldflags)
fuzz_tune_LDADD = $(fuzz_libs)
bench_first_calls_SOURCES = bench/first_calls.c
bench_first_calls_CPPFLAGS = $(public_cppflags)
bench_first_calls_CFLAGS = $(AM_CFLAGS) $(program_cflags)
bench_first_calls_LDADD = lib/libgnd.la $(program_libs)
bench_first_result_SOURCES = bench/first_result.c
bench_first_result_CPPFLAGS = $(public_cppflags)
bench_first_result_CFLAGS = $(AM_CFLAGS) $(program_cflags)
bench_first_result_LDADD = lib/libgnd.la $(program_libs)
bench_pocl_vs_c_SOURCES = bench/pocl_vs_c.c
bench_pocl_vs_c_CPPFLAGS = $(public_cppflags)
bench_pocl_vs_c_CFLAGS = $(AM_CFLAGS) $(program_cflags)
bench_pocl_vs_c_LDADD = lib/libgnd.la $(program_libs)
bench_pocl_vs_lapack_SOURCES = bench/pocl_vs_lapack.c
bench_pocl_vs_lapack_CPPFLAGS = $(public_cppflags)
bench_pocl_vs_lapack_CFLAGS = $(AM_CFLAGS) $(program_cflags)
bench_pocl_vs_lapack_LDADD = lib/libgnd.la $(program_libs)
bench_programs_c_SOURCES = bench/programs_c.c
bench_programs_c_CPPFLAGS = $(public_cppflags)
bench_programs_c_CFLAGS = $(AM_CFLAGS) $(program_cflags)
bench_programs_c_LDADD = lib/libgnd.la $(program_libs)
examples_barrier_SOURCES = examples/barrier.c
examples_barrier_CPPFLAGS = $(public_cppflags)
examples_barrier_CFLAGS = $(AM_CFLAGS) $(program_cflags)
examples_barrier_LDADD = lib/libgnd.la $(program_libs)
examples_cg_SOURCES = examples/cg.c
examples_cg_CPPFLAGS = $(public_cppflags)
examples_cg_CFLAGS = $(AM_CFLAGS) $(program_cflags)
examples_cg_LDADD = lib/libgnd.la $(program_libs)
examples_fusion_SOURCES = examples/fusion.c
examples_fusion_CPPFLAGS = $(public_cppflags)
examples_fusion_CFLAGS = $(AM_CFLAGS) $(program_cflags)
examples_fusion_LDADD = lib/libgnd.la $(program_libs)
examples_heat_SOURCES = examples/heat.c
examples_heat_CPPFLAGS = $(public_cppflags)
examples_heat_CFLAGS = $(AM_CFLAGS) $(program_cflags)
examples_heat_LDADD = lib/libgnd.la $(program_libs)
examples_hello_SOURCES = examples/hello.c
examples_hello_CPPFLAGS = $(public_cppflags)
examples_hello_CFLAGS = $(AM_CFLAGS) $(program_cflags)
examples_hello_LDADD = lib/libgnd.la $(program_libs)
examples_image_SOURCES = examples/image.c
examples_image_CPPFLAGS = $(public_cppflags)
examples_image_CFLAGS = $(AM_CFLAGS) $(program_cflags)
examples_image_LDADD = lib/libgnd.la $(program_libs)
examples_kmeans_SOURCES = examples/kmeans.c
examples_kmeans_CPPFLAGS = $(public_cppflags)
examples_kmeans_CFLAGS = $(AM_CFLAGS) $(program_cflags)
examples_kmeans_LDADD = lib/libgnd.la $(program_libs)
examples_mandelbrot_SOURCES = examples/mandelbrot.c
examples_mandelbrot_CPPFLAGS = $(public_cppflags)
examples_mandelbrot_CFLAGS = $(AM_CFLAGS) $(program_cflags)
examples_mandelbrot_LDADD = lib/libgnd.la $(program_libs)
examples_pagerank_SOURCES = examples/pagerank.c
examples_pagerank_CPPFLAGS = $(public_cppflags)
examples_pagerank_CFLAGS = $(AM_CFLAGS) $(program_cflags)
examples_pagerank_LDADD = lib/libgnd.la $(program_libs)
examples_pca_SOURCES = examples/pca.c
examples_pca_CPPFLAGS = $(public_cppflags)
examples_pca_CFLAGS = $(AM_CFLAGS) $(program_cflags)
examples_pca_LDADD = lib/libgnd.la $(program_libs)
examples_rungekutta_SOURCES = examples/rungekutta.c
examples_rungekutta_CPPFLAGS = $(public_cppflags)
examples_rungekutta_CFLAGS = $(AM_CFLAGS) $(program_cflags)
examples_rungekutta_LDADD = lib/libgnd.la $(program_libs)
examples_wave_SOURCES = examples/wave.c
examples_wave_CPPFLAGS = $(public_cppflags)
examples_wave_CFLAGS = $(AM_CFLAGS) $(program_cflags)
examples_wave_LDADD = lib/libgnd.la $(program_libs)
examples_co2_SOURCES = examples/co2.c examples/csv.c examples/csv.h examples/plot.c examples/plot.h
examples_co2_CPPFLAGS = $(public_cppflags)
examples_co2_CFLAGS = $(AM_CFLAGS) $(program_cflags)
examples_co2_LDADD = lib/libgnd.la $(program_libs)
