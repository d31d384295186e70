/* SPDX-License-Identifier: BSD-3-Clause
 *
 * conform_fault.h - the part of conform.c about kernels that fault, included by it after its
 * helpers. CUDA only: the context is then lost, and the plugin can only report that. (On a CPU
 * device such a kernel kills the process, which no plugin can prevent.)
 */

/* A failure that names the fault. */
static void names_fault(gnd_status s, const char *what)
{
    if (!tap_ok(s < 0 && s == err.code && strstr(err.msg, "CUDA_ERROR_ILLEGAL_ADDRESS") &&
                    strlen(err.msg) < sizeof err.msg - 1 && err.native == 700,
                "%s: %s names the fault", who, what))
        tap_diag("status %d, record %d, native %d: %s", s, err.code, err.native, err.msg);
    memset(&err, 0, sizeof err);
}

/* Another device works on, or says that it does not: CUDA's driver (580) ends all contexts of a
 * process at a fault in one. */
static void try_other(gnd_dev *d, gnd_queue *dq)
{
    uint32_t x[64], y[64] = {0};
    gnd_buf *a = NULL;
    for (uint32_t k = 0; k < 64; k++)
        x[k] = rnd();
    const gnd_status s = mem->alloc(d, sizeof x, &a, &err);
    if (s != GND_OK) {
        tap_diag("%s: the other device: %s", who, err.msg);
        names_fault(s, "the other device");
        tap_ok(a == NULL, "%s: and gives nothing", who);
        return;
    }
    OK(mem->write(dq, a, 0, x, sizeof x, &err), "write to the other device");
    OK(mem->read(dq, y, a, 0, sizeof y, &err), "read from it");
    tap_is_mem(y, x, sizeof x, "%s: the other device works on", who);
    mem->free(a);
}

/* The last of all, on device i. */
static void test_fault(int i)
{
    snprintf(who, sizeof who, "%s:%d", backend_name, i);
    if (be->device->props(i, &props, &err) != GND_OK || props.dialect != GND_DIALECT_CUDA) {
        tap_skip(1, "%s: no kernel that faults is tried", who);
        return;
    }
    gnd_dev *second = NULL;
    gnd_queue *second_q = NULL;
    const int has_second = be->device->open(i ? 0 : 1, &second, NULL) == GND_OK &&
                           que->queue_new(second, 0, &second_q, NULL) == GND_OK;
    if (!OK(be->device->open(i, &dev, &err), "open") ||
        !OK(que->queue_new(dev, 0, &q, &err), "queue_new"))
        return;
    gnd_prog *p = compile(source, "");
    if (!tap_ok(p != NULL, "%s: build", who))
        return;
    gnd_kern *fill = kernel_of(p, "fill"), *none = NULL;
    gnd_buf *a = new_buf(4096), *b = NULL;
    gnd_event *ev = NULL;
    gnd_prog *other = NULL;
    gnd_props again;
    const uint64_t nowhere = 0x1000;
    uint32_t x[16] = {0};
    const gnd_karg bad_args[3] = {arg_val(&nowhere, 8), arg_u32(16), arg_u32(1)};
    const gnd_karg good_args[3] = {arg_buf(a), arg_u32(16), arg_u32(1)};
    OK(launch1(fill, 16, 16, 3, bad_args), "launch of a kernel that will fault");
    names_fault(que->finish(q, &err), "finish");
    names_fault(mem->alloc(dev, 64, &b, &err), "a later alloc");
    names_fault(mem->write(q, a, 0, x, 64, &err), "a later write");
    names_fault(mem->read(q, x, a, 0, 64, &err), "a later read");
    names_fault(mem->copy(q, a, 0, a, 1024, 64, &err), "a later copy");
    names_fault(launch1(fill, 16, 16, 3, good_args), "a later launch");
    names_fault(prg->kernel(p, "grow", &none, &err), "a later kernel");
    names_fault(prg->build(dev, "", 0, "", &other, NULL, &err), "a later build");
    names_fault(que->flush(q, &err), "a later flush");
    names_fault(que->finish(q, &err), "a later finish");
    if (que->record)
        names_fault(que->record(q, &ev, &err), "a later event");
    tap_ok(!b && !ev && !none && !other, "%s: nothing came of any", who);
    OK(be->device->props(i, &again, &err), "props are still told");
    if (has_second)
        try_other(second, second_q);
    else
        tap_skip(1, "%s: no second device", who);
    mem->free(a);
    prg->kernel_free(fill);
    prg->prog_free(p);
    que->queue_free(second_q);
    que->queue_free(q);
    be->device->close(second);
    be->device->close(dev);
    tap_pass("%s: everything can be freed", who);
    dev = NULL;
    gnd_status s = be->device->open(i, &dev, &err);
    tap_ok(s == GND_ERR_DEVICE && !dev && strstr(err.msg, "ILLEGAL_ADDRESS"),
           "%s: it does not open again: %s", who, err.msg);
    memset(&err, 0, sizeof err);
}
