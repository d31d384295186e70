// SPDX-License-Identifier: BSD-3-Clause
//
// checked.cl - accesses of users' kernels that are checked (lib/codegen/checked.c). An access of `size` bytes at
// element i of pointer p must be within the array that p points into or, if p points into no array, within any of the
// launch's arrays. The first that does not is noted in the entry of the table: the line, the low and high half of its
// distance in bytes from the array's start, and the array's number. A read then finds zeros, and a write goes to memory
// that nobody reads. GNDC_MAX: the most arrays of a kernel.

//@text checked opencl
typedef struct gndc_ctx {
    __global int *entry;
    __global char *scratch;
    int n;
    ulong base[GNDC_MAX];
    long bytes[GNDC_MAX];
} gndc_ctx;
static __global char *gndc_bad(const gndc_ctx *c, int k, long off, long size, int line, int write)
{
    if (atomic_cmpxchg((volatile __global int *)c->entry, 0, line) == 0) {
        c->entry[1] = (int)off;
        c->entry[2] = (int)(off >> 32);
        c->entry[3] = k;
    }
    if (write)
        return c->scratch + 4096;
    for (long j = 0; j < size; j++)
        c->scratch[j] = 0;
    return c->scratch;
}
static __global char *gndc_at(const gndc_ctx *c, __global const void *p, long i, long size, int line, int write)
{
    const long most = 1l << 44;
    i = i > most ? most : i < -most ? -most : i;
    const ulong at = (ulong)p;
    const ulong to = at + (ulong)(i * size);
    ulong least = ~0ul;
    int own = -1, any = -1, near = 0;
    for (int k = 0; k < c->n; k++) {
        const ulong b = c->base[k], e = b + (ulong)c->bytes[k];
        const int in = to >= b && to <= e && e - to >= (ulong)size;
        if (at >= b && at <= e) {
            if (in)
                return (__global char *)p + i * size;
            own = own < 0 ? k : own;
        }
        any = in ? k : any;
        const ulong far = at < b ? b - at : at - e;
        if (far < least) {
            least = far;
            near = k;
        }
    }
    if (own < 0 && any >= 0)
        return (__global char *)p + i * size;
    own = own < 0 ? near : own;
    return gndc_bad(c, own, (long)(to - c->base[own]), size, line, write);
}
#define GNDC_SIZE(p) ((long)sizeof((p)[0]) * (long)sizeof(char[sizeof((p)[0]) <= 4096 ? 1 : -1]))
#define GNDC_R(p, i, l) (*(__typeof__(&(p)[0]))gndc_at(gndc, (__global const void *)(p), (long)(i), GNDC_SIZE(p), l, 0))
#define GNDC_W(p, i, l) (*(__typeof__(&(p)[0]))gndc_at(gndc, (__global const void *)(p), (long)(i), GNDC_SIZE(p), l, 1))
#define GNDC_P(p, w, l) ((__typeof__(&(p)[0]))gndc_at(gndc, (__global const void *)(p), 0, GNDC_SIZE(p), l, w))
//@text checked cuda
struct gndc_ctx {
    int *entry;
    char *scratch;
    int n;
    unsigned long long base[GNDC_MAX];
    long long bytes[GNDC_MAX];
};
static __device__ __forceinline__ gndc_ctx *gndc_get()
{
    __shared__ gndc_ctx c;
    return &c;
}
static __device__ char *gndc_bad(int k, long long off, long long size, int line, int write)
{
    volatile gndc_ctx *c = gndc_get();
    int *entry = c->entry;
    char *scratch = c->scratch;
    if (atomicCAS(entry, 0, line) == 0) {
        entry[1] = (int)off;
        entry[2] = (int)(off >> 32);
        entry[3] = k;
    }
    if (write)
        return scratch + 4096;
    for (long long j = 0; j < size; j++)
        scratch[j] = 0;
    return scratch;
}
static __device__ char *gndc_at(const volatile void *p, long long i, long long size, int line, int write)
{
    const long long most = 1ll << 44;
    i = i > most ? most : i < -most ? -most : i;
    if (!__isGlobal((const void *)p))
        return (char *)p + i * size;
    const gndc_ctx *c = gndc_get();
    const unsigned long long at = (unsigned long long)p, to = at + (unsigned long long)(i * size);
    unsigned long long least = ~0ull;
    int own = -1, any = -1, near = 0;
    for (int k = 0; k < c->n; k++) {
        const unsigned long long b = c->base[k], e = b + (unsigned long long)c->bytes[k];
        const bool in = to >= b && to <= e && e - to >= (unsigned long long)size;
        if (at >= b && at <= e) {
            if (in)
                return (char *)p + i * size;
            own = own < 0 ? k : own;
        }
        any = in ? k : any;
        const unsigned long long far = at < b ? b - at : at - e;
        if (far < least) {
            least = far;
            near = k;
        }
    }
    if (own < 0 && any >= 0)
        return (char *)p + i * size;
    own = own < 0 ? near : own;
    return gndc_bad(own, (long long)(to - c->base[own]), size, line, write);
}
#define GNDC_SIZE(p) ((long long)sizeof((p)[0]) * (long long)sizeof(char[sizeof((p)[0]) <= 4096 ? 1 : -1]))
#define GNDC_R(p, i, l) (*(decltype(&(p)[0]))gndc_at((p), (long long)(i), GNDC_SIZE(p), l, 0))
#define GNDC_W(p, i, l) (*(decltype(&(p)[0]))gndc_at((p), (long long)(i), GNDC_SIZE(p), l, 1))
#define GNDC_P(p, w, l) ((decltype(&(p)[0]))gndc_at((p), 0, GNDC_SIZE(p), l, w))
