/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ranks.cl - the elements at given places of sorted rows, without sorting them, on CPU devices
 * (lib/prim/ranks.c). The keys of a row, which sort.cl describes, are counted in equal intervals
 * between the least and the greatest. Elements in the interval of a wanted place are moved together
 * in their order, and the interval is divided again.
 *
 * Macros: ELEM and KEY, unsigned ints of the size of an element, and at least 32 bits of it; BITS,
 * the logarithm of the number of intervals; WANTED, the most places of a row.
 */
//@text ranks_defs
#define SIZE (1 << BITS)
#define FEW (BITS < 9 ? 16 : 32)
#define key(e) ((KEY)gnd_sortkey_$n(e, flip))
#define element_of(key) ((ELEM)gnd_sortback_$n(key, flip))
#define element(i) ((ELEM)gnd_sortraw_$n(IN_x(i)))
// The least key of a row, from those of its blocks, and the logarithm of the length of an interval.
GND_FN KEY least_key(GND_CONST_GLOBAL KEY *ends, g_i64 blocks, int *shift)
{
    KEY lo = ends[0], hi = ends[1];
    int s = 0;
    for (g_i64 b = 1; b < blocks; b++) {
        lo = ends[2 * b] < lo ? ends[2 * b] : lo;
        hi = ends[2 * b + 1] > hi ? ends[2 * b + 1] : hi;
    }
    while ((hi - lo) >> s >= SIZE)
        s++;
    *shift = s;
    return lo;
}

/* The least and the greatest key of each block of `run` elements of a row. */
//@text ranks_ends
    const g_i64 w = (g_i64)GND_GRP(0), row = w / blocks * n, from = w % blocks * run;
    const g_i64 to = from + run < n ? from + run : n;
    KEY lo = ~(KEY)0, hi = 0;
    for (g_i64 i = from; i < to; i++) {
        const KEY k = key(element(row + i));
        lo = k < lo ? k : lo;
        hi = k > hi ? k : hi;
    }
    ends[2 * w] = lo;
    ends[2 * w + 1] = hi;

/* How many elements of a block lie in each interval. */
//@text ranks_count
    const g_i64 w = (g_i64)GND_GRP(0), row = w / blocks, from = w % blocks * run;
    const g_i64 to = from + run < n ? from + run : n;
    int shift;
    const KEY lo = least_key(ends + 2 * row * blocks, blocks, &shift);
    GND_GLOBAL g_i64 *own = counts + w * SIZE;
    for (int g = 0; g < SIZE; g++)
        own[g] = 0;
    for (g_i64 i = from; i < to; i++)
        own[(int)((key(element(row * n + i)) - lo) >> shift)]++;

/* For each wanted place of a row: where its interval's elements begin among those that are moved, how
 * many they are, the place among them, and the interval. For each different interval: its number, or
 * -1, and where each block moves elements to. */
//@text ranks_find
    const g_i64 row = (g_i64)GND_GRP(0);
    GND_CONST_GLOBAL g_i64 *c = counts + row * blocks * SIZE;
    g_i64 used = 0;
    int slots = 0;
    for (g_i64 k = 0; k < wanted; k++) {
        g_i64 place = (g_i64)IN_r(k * rows + row), size = 0;
        GND_GLOBAL g_i64 *f = found + 4 * (row * wanted + k);
        int g = 0, known = 0;
        place = place < 0 ? 0 : place < n ? place : n - 1;
        for (;; g++) {
            size = 0;
            for (g_i64 b = 0; b < blocks; b++)
                size += c[b * SIZE + g];
            if (place < size)
                break;
            place -= size;
        }
        for (g_i64 j = 0; j < k && !known; j++)
            if (f[3 - 4 * (k - j)] == g) {
                f[0] = f[-4 * (k - j)];
                known = 1;
            }
        if (!known) {
            g_i64 at = used;
            f[0] = used;
            used += size;
            interval[row * wanted + slots] = g;
            for (g_i64 b = 0; b < blocks; b++) {
                goal[(row * wanted + slots) * blocks + b] = at;
                at += c[b * SIZE + g];
            }
            slots++;
        }
        f[1] = size;
        f[2] = place;
        f[3] = g;
    }
    for (; slots < wanted; slots++)
        interval[row * wanted + slots] = -1;

/* The elements of those intervals, in their order. */
//@text ranks_move
    const g_i64 w = (g_i64)GND_GRP(0), row = w / blocks, from = w % blocks * run;
    const g_i64 to = from + run < n ? from + run : n;
    int shift;
    const KEY lo = least_key(ends + 2 * row * blocks, blocks, &shift);
    GND_GLOBAL ELEM *out = moved + row * n;
    g_u8 slot[SIZE];
    g_i64 at[WANTED];
    for (int g = 0; g < SIZE; g++)
        slot[g] = WANTED;
    for (int s = 0; s < (int)wanted; s++)
        if (interval[row * wanted + s] >= 0) {
            slot[interval[row * wanted + s]] = (g_u8)s;
            at[s] = goal[(row * wanted + s) * blocks + w % blocks];
        }
    for (g_i64 i = from; i < to; i++) {
        const ELEM e = element(row * n + i);
        const int s = slot[(int)((key(e) - lo) >> shift)];
        if (s < WANTED)
            out[at[s]++] = e;
    }

/* The element at one place: its interval of 2^bits keys from `first` on is divided until few elements
 * are left in it, or one key, whose elements are in their order. */
//@text ranks_end
    const g_i64 w = (g_i64)GND_GRP(0), row = w / wanted, k = w % wanted;
    GND_CONST_GLOBAL g_i64 *f = found + 4 * w;
    GND_CONST_GLOBAL ELEM *v = moved + row * n + f[0];
    GND_GLOBAL ELEM *y = (GND_GLOBAL ELEM *)b + k * rows + row;
    const g_i64 size = f[1];
    g_i64 place = f[2], count = size;
    int bits;
    KEY first = least_key(ends + 2 * row * blocks, blocks, &bits);
    first += (KEY)f[3] << bits;
    while (bits > 0 && count > FEW) {
        const int down = bits > BITS ? bits - BITS : 0;
        g_i64 h[SIZE];
        int g = 0;
        for (int i = 0; i < SIZE; i++)
            h[i] = 0;
        for (g_i64 i = 0; i < size; i++) {
            const KEY d = key(v[i]) - first;
            if (d >> bits == 0)
                h[(int)(d >> down)]++;
        }
        while (place >= h[g])
            place -= h[g++];
        first += (KEY)g << down;
        count = h[g];
        bits = down;
    }
    if (bits == 0) {
        *y = element_of(first);
    } else {
        ELEM few[FEW];
        int m = 0;
        for (g_i64 i = 0; i < size; i++)
            if ((KEY)(key(v[i]) - first) >> bits == 0)
                few[m++] = v[i];
        for (int i = 0; i < m; i++) {
            int before = 0;
            for (int j = 0; j < m; j++)
                before += key(few[j]) < key(few[i]) || (key(few[j]) == key(few[i]) && j < i);
            if (before == (int)place)
                *y = element_of(key(few[i]));
        }
    }

/* A row by one work-item: `keys` has room for two of each of its keys. Keys in the intervals of wanted
 * places are moved together; of an interval that is divided again, few are left, which are sorted. */
//@text ranks_row
    const g_i64 row = (g_i64)GND_GRP(0);
    GND_GLOBAL ELEM *k = keys + 2 * row * n, *v = k + n;
    GND_GLOBAL ELEM *y = (GND_GLOBAL ELEM *)b + row;
    g_u32 h[SIZE + 1], place[WANTED], begin[WANTED], size[WANTED], at[WANTED], used = 0;
    int number[WANTED], own[WANTED], slots = 0, shift = 0;
    g_u8 slot[SIZE];
    KEY lo = ~(KEY)0, hi = 0;
    for (g_i64 i = 0; i < n; i++) {
        const KEY e = key(element(row * n + i));
        k[i] = (ELEM)e;
        lo = e < lo ? e : lo;
        hi = e > hi ? e : hi;
    }
    while ((hi - lo) >> shift >= SIZE)
        shift++;
    for (int g = 0; g <= SIZE; g++)
        h[g] = 0;
    for (int g = 0; g < SIZE; g++)
        slot[g] = WANTED;
    for (g_i64 i = 0; i < n; i++)
        h[1 + (int)(((KEY)k[i] - lo) >> shift)]++;
    for (int g = 0; g < SIZE; g++)
        h[g + 1] += h[g];
    for (int w = 0; w < (int)wanted; w++) { /* h[g]: how many keys are before interval g */
        const g_i64 to = (g_i64)IN_r(w * rows + row);
        const g_u32 p = (g_u32)(to < 0 ? 0 : to < n ? to : n - 1);
        int g = 0;
        for (int jump = SIZE / 2; jump > 0; jump /= 2)
            g += h[g + jump] <= p ? jump : 0;
        if (slot[g] == WANTED) {
            slot[g] = (g_u8)slots;
            number[slots] = g;
            begin[slots] = at[slots] = used;
            size[slots] = h[g + 1] - h[g];
            used += size[slots++];
        }
        own[w] = slot[g];
        place[w] = p - h[g];
    }
    for (g_i64 i = 0; i < n && shift > 0; i++) {
        const ELEM e = k[i];
        const int s = slot[(int)(((KEY)e - lo) >> shift)];
        if (s < WANTED)
            v[at[s]++] = e;
    }
    for (int w = 0; w < (int)wanted; w++) {
        GND_CONST_GLOBAL ELEM *near = (GND_CONST_GLOBAL ELEM *)v + begin[own[w]];
        const int m = (int)size[own[w]];
        KEY first = lo + ((KEY)number[own[w]] << shift), few[FEW];
        g_u32 p = place[w], count = (g_u32)m;
        int bits = shift, have = 0;
        while (bits > 0 && count > FEW) {
            const int down = bits > BITS ? bits - BITS : 0;
            int g = 0;
            for (int i = 0; i < SIZE; i++)
                h[i] = 0;
            for (int i = 0; i < m; i++) {
                const KEY d = (KEY)near[i] - first;
                if (d >> bits == 0)
                    h[(int)(d >> down)]++;
            }
            while (p >= h[g])
                p -= h[g++];
            first += (KEY)g << down;
            count = h[g];
            bits = down;
        }
        for (int i = 0; i < m && bits > 0; i++) {
            const KEY e = near[i];
            if ((KEY)(e - first) >> bits == 0) {
                int j = have++;
                for (; j > 0 && few[j - 1] > e; j--)
                    few[j] = few[j - 1];
                few[j] = e;
            }
        }
        y[w * rows] = element_of(bits > 0 ? few[p] : first);
    }
