/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ranks_gpu.cl - the elements at given places of long rows, without sorting them, on GPUs (lib/prim/ranks_gpu.c).
 *
 * Each wanted place has an interval of keys that its element lies in, at first all keys. A pass counts the elements of
 * each interval in 2^BITS equal parts, and finds the part of each place. Different intervals are numbered: `open` has
 * the first key of each and its length - 1. Places that lie in intervals of one key are known. The first pass finds the
 * least and the greatest key too, so that ints of a small range take few passes.
 *
 * ctl has four numbers for each row: open intervals; whether elements are read from the input (READ), and those in open
 * intervals are moved to `few` meanwhile (MOVE), or from there (FEW); how many there are; how many have been moved. The
 * order in which they stand there does not matter, because they are only counted.
 *
 * Groups with nothing to do pass all barriers: PoCL takes a return before them wrongly, and a condition around them.
 *
 * Macros: KEY and ELEM as in ranks.cl; KBITS, of a key; BITS; WANTED, the most places of a row; ROOM, counters of a group; FIRST.
 */
//@text ranks_gpu_defs
#define SIZE (1 << BITS)
#define READ 0u
#define MOVE 1u
#define FEW 2u
#define key(i) ((KEY)gnd_sortkey_$n(gnd_sortraw_$n(IN_x(i)), flip))
// The logarithm of the length of a part of an interval.
GND_FN g_u32 shift_of(KEY length_1)
{
    g_u32 s = 0;
    while (length_1 >> s >= SIZE)
        s++;
    return s;
}

//@fn grab u32 opencl
#define gnd_grab_u32(p, v) atomic_add((volatile GND_GLOBAL g_u32 *)(p), v)
//@fn grab u32 cuda
#define gnd_grab_u32(p, v) atomicAdd(p, v)
//@fn lgrab u32 opencl
#define gnd_lgrab_u32(p, v) atomic_add((volatile GND_LOCAL_PTR g_u32 *)(p), v)
//@fn lgrab u32 cuda
#define gnd_lgrab_u32(p, v) atomicAdd(p, v)

/* Counts. Counters of a group are as many copies as fit, so that neighbours seldom wait for each other; if not even one
 * copy for each interval fits, elements are counted in memory. Equal parts that follow one another in a work-item are
 * counted at once. Positions beyond the last element read the last one, so that no load waits for a comparison. */
//@text ranks_count_gpu
    GND_LOCAL g_u32 h[ROOM], shift[WANTED], got[2];
    GND_LOCAL KEY begin[WANTED], length_1[WANTED];
    const int t = (int)GND_LID(0);
    const g_i64 g = (g_i64)GND_GRP(0), row = g / nblk, block = g - row * nblk;
#if FIRST
    GND_LOCAL KEY end_of[TPG];
    const int slots = 1;
    const g_u32 mode = READ;
    const g_i64 count = n, len = run;
    KEY lo = ~(KEY)0, hi = 0;
    if (t == 0) {
        begin[0] = 0;
        length_1[0] = ~(KEY)0 >> (8 * sizeof(KEY) - KBITS);
        shift[0] = shift_of(length_1[0]);
    }
#else
    const int slots = (int)ctl[4 * row];
    const g_u32 mode = ctl[4 * row + 1];
    const g_i64 count = mode == FEW ? (g_i64)ctl[4 * row + 2] : n, share = (count + nblk - 1) / nblk;
    const g_i64 len = mode != FEW ? run : share > EACH * TPG ? share : EACH * TPG;
    if (t < slots) {
        begin[t] = open[2 * (row * wanted + t)];
        length_1[t] = open[2 * (row * wanted + t) + 1];
        shift[t] = shift_of(length_1[t]);
    }
#endif
    const g_i64 from = block * len, end = from + len < count ? from + len : count, to = slots ? end : from;
    GND_GLOBAL g_u32 *all = hist + row * wanted * SIZE;
    int copies = 1;
    while (slots > 0 && 2 * copies * slots * SIZE <= ROOM)
        copies *= 2;
    const int here = slots * SIZE <= ROOM, mine = t & (copies - 1);
    for (int i = t; i < ROOM; i += TPG)
        h[i] = 0;
    GND_BARRIER();
#define ADD(bin, v)                                                                                        \
    do {                                                                                                   \
        if (here)                                                                                          \
            gnd_ladd_u32(&h[(bin) * copies + mine], v);                                                    \
        else                                                                                               \
            gnd_aadd_u32(all + (bin), v);                                                                  \
    } while (0)
    for (g_i64 at = from; at < to; at += EACH * TPG) {
        KEY k[EACH];
        g_u32 hit = 0, runs = 0, hits = 0;
        int last = 0;
#if FIRST
            UNROLL
        for (int j = 0; j < EACH; j++) {
            const g_i64 i = at + j * TPG + t;
            k[j] = key(row * n + (i < to ? i : to - 1));
            lo = k[j] < lo ? k[j] : lo;
            hi = k[j] > hi ? k[j] : hi;
        }
#else
        if (mode == FEW) {
            UNROLL
            for (int j = 0; j < EACH; j++) {
                const g_i64 i = at + j * TPG + t;
                k[j] = few[row * room + (i < to ? i : to - 1)];
            }
        } else {
            UNROLL
            for (int j = 0; j < EACH; j++) {
                const g_i64 i = at + j * TPG + t;
                k[j] = key(row * n + (i < to ? i : to - 1));
            }
        }
#endif
            UNROLL
        for (int j = 0; j < EACH; j++) {
            int bin = -1;
            for (int s = 0; s < slots; s++) {
                const KEY d = k[j] - begin[s];
                if (d <= length_1[s])
                    bin = (s << BITS) + (int)(d >> shift[s]);
            }
            if (bin < 0 || at + j * TPG + t >= to)
                continue;
            hit |= 1u << j;
            hits++;
            if (runs && bin != last) {
                ADD(last, runs);
                runs = 0;
            }
            last = bin;
            runs++;
        }
        if (runs)
            ADD(last, runs);
#if !FIRST
        g_u32 place = 0;
        if (t == 0)
            got[0] = 0;
        GND_BARRIER();
        if (mode == MOVE && hits)
            place = gnd_lgrab_u32(&got[0], hits);
        GND_BARRIER();
        if (mode == MOVE && t == 0)
            got[1] = gnd_grab_u32(ctl + 4 * row + 3, got[0]);
        GND_BARRIER();
        place += got[1];
        if (mode == MOVE) {
            UNROLL
            for (int j = 0; j < EACH; j++)
                if (hit >> j & 1u)
                    few[row * room + place++] = k[j];
        }
#endif
    }
    GND_BARRIER();
    for (int i = t; here && i < slots * SIZE; i += TPG) {
        g_u32 s = 0;
        for (int c = 0; c < copies; c++)
            s += h[i * copies + ((c + t) & (copies - 1))];
        if (s)
            gnd_aadd_u32(all + i, s);
    }
#if FIRST
    for (int up = 0; up < 2; up++) {
        end_of[t] = up ? hi : lo;
        GND_BARRIER();
        for (int d = TPG / 2; d > 0; d /= 2) {
            if (t < d && (up ? end_of[t + d] > end_of[t] : end_of[t + d] < end_of[t]))
                end_of[t] = end_of[t + d];
            GND_BARRIER();
        }
        if (t == 0)
            ends[2 * g + up] = end_of[0];
        GND_BARRIER();
    }
#endif

/* Finds. A group of 256 has a row. `state` has for each place its interval, or -1 if its element is known, and
 * how many elements of the interval come before it. Counters are 0 afterwards, for the next pass. */
//@text ranks_find_gpu
#define PER ((SIZE + 255) / 256)
    GND_LOCAL g_u32 sum[2][256], bin[WANTED], left[WANTED], rest[WANTED], size[WANTED];
    GND_LOCAL int slot[WANTED];
    GND_LOCAL KEY least, most;
    const int t = (int)GND_LID(0);
    const g_i64 row = (g_i64)GND_GRP(0);
    GND_GLOBAL g_u32 *all = hist + row * wanted * SIZE;
    KEY begin[WANTED], length_1[WANTED];
#if FIRST
    GND_LOCAL KEY end_of[256];
    const int slots = 1;
    for (int up = 0; up < 2; up++) {
        KEY v = ends[2 * row * nblk + up];
        for (g_i64 b = t; b < nblk; b += 256) {
            const KEY k = ends[2 * (row * nblk + b) + up];
            v = up == (k > v) ? k : v;
        }
        end_of[t] = v;
        GND_BARRIER();
        for (int d = 128; d > 0; d /= 2) {
            if (t < d && (up ? end_of[t + d] > end_of[t] : end_of[t + d] < end_of[t]))
                end_of[t] = end_of[t + d];
            GND_BARRIER();
        }
        if (t == 0 && up)
            most = end_of[0];
        if (t == 0 && !up)
            least = end_of[0];
        GND_BARRIER();
    }
    if (t < wanted) {
        const g_i64 place = (g_i64)IN_r(t * rows + row);
        left[t] = (g_u32)(place < 0 ? 0 : place < n ? place : n - 1);
        slot[t] = 0;
    }
    begin[0] = 0;
    length_1[0] = ~(KEY)0 >> (8 * sizeof(KEY) - KBITS);
#else
    const int slots = (int)ctl[4 * row]; /* 0: nothing below changes anything */
    if (t < wanted) {
        slot[t] = (int)state[2 * (row * wanted + t)];
        left[t] = state[2 * (row * wanted + t) + 1];
    }
    for (int s = 0; s < slots; s++) {
        begin[s] = open[2 * (row * wanted + s)];
        length_1[s] = open[2 * (row * wanted + s) + 1];
    }
#endif
    GND_BARRIER();
    for (int s = 0; s < slots; s++) {
        g_u32 c[PER], own = 0;
        for (int i = 0; i < PER; i++) {
            const int b = t * PER + i;
            c[i] = b < SIZE ? all[s * SIZE + b] : 0u;
            own += c[i];
            if (c[i])
                all[s * SIZE + b] = 0;
        }
        sum[0][t] = own;
        GND_BARRIER();
        for (int k = 0; k < 8; k++) {
            sum[(k + 1) & 1][t] = sum[k & 1][t] + (t >= 1 << k ? sum[k & 1][t - (1 << k)] : 0u);
            GND_BARRIER();
        }
        const g_u32 before = sum[0][t] - own;
        for (int k = 0; k < (int)wanted; k++)
            if (slot[k] == s && left[k] - before < own) {
                g_u32 place = left[k] - before;
                int i = 0;
                while (place >= c[i])
                    place -= c[i++];
                bin[k] = (g_u32)(t * PER + i);
                size[k] = c[i];
                rest[k] = place;
            }
        GND_BARRIER();
    }
    if (t == 0) {
        const g_u32 mode = FIRST ? READ : ctl[4 * row + 1];
        KEY first[WANTED];
        int used = 0;
        g_u32 total = 0;
        for (int k = 0; k < (int)wanted; k++) {
            if (slot[k] < 0)
                continue;
            const int s = slot[k];
            const g_u32 shift = shift_of(length_1[s]);
            KEY d = (KEY)bin[k] << shift, e = d + (((KEY)1 << shift) - 1);
            e = begin[s] + (e < length_1[s] ? e : length_1[s]);
            d += begin[s];
#if FIRST
            d = d < least ? least : d;
            e = e > most ? most : e;
#endif
            slot[k] = -1;
            if (d == e) {
                ((GND_GLOBAL ELEM *)b)[k * rows + row] = (ELEM)gnd_sortback_$n(d, flip);
            } else {
                int same = 0;
                while (same < used && first[same] != d)
                    same++;
                slot[k] = same;
                if (same == used) {
                    first[used++] = d;
                    open[2 * (row * wanted + same)] = d;
                    open[2 * (row * wanted + same) + 1] = e - d;
                    total += size[k];
                }
            }
            state[2 * (row * wanted + k)] = (g_u32)slot[k];
            state[2 * (row * wanted + k) + 1] = rest[k];
        }
        ctl[4 * row] = (g_u32)used;
        if (mode != READ) {
            ctl[4 * row + 1] = FEW;
        } else {
            ctl[4 * row + 1] = total <= (g_u32)room ? MOVE : READ;
            ctl[4 * row + 2] = total;
            ctl[4 * row + 3] = 0;
        }
    }
