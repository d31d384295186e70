/* SPDX-License-Identifier: BSD-3-Clause
 *
 * common/binary.c - the header of a program's binary. It identifies the device and shows whether
 * the binary is complete. The driver's data follow it; the driver uses them without checks.
 */
#include "plug.h"

#include <stdlib.h>
#include <string.h>

typedef struct head {
    char magic[8];
    uint64_t device, len, hash;
} head;

void *gnd__plug_bin_new(size_t n, void **code, size_t *len, gnd_err *e)
{
    char *bin = malloc(sizeof(head) + n);
    if (!bin) {
        gnd__plug_fail(e, GND_ERR_NOMEM, 0, "out of memory for a binary of %zu bytes", n);
        return NULL;
    }
    *code = bin + sizeof(head);
    *len = sizeof(head) + n;
    return bin;
}

void gnd__plug_bin_seal(void *bin, size_t len, const char *magic, uint64_t device)
{
    const size_t n = len - sizeof(head);
    head h = {.device = device,
              .len = n,
              .hash = gnd__plug_hash(GND__PLUG_HASH, (const char *)bin + sizeof h, n)};
    memcpy(h.magic, magic, sizeof h.magic);
    memcpy(bin, &h, sizeof h);
}

gnd_status gnd__plug_bin_open(const void *bin, size_t len, const char *magic, uint64_t device,
                              const void **code, size_t *n, gnd_err *e)
{
    head h;
    if (len < sizeof h)
        return gnd__plug_fail(e, GND_ERR_FORMAT, 0, "the binary is cut short");
    memcpy(&h, bin, sizeof h);
    *code = (const char *)bin + sizeof h;
    *n = len - sizeof h;
    if (memcmp(h.magic, magic, sizeof h.magic) != 0 || h.len != *n || *n == 0 ||
        h.hash != gnd__plug_hash(GND__PLUG_HASH, *code, *n))
        return gnd__plug_fail(e, GND_ERR_FORMAT, 0, "the binary is damaged or none of ours");
    if (h.device != device)
        return gnd__plug_fail(e, GND_ERR_FORMAT, 0, "the binary is for another device or driver");
    return GND_OK;
}
