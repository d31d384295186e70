/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/user_type.c - the names of C types in kernels, and their dtypes.
 */
#include "codegen/user.h"

#include <stdlib.h>
#include <string.h>

/* Types of one word. words_dtype reads those of several words. */
static const struct {
    const char *name;
    int dtype;
} simple[] = {
    {"bool", GND_BOOL},        {"g_b", GND_BOOL},        {"g_i8", GND_INT8},
    {"int8_t", GND_INT8},      {"g_i16", GND_INT16},     {"int16_t", GND_INT16},
    {"g_i32", GND_INT32},      {"int32_t", GND_INT32},   {"g_i64", GND_INT64},
    {"int64_t", GND_INT64},    {"ptrdiff_t", GND_INT64}, {"intptr_t", GND_INT64},
    {"longlong", GND_INT64},   {"g_u8", GND_UINT8},      {"uint8_t", GND_UINT8},
    {"uchar", GND_UINT8},      {"g_u16", GND_UINT16},    {"uint16_t", GND_UINT16},
    {"ushort", GND_UINT16},    {"g_u32", GND_UINT32},    {"uint32_t", GND_UINT32},
    {"uint", GND_UINT32},      {"g_u64", GND_UINT64},    {"uint64_t", GND_UINT64},
    {"ulong", GND_UINT64},     {"size_t", GND_UINT64},   {"uintptr_t", GND_UINT64},
    {"ulonglong", GND_UINT64}, {"half", GND_FLOAT16},    {"__half", GND_FLOAT16},
    {"float", GND_FLOAT32},    {"g_f32", GND_FLOAT32},   {"double", GND_FLOAT64},
    {"g_f64", GND_FLOAT64},    {"g_c64", GND_COMPLEX64}, {"g_c128", GND_COMPLEX128},
};

static int simple_dtype(const char *s, size_t n)
{
    for (size_t i = 0; i < sizeof simple / sizeof *simple; i++)
        if (strlen(simple[i].name) == n && !memcmp(simple[i].name, s, n))
            return simple[i].dtype;
    return -1;
}

/* "unsigned long int" and the like: counts what its words say. */
static int words_dtype(const char *s)
{
    enum { UNSIGNED, SIGNED, CHAR, SHORT, INT, LONG, NWORD };
    static const char *const word[NWORD] = {"unsigned", "signed", "char", "short", "int", "long"};
    int count[NWORD] = {0}, n = 0;
    while (*s) {
        const size_t len = strcspn(s, " ");
        int i = 0;
        while (i < NWORD && !(strlen(word[i]) == len && !memcmp(word[i], s, len)))
            i++;
        if (i == NWORD)
            return -1;
        count[i]++;
        n++;
        s += len + strspn(s + len, " ");
    }
    if (n == 0 || count[LONG] > 2 || count[CHAR] + count[SHORT] > 1)
        return -1;
    const int k = count[CHAR] ? 0 : count[SHORT] ? 1 : count[LONG] ? 3 : 2;
    static const int type[2][4] = {{GND_INT8, GND_INT16, GND_INT32, GND_INT64},
                                   {GND_UINT8, GND_UINT16, GND_UINT32, GND_UINT64}};
    return type[count[UNSIGNED] > 0][k];
}

int gnd__user_dtype(const char *type, int *lanes)
{
    const size_t n = strlen(type);
    size_t stem = n;
    *lanes = 1;
    int t = words_dtype(type);
    if (t < 0)
        t = simple_dtype(type, n);
    if (t >= 0)
        return t;
    while (stem > 0 && type[stem - 1] >= '0' && type[stem - 1] <= '9')
        stem--;
    const int v = stem < n ? atoi(type + stem) : 0;
    if (v != 2 && v != 3 && v != 4 && v != 8 && v != 16)
        return -1;
    char base[16];
    if (stem >= sizeof base)
        return -1;
    memcpy(base, type, stem);
    base[stem] = '\0';
    if (!strncmp(base, "g_", 2)) /* g_i16 is not a vector */
        return -1;
    t = words_dtype(base);
    if (t < 0)
        t = simple_dtype(base, stem);
    *lanes = t < 0 ? 1 : v;
    return t;
}

int gnd__uparam_takes(const gnd__uparam *p, gnd_dtype t)
{
    if (p->dtype < 0 || p->dtype == (int)t)
        return 1;
    switch (t) {
    case GND_BOOL: return p->dtype == GND_UINT8 || p->dtype == GND_INT8;
    case GND_FLOAT16:
    case GND_BFLOAT16: return p->dtype == GND_UINT16;
    case GND_COMPLEX64: return p->dtype == GND_FLOAT32;
    case GND_COMPLEX128: return p->dtype == GND_FLOAT64;
    default: return 0;
    }
}

size_t gnd__uparam_bytes(const gnd__uparam *p)
{
    if (p->dtype < 0)
        return 0;
    return gnd_dtype_size((gnd_dtype)p->dtype) * (size_t)(p->lanes == 3 ? 4 : p->lanes);
}
