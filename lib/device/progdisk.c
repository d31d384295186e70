/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/progdisk.c - programs of a device in the kernel cache on disk (see progdisk.h). The key
 * consists of the backend, what the backend says about device, driver and compiler, the tuned
 * parameters that are not the defaults, and the source.
 *
 * Where a backend takes long to produce a binary, programs are stored when the device is closed.
 * A program may have compiled hundreds of kernels, and nobody should wait minutes for its end, so
 * this stops after a second: later processes load what is stored, and store more. Each process
 * takes its programs in an order of its own, drawn at random. So processes that compiled the same
 * kernels and end at the same time, such as the ranks of a parallel program, share the work without
 * knowing of each other: what one has stored, the others pass over.
 */
#include "device/progdisk.h"

#include <stdlib.h>
#include <unistd.h>
#include "device/priv.h"
#include "base/hash.h"
#include "base/log.h"

static int64_t limit = 1000000000;

void gnd__store_limit(int64_t ns)
{
    limit = ns;
}

/* Determined at the first program, not when opening: a user program that launches nothing touches
 * no folder. */
static gnd__disk *disk_of(gnd__gdev *d, gnd__progdisk *k)
{
    const gnd_program_ops *ops = &d->be->program;
    char text[1024];

    if (k->asked)
        return k->disk;
    k->asked = 1;
    if (!ops->cache_key || !ops->binary_get || !ops->binary_load)
        return NULL;
    text[0] = '\0';
    if (ops->cache_key(d->dev, text, sizeof text, NULL) != GND_OK)
        return NULL;
    text[sizeof text - 1] = '\0';
    gnd__str_addf(&k->key, "gnd kernel 1\nbackend %s %s\nkey %s\noptions %s\n", d->be->name,
                  d->be->version, text, GND__BUILD_OPTIONS);
    if (!k->key.bad)
        k->disk = gnd__disk_open();
    return k->disk;
}

/* Builds the key of a source: the common prefix, then the text. Returns 0 if out of memory. */
static int disk_key(const gnd__gdev *d, const gnd__progdisk *k, const char *src, size_t len,
                    gnd__str *key)
{
    *key = (gnd__str){0};
    gnd__str_addn(key, k->key.s, k->key.len);
    for (int i = 0; i < GND__NTUNE; i++)
        if (d->tune.v[i] != gnd__tune_rows[i].dflt)
            gnd__str_addf(key, "%s %d\n", gnd__tune_rows[i].name, d->tune.v[i]);
    gnd__str_addn(key, src, len);
    if (!key->bad)
        return 1;
    gnd__str_free(key);
    return 0;
}

gnd_prog *gnd__progdisk_load(gnd__gdev *d, gnd__progdisk *k, const char *src, size_t len,
                             int *broken)
{
    gnd__disk *disk = disk_of(d, k);
    gnd_prog *p = NULL;
    gnd__str key;
    size_t n;
    void *bin;

    if (!disk || !disk_key(d, k, src, len, &key))
        return NULL;
    if (gnd__disk_get(disk, key.s, key.len, &bin, &n) == GND__DISK_HIT) {
        if (d->be->program.binary_load(d->dev, bin, n, &p, NULL) == GND_OK)
            d->n.disk_loads++;
        else
            p = NULL;
        *broken = !p;
        free(bin);
    }
    gnd__str_free(&key);
    return p;
}

int gnd__progdisk_store(gnd__gdev *d, gnd__progdisk *k, const gnd__unsaved *u)
{
    gnd__disk *disk = disk_of(d, k);
    gnd__str key;
    size_t n = 0;
    void *bin = NULL;
    int asked = 0;

    if (!disk || !disk_key(d, k, u->src, u->len, &key))
        return 0;
    if (!u->replace && gnd__disk_get(disk, key.s, key.len, &bin, &n) == GND__DISK_HIT) {
        free(bin);
    } else {
        asked = 1;
        if (d->be->program.binary_get(u->p, &bin, &n, NULL) == GND_OK && bin) {
            if (n > 0 && gnd__disk_put(disk, key.s, key.len, bin, n))
                d->n.disk_stores++;
            free(bin);
        }
    }
    gnd__str_free(&key);
    return asked;
}

/* A number below n, at random. */
static size_t below(size_t n)
{
    const int64_t seed[2] = {gnd__clock(), getpid()};
    return (size_t)(gnd__hash_bytes(seed, sizeof seed, n).h[0] % n);
}

void gnd__progdisk_store_some(gnd__gdev *d, gnd__progdisk *k, gnd__unsaved *u, size_t n)
{
    const int64_t began = gnd__clock();
    const uint64_t before = d->n.disk_stores;
    int asked = 0;

    for (; n > 0 && (!asked || gnd__clock() - began < limit); n--) {
        const size_t i = below(n);
        asked |= gnd__progdisk_store(d, k, &u[i]);
        u[i] = u[n - 1];
    }
    if (n > 0)
        gnd__log(GND__LOG_INFO, "%s: closing stored %llu kernels; later runs store the other %zu",
                 d->id, (unsigned long long)(d->n.disk_stores - before), n);
}

void gnd__progdisk_close(gnd__progdisk *k)
{
    gnd__disk_close(k->disk);
    gnd__str_free(&k->key);
}
