/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cuda/cubin.c - the parameters of a kernel, read from its cubin, so that a launch with too few
 * arguments or with one of a wrong size is refused instead of read beyond its end. Drivers report
 * parameters only since CUDA 12.4, and their number only by a call that fails, which
 * compute-sanitizer reports.
 *
 * A cubin is an ELF file. The section .nv.info.KERNEL is a list of entries of 4 bytes (format,
 * type, a 16-bit value); for format 4, `value` bytes follow. An entry of type 0x17 is a parameter:
 *
 *     u32 index, u16 number, u16 offset, u32 flags, of which bits 18 and up are its bytes
 *
 * and one of type 0x19 has the bytes of all. This holds from sm_75 to sm_121, but is not
 * documented; any other form counts as "not known".
 */
#include "cu.h"

#include <elf.h>
#include <string.h>

enum { FORMAT_BYTES = 4, PARAM = 0x17, PARAMS_SIZE = 0x19, PARAM_BYTES = 12 };

/* Whether [off, off + n) is within an image of `all` bytes. */
static int within(uint64_t off, uint64_t n, size_t all)
{
    return off <= all && n <= all - off;
}

/* The section's offset; 0 if there is no such section. */
static int find_section(const char *p, size_t n, const char *kernel, size_t *off, size_t *len)
{
    static const char prefix[] = ".nv.info.";
    const size_t np = sizeof prefix - 1, nk = strlen(kernel);
    Elf64_Ehdr h;
    Elf64_Shdr names, s;
    if (n < sizeof h)
        return 0;
    memcpy(&h, p, sizeof h);
    if (memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_ident[EI_CLASS] != ELFCLASS64 ||
        h.e_shentsize != sizeof s || h.e_shstrndx >= h.e_shnum ||
        !within(h.e_shoff, (uint64_t)h.e_shnum * sizeof s, n))
        return 0;
    memcpy(&names, p + h.e_shoff + h.e_shstrndx * sizeof s, sizeof s);
    if (!within(names.sh_offset, names.sh_size, n))
        return 0;
    for (unsigned i = 0; i < h.e_shnum; i++) {
        memcpy(&s, p + h.e_shoff + i * sizeof s, sizeof s);
        const char *name = p + names.sh_offset + s.sh_name;
        if (s.sh_name > names.sh_size || names.sh_size - s.sh_name < np + nk + 1 ||
            memcmp(name, prefix, np) != 0 || memcmp(name + np, kernel, nk + 1) != 0 ||
            !within(s.sh_offset, s.sh_size, n))
            continue;
        *off = s.sh_offset;
        *len = s.sh_size;
        return 1;
    }
    return 0;
}

int gnd__cu_cubin_params(const void *image, size_t n, const char *kernel, uint32_t *size, int cap)
{
    const unsigned char *p;
    size_t off = 0, len = 0;
    uint32_t end = 0, total = 0;
    int count = 0;
    uint16_t value;
    if (!find_section(image, n, kernel, &off, &len))
        return -1;
    p = (const unsigned char *)image + off;
    memset(size, 0, (size_t)cap * sizeof *size);
    for (size_t i = 0; i + 4 <= len;) {
        const unsigned format = p[i], what = p[i + 1];
        memcpy(&value, p + i + 2, sizeof value);
        i += 4;
        if (format != FORMAT_BYTES) {
            if (what == PARAMS_SIZE)
                total = value;
            continue;
        }
        if (value > len - i)
            return -1;
        if (what == PARAM) {
            uint16_t number, at;
            uint32_t flags;
            if (value != PARAM_BYTES)
                return -1;
            memcpy(&number, p + i + 4, sizeof number);
            memcpy(&at, p + i + 6, sizeof at);
            memcpy(&flags, p + i + 8, sizeof flags);
            if (number >= cap || size[number] || !(flags >> 18))
                return -1;
            size[number] = flags >> 18;
            end = at + size[number] > end ? at + size[number] : end;
            count++;
        }
        i += value;
    }
    for (int i = 0; i < count; i++)
        if (!size[i])
            return -1;
    return count > 0 && end == total ? count : -1;
}
