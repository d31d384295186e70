/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ties.cl - the end of a sort of random keys of 64 bits (lib/prim/ties.c). IN_o has the indices of the n keys
 * IN_k in the order of their upper halves. Few neighbours have equal upper halves; those are brought into
 * the order of their lower halves, and of their indices where these are equal too, which the order of
 * IN_o already is.
 */

//@text ties_defs
#define KEY(j) IN_k(IN_o(j))
#define HIGH(j) ((g_u32)(KEY(j) >> 32))

/* A GPU: a work-item has an element. Upper halves are in local memory, from that before the group's on. */
//@text ties_gpu
    GND_LOCAL g_u32 high[TPG + 2];
    const g_i32 t = (g_i32)GND_LID(0);
    const g_i64 begin = (g_i64)GND_GRP(0) * TPG, i = begin + t;
    for (g_i32 k = t; k < TPG + 2; k += TPG) {
        const g_i64 j = begin + k - 1;
        if (j >= 0 && j < n)
            high[k] = HIGH(j);
    }
    GND_BARRIER();
    if (i < n) {
        const g_u32 own = high[t + 1];
        const int tied = (i > 0 && high[t] == own) || (i + 1 < n && high[t + 2] == own);

/* A CPU: a work-item has RUN elements. */
//@text ties_cpu
    const g_i64 begin = (g_i64)GND_GID(0) * RUN, end = begin + RUN < n ? begin + RUN : n;
    g_u32 before = begin > 0 ? HIGH(begin - 1) : 0, next = HIGH(begin);
    for (g_i64 i = begin; i < end; i++) {
        const g_u32 own = next;
        const int above = i > 0 && before == own;
        next = i + 1 < n ? HIGH(i + 1) : 0;
        const int tied = above || (i + 1 < n && next == own);
        before = own;

/* Element i of the result: that of rank i - first among those with its upper half. */
//@text ties_place
        g_i64 from = i;
        if (tied) {
            g_i64 first = i, past = i + 1;
            while (first > 0 && HIGH(first - 1) == own)
                first--;
            while (past < n && HIGH(past) == own)
                past++;
            for (g_i64 j = first; j < past; j++) {
                const g_u64 key = KEY(j);
                g_i64 place = first;
                for (g_i64 k = first; k < past; k++) {
                    const g_u64 other = KEY(k);
                    place += other < key || (other == key && k < j) ? 1 : 0;
                }
                if (place == i)
                    from = j;
            }
        }
        y[i] = IN_o(from);
    }
