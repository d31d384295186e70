// SPDX-License-Identifier: BSD-3-Clause
//
// reflect.cl - panels of QR decompositions by Householder's reflections, of matrices in Fortran order
// (lib/prim/reflect.c, which defines the macros for a dtype's arithmetic). As LAPACK's geqrf leaves them: R on and above
// the diagonal, the reflectors below it without their ones, and a factor for each; 0: there is nothing to reflect.

// The sum of v over a group, in `total`; it ends with no barrier, and two in a row need none between them.
//@text reflect_sums
#define TOTAL(total, v, zero) \
    part[lid] = v; \
    GND_BARRIER(); \
    if (lid < GROUP / 8) { \
        $T s = part[lid]; \
        for (int k = 1; k < 8; k++) \
            s = s + part[lid + k * (GROUP / 8)]; \
        part[GROUP + lid] = s; \
    } \
    GND_BARRIER(); \
    if (lid < GROUP / 64) { \
        $T s = part[GROUP + lid]; \
        for (int k = 1; k < 8; k++) \
            s = s + part[GROUP + lid + k * (GROUP / 64)]; \
        part[GROUP + GROUP / 8 + lid] = s; \
    } \
    GND_BARRIER(); \
    total = part[GROUP + GROUP / 8]; \
    for (int k = 1; k < GROUP / 64; k++) \
        total = total + part[GROUP + GROUP / 8 + k];

// The first `cols` columns, at most WIDE, of which a group has EACH rows per work-item in registers. The
// column that is reflected is the first of those in registers; then the others move up, so that one text serves all.
//@text reflect_columns
    GND_LOCAL $T part[GROUP + GROUP / 8 + GROUP / 64], sums[WIDE * GROUP], some[WIDE * 16], w[WIDE], line[1];
    const int lid = (int)GND_LID(0), m = (int)rows, n = (int)cols;
    $T x[EACH][WIDE];
    UNROLL
    for (int r = 0; r < EACH; r++) {
        UNROLL
        for (int c = 0; c < WIDE; c++) {
            const int i = lid + r * GROUP;
            x[r][c] = i < m && c < n ? gnd_ld_$t(y, begin + i + c * ld) : VALUE(0);
        }
    }
    for (int c = 0; c < n; c++) {
        $R most = 0, sum = 0;
        UNROLL
        for (int r = 0; r < EACH; r++)
            if (lid + r * GROUP >= c)
                most = fmax(most, GREATER(x[r][0]));
        if (lid == c)
            line[0] = x[0][0];
        /* the greatest, by a power of 2 of which squares neither overflow nor vanish */
        part[lid] = VALUE(most);
        GND_BARRIER();
        if (lid < GROUP / 8) {
            for (int k = 1; k < 8; k++)
                most = fmax(most, REAL(part[lid + k * (GROUP / 8)]));
            part[GROUP + lid] = VALUE(most);
        }
        GND_BARRIER();
        if (lid < GROUP / 64) {
            for (int k = 1; k < 8; k++)
                most = fmax(most, REAL(part[GROUP + lid + k * (GROUP / 64)]));
            part[GROUP + GROUP / 8 + lid] = VALUE(most);
        }
        GND_BARRIER();
        most = REAL(part[GROUP + GROUP / 8]);
        for (int k = 1; k < GROUP / 64; k++)
            most = fmax(most, REAL(part[GROUP + GROUP / 8 + k]));
        const int e = gnd_frexpe_$r(most);
        const $R down = gnd_ldexp_$r(1, -e / 2), more = gnd_ldexp_$r(1, -e - -e / 2);
        const $T alpha = SHRUNK(line[0]);
        UNROLL
        for (int r = 0; r < EACH; r++)
            if (lid + r * GROUP > c)
                sum += SQUARE(SHRUNK(x[r][0]));
        $T all;
        TOTAL(all, VALUE(sum), VALUE(0))
        $T f = VALUE(0), by = VALUE(0), beta = alpha;
        if (!STANDS(alpha, REAL(all))) { /* NaN does not */
            const $R size = sqrt(SQUARE(alpha) + REAL(all));
            beta = VALUE(REAL(alpha) < 0 ? size : -size);
            f = DIV(beta - alpha, beta);
            by = DIV(VALUE(1), alpha - beta);
        }
        if (lid == 0)
            gnd_st_$t(tau, c, f);
        UNROLL
        for (int r = 0; r < EACH; r++) {
            const int i = lid + r * GROUP;
            x[r][0] = i > c ? MUL(SHRUNK(x[r][0]), by) : i == c ? VALUE(1) : x[r][0];
        }
        UNROLL
        for (int k = 1; k < WIDE; k++) {
            $T s = VALUE(0);
            UNROLL
            for (int r = 0; r < EACH; r++)
                if (lid + r * GROUP >= c)
                    s = s + MUL(CONJ(x[r][0]), x[r][k]);
            sums[k * GROUP + lid] = s;
        }
        GND_BARRIER();
        if (lid < WIDE * 16 && lid / 16 > 0) {
            $T s = sums[lid / 16 * GROUP + lid % 16];
            for (int k = 1; k < GROUP / 16; k++)
                s = s + sums[lid / 16 * GROUP + lid % 16 + k * 16];
            some[lid] = s;
        }
        GND_BARRIER();
        if (lid < WIDE && lid > 0) {
            $T s = some[lid * 16];
            for (int k = 1; k < 16; k++)
                s = s + some[lid * 16 + k];
            w[lid] = MUL(CONJ(f), s);
        }
        GND_BARRIER();
        UNROLL
        for (int r = 0; r < EACH; r++) {
            const int i = lid + r * GROUP;
            const $T v = x[r][0];
            if (i < m)
                gnd_st_$t(y, begin + i + c * ld, i == c ? SCALED(beta, e) : v);
            UNROLL
            for (int k = 1; k < WIDE; k++)
                x[r][k - 1] = i >= c ? LESS(x[r][k], v, w[k]) : x[r][k];
            x[r][WIDE - 1] = VALUE(0);
        }
    }

// These reflections, of `cols` columns, of one of the columns behind them, a group each, which has it in registers.
//@text reflect_column
    GND_LOCAL $T part[GROUP + GROUP / 8 + GROUP / 64];
    const int lid = (int)GND_LID(0), m = (int)rows, n = (int)cols;
    const g_i64 here = begin + (n + (g_i64)GND_GRP(0)) * ld;
    $T z[EACH];
    UNROLL
    for (int r = 0; r < EACH; r++)
        z[r] = lid + r * GROUP < m ? gnd_ld_$t(y, here + lid + r * GROUP) : VALUE(0);
    for (int c = 0; c < n; c++) {
        $T v[EACH], s = VALUE(0), all;
        UNROLL
        for (int r = 0; r < EACH; r++) {
            const int i = lid + r * GROUP;
            v[r] = i > c && i < m ? gnd_ld_$t(y, begin + i + c * ld) : VALUE(i == c);
        }
        UNROLL
        for (int r = 0; r < EACH; r++)
            s = s + MUL(CONJ(v[r]), z[r]);
        TOTAL(all, s, VALUE(0))
        all = MUL(CONJ(gnd_ld_$t(tau, c)), all);
        UNROLL
        for (int r = 0; r < EACH; r++)
            z[r] = LESS(z[r], v[r], all);
    }
    UNROLL
    for (int r = 0; r < EACH; r++)
        if (lid + r * GROUP < m)
            gnd_st_$t(y, here + lid + r * GROUP, z[r]);

// V of a panel with its ones and zeros, rows x cols; 0 where there is nothing to reflect.
//@text reflect_vectors
    const g_i64 k = (g_i64)GND_GID(0), i = k % rows, c = k / rows;
    if (k < rows * cols) {
        const $T f = gnd_ld_$t(tau, c);
        const int none = SIZE(f) == 0;
        gnd_st_$t(y, begin + k, none || i < c ? VALUE(0) : i == c ? VALUE(1) : gnd_ld_$t(x, begin_x + i + c * ld));
    }

// The inverse of T of a panel from V^H V, cols x cols: above the diagonal the same, on it 1 over the factors; and I.
//@text reflect_inverse
    const g_i64 k = (g_i64)GND_GID(0), i = k % cols, c = k / cols;
    if (k < cols * cols) {
        const $T f = gnd_ld_$t(tau, c);
        const int none = SIZE(f) == 0;
        if (i >= c)
            gnd_st_$t(y, begin + k, i > c || none ? VALUE(i == c) : DIV(VALUE(1), f));
        gnd_st_$t(x, begin_x + k, VALUE(i == c));
    }
