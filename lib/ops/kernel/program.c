/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/kernel/program.c - sources of users' kernels: reading, compiling, finding kernels by name.
 * The program cache (device/progcache.c) owns the compiled code; a program holds the text.
 */
#include "ops/kernel/program.h"

#include <string.h>
#include <gnd/device.h>
#include "base/env.h"
#include "base/grave.h"
#include "base/mem.h"
#include "base/spin.h"

enum { PROGRAM = 0x676e6434, KERNEL = 0x676e6435 };

struct gnd_program {
    uint32_t magic; /* PROGRAM; 0 once freed */
    gnd_err err;    /* code != 0: compilation failed */
    gnd_device *dev;
    uint64_t serial; /* serial of dev, which may have been closed */
    gnd__usource src;
    gnd_kernel **kernel; /* src.nkernel of them */
    gnd__spin lock;
    gnd_kernel *unknown; /* requested kernels that do not exist; under the lock */
    char *log;
};

static gnd__graves programs, kernels;

static gnd_program nomem_program = {
    .magic = PROGRAM,
    .err = {.code = GND_ERR_NOMEM, .msg = "compile: out of host memory"},
};
static gnd_kernel nomem_kernel = {
    .magic = KERNEL,
    .err = {.code = GND_ERR_NOMEM, .msg = "program_kernel: out of host memory"},
};
static gnd_kernel no_program = {
    .magic = KERNEL,
    .err = {.code = GND_ERR_NULL, .msg = "program_kernel: p is NULL"},
};
static gnd_kernel freed_program = {
    .magic = KERNEL,
    .err = {.code = GND_ERR_STATE, .msg = "program_kernel: p is a freed program"},
};

static int is_program(const gnd_program *p)
{
    return p == &nomem_program || gnd__grave_magic(p) == PROGRAM;
}

static int is_kernel(const gnd_kernel *k)
{
    return k == &nomem_kernel || k == &no_program || k == &freed_program ||
           gnd__grave_magic(k) == KERNEL;
}

/* --- compiling -------------------------------------------------------------------------------- */

/* Compiles kernel i, or finds it compiled, and queries its resources. The device's lock is held. */
static gnd_status build_kernel(gnd_program *p, int i, const gnd__str *text)
{
    gnd_kernel *k = gnd__grave_new(&kernels, sizeof *k);
    gnd__kernel *built = NULL;
    if (!k)
        return gnd__err(&p->err, GND_ERR_NOMEM, "out of host memory");
    p->kernel[i] = k;
    k->magic = KERNEL;
    k->of = p;
    k->sig = &p->src.kernel[i];
    k->of_checked = p->src.checked;
    k->user = gnd__user_new(k->sig->name, gnd__str_get(text), text->len);
    if (!k->user)
        return gnd__err(&p->err, GND_ERR_NOMEM, "out of host memory");
    gnd_status st =
        gnd__gate_kernel(p->dev->g, k->sig->name, gnd__str_get(text), text->len, &built, &p->err);
    if (st == GND_OK)
        (void)gnd__gate_kernel_info(p->dev->g, built, &k->info, NULL);
    gnd__gate_kernel_done(built);
    return st;
}

int gnd__kernel_too_small(const gnd_kernel *k, const gnd_props *props, uint64_t items)
{
    /* some driver reports a number below 64 for any kernel, and takes more */
    return props->dialect == GND_DIALECT_OPENCL && k->sig->reqd[0] == 0 &&
           k->info.max_group >= 64 && items > k->info.max_group;
}

/* Compiles k for groups of that size into s. The device's lock is held; it protects the signature,
 * which tells the size to the functions that write the text. */
static gnd_status build_sized(gnd_program *p, const gnd_kernel *k, const size_t *block,
                              gnd__sized *s, gnd_err *e)
{
    gnd__ukernel *sig = &p->src.kernel[k->sig - p->src.kernel];
    gnd__str text = {0};
    gnd__kernel *built = NULL;
    for (int d = 0; d < 3; d++)
        sig->sized[d] = (int64_t)(s->block[d] = block[d]);
    gnd_status st = gnd__usource_text(&p->src, &p->dev->g->props, &text, e);
    memset(sig->sized, 0, sizeof sig->sized);
    if (st == GND_OK && !(s->user = gnd__user_new(sig->name, gnd__str_get(&text), text.len)))
        st = gnd__err(e, GND_ERR_NOMEM, "out of host memory");
    if (st == GND_OK)
        st = gnd__gate_kernel(p->dev->g, sig->name, gnd__str_get(&text), text.len, &built, e);
    gnd__gate_kernel_done(built);
    gnd__str_free(&text);
    return st;
}

static void free_sized(gnd__sized *s)
{
    gnd__user_unref(s->user);
    gnd__free(s);
}

const gnd__sized *gnd__kernel_sized(gnd_kernel *k, const size_t *block, gnd_err *e)
{
    gnd_program *p = k->of;
    gnd_status st = GND_OK;
    gnd__gate_lock(p->dev->g);
    gnd__sized *s = k->sized;
    while (s && memcmp(s->block, block, sizeof s->block))
        s = s->next;
    if (!s) {
        s = gnd__calloc(1, sizeof *s);
        st = s ? build_sized(p, k, block, s, e) : gnd__err(e, GND_ERR_NOMEM, "out of host memory");
        if (st == GND_OK) {
            s->next = k->sized;
            k->sized = s;
        } else if (s) {
            free_sized(s);
        }
    }
    gnd__gate_unlock(p->dev->g);
    return st == GND_OK ? s : NULL;
}

static void compile(gnd_program *p, gnd_language language, const char *source, const char *options)
{
    static const gnd__ulang lang[] = {GND__UL_OPENCL, GND__UL_CUDA, GND__UL_PORTABLE};
    gnd__str text = {0};
    gnd_status st = gnd__usource_read(&p->src, lang[language], source, options, &p->err);
    if (language != GND_OPENCL_C && gnd__env_bool(GND__ENV_CHECKED, 0))
        p->src.checked = 1;
    if (st == GND_OK)
        st = gnd__env_check(GND__ENV_CHECKED, &p->err);
    if (st == GND_OK)
        st = gnd__usource_text(&p->src, &p->dev->g->props, &text, &p->err);
    if (st == GND_OK) {
        p->kernel = gnd__calloc((size_t)p->src.nkernel, sizeof(gnd_kernel *));
        if (!p->kernel)
            st = gnd__err(&p->err, GND_ERR_NOMEM, "out of host memory");
    }
    gnd__gate_lock(p->dev->g);
    for (int i = 0; i < p->src.nkernel && st == GND_OK; i++)
        st = build_kernel(p, i, &text);
    if (st == GND_ERR_BUILD)
        p->log = gnd__strdup(gnd__gate_build_log(p->dev->g));
    gnd__gate_unlock(p->dev->g);
    gnd__str_free(&text);
}

gnd_program *gnd_compile(gnd_device *dev, const char *source, gnd_language language,
                         const char *options)
{
    gnd_program *p = gnd__grave_new(&programs, sizeof *p);
    if (!p)
        return &nomem_program;
    p->magic = PROGRAM;
    if (!dev || gnd_device_status(dev) != GND_OK)
        gnd__err(&p->err, dev ? gnd_device_status(dev) : GND_ERR_NULL, "%s", gnd_device_error(dev));
    else if (!source)
        gnd__err(&p->err, GND_ERR_NULL, "source is NULL");
    else if ((int)language < 0 || language > GND_PORTABLE)
        gnd__err(&p->err, GND_ERR_ARG,
                 "language %d: there are GND_OPENCL_C, GND_CUDA_C and GND_PORTABLE", (int)language);
    else if (gnd__forked)
        gnd__fork_error(&p->err);
    else {
        p->dev = dev;
        p->serial = dev->serial;
        compile(p, language, source, options);
    }
    if (p->err.code != GND_OK) {
        gnd__err_prefix(&p->err, "compile");
        gnd__err_made(&p->err);
    }
    return p;
}

gnd_status gnd_program_status(const gnd_program *p)
{
    if (!p)
        return GND_ERR_NULL;
    return is_program(p) ? p->err.code : GND_ERR_STATE;
}

const char *gnd_program_error(const gnd_program *p)
{
    if (!p)
        return "program_error: p is NULL";
    return is_program(p) ? p->err.msg : "program_error: p is a freed program";
}

const char *gnd_program_log(const gnd_program *p)
{
    return p && is_program(p) && p->log ? p->log : "";
}

const char *gnd_program_name(const gnd_program *p, int i)
{
    return p && is_program(p) && i >= 0 && i < p->src.nkernel ? p->src.kernel[i].name : NULL;
}

/* --- kernels by name -------------------------------------------------------------------------- */

static void why_unknown(const gnd_program *p, const char *name, gnd_err *e)
{
    gnd__str all = {0};
    const char *near = name ? gnd__ukernel_near(&p->src, name) : NULL;
    for (int i = 0; i < p->src.nkernel; i++)
        gnd__str_addf(&all, "%s%s", i ? ", " : "", p->src.kernel[i].name);
    if (!name)
        gnd__err(e, GND_ERR_NAME,
                 "program_kernel: name is NULL, and the program has %d kernels: %s", p->src.nkernel,
                 gnd__str_get(&all));
    else if (near)
        gnd__err(e, GND_ERR_NAME, "program_kernel: no kernel '%s': did you mean '%s'?", name, near);
    else
        gnd__err(e, GND_ERR_NAME, "program_kernel: no kernel '%s': the program has %s", name,
                 gnd__str_get(&all));
    gnd__str_free(&all);
}

gnd_kernel *gnd_program_kernel(gnd_program *p, const char *name)
{
    if (!p)
        return &no_program;
    if (!is_program(p))
        return &freed_program;
    const int i = p->err.code == GND_OK ? gnd__ukernel_find(&p->src, name) : -1;
    if (i >= 0)
        return p->kernel[i];
    gnd_kernel *k = p == &nomem_program ? NULL : gnd__grave_new(&kernels, sizeof *k);
    if (!k)
        return &nomem_kernel;
    k->magic = KERNEL;
    k->of = p;
    if (p->err.code != GND_OK)
        k->err = p->err;
    else
        why_unknown(p, name, &k->err);
    gnd__spin_lock(&p->lock);
    k->next = p->unknown;
    p->unknown = k;
    gnd__spin_unlock(&p->lock);
    return k;
}

gnd_status gnd__kernel_usable(const char *func, const gnd_kernel *k, gnd_device **dev, gnd_err *e)
{
    *dev = NULL;
    if (!k)
        return gnd__err(e, GND_ERR_NULL, "%s: the kernel is NULL", func);
    if (!is_kernel(k))
        return gnd__err(e, GND_ERR_STATE, "%s: the kernel's program was freed", func);
    if (k->err.code != GND_OK)
        return gnd__err(e, k->err.code, "%s: %s", func, k->err.msg);
    gnd_device *d = k->of->dev;
    if (gnd_device_status(d) != GND_OK || d->serial != k->of->serial)
        return gnd__err(e, GND_ERR_STATE, "%s: the device of kernel %s was closed", func,
                        k->sig->name);
    *dev = d;
    return GND_OK;
}

static void free_kernel(gnd_kernel *k)
{
    if (!k)
        return;
    for (gnd__sized *s = k->sized, *next; s; s = next) {
        next = s->next;
        free_sized(s);
    }
    gnd__user_unref(k->user);
    gnd__grave_free(&kernels, k);
}

void gnd_program_free(gnd_program *p)
{
    if (!p || p == &nomem_program || !is_program(p))
        return;
    for (int i = 0; p->kernel && i < p->src.nkernel; i++)
        free_kernel(p->kernel[i]);
    for (gnd_kernel *k = p->unknown, *next; k; k = next) {
        next = k->next;
        free_kernel(k);
    }
    gnd__free(p->kernel);
    gnd__free(p->log);
    gnd__usource_free(&p->src);
    gnd__grave_free(&programs, p);
}
