// SPDX-License-Identifier: BSD-3-Clause
//
// jacobi.cl - eigenvalues, and with VECTORS eigenvectors, of many small symmetric matrices by Jacobi's rotations
// (lib/prim/eigh_batch.c). LANES work-items have a matrix in local memory, of side N, which is even: where n is odd,
// the last row and column are 0. A sweep rotates every pair of rows once, in N - 1 steps of N / 2 pairs that have no
// row in common (as in a tournament where the last player keeps his place), so that a step needs two barriers. Pairs
// are neighbours in opposite directions, so that a block walks the matrix with strides of PITCH + 1 and PITCH - 1 over
// successive work-items. Both are odd, which keeps these in different banks of local memory. The first FIRST work-items
// compute a step's rotations while the others turn the vectors of the step before.
//
// The matrix is scaled by a power of 2 to have 1/2 to 1 as its greatest element. Sweeps end when no element off the
// diagonal is above TINY, an eighth of the rounding of 1: what is left changes no eigenvalue by more than n times that.
// They converge quadratically (G. E. Forsythe, P. Henrici, "The cyclic Jacobi method for computing the principal
// values of a complex matrix", 1960), about 7 of them for float64.

//@text jacobi_batch
    GND_LOCAL $T a[PER * N * PITCH];
#if VECTORS
    GND_LOCAL $T v[PER * N * PITCH];
#endif
    GND_LOCAL $T turn[2 * PER * H * 2], great[GROUP];
    GND_LOCAL int more[1], rank[PER * N];
    const int t = (int)GND_LID(0), mine = t / LANES, lane = t % LANES, order = (int)n;
    const g_i64 b = (g_i64)GND_GRP(0) * PER + mine;
    const int live = b < batch;
#define A(i, j) a[mine * (N * PITCH) + (i) * PITCH + (j)]
#define V(k, i) v[mine * (N * PITCH) + (k) * PITCH + (i)]
#define TURN(s, k, c) turn[(((s) & 1) * (PER * H) + mine * H + (k)) * 2 + (c)]
    /* the rows of pair k in step s */
#define ROWS(k, s, p, q) \
    int p = (k) == 0 ? N - 1 : (s) + (k), q = (k) == 0 ? (s) : (s) - (k); \
    p -= (k) > 0 && p >= N - 1 ? N - 1 : 0; \
    q += q < 0 ? N - 1 : 0;
    /* turns vector k % N by pair k / N of step s; and the part of this work-item, where a few are at it */
#define TURN_VECTOR(s, k)                                                                                  \
    {                                                                                                      \
        const $T c = TURN(s, (k) / N, 0), d = TURN(s, (k) / N, 1);                                         \
        ROWS((k) / N, s, p, q)                                                                             \
        const $T x = V(p, (k) % N), y = V(q, (k) % N);                                                     \
        V(p, (k) % N) = c * x - d * y;                                                                     \
        V(q, (k) % N) = d * x + c * y;                                                                     \
    }
    $T most = 0, lost = 0;
    for (int k = lane; k < N * N; k += LANES) {
        const int i = k / N, j = k % N;
        if (i < j)
            continue;
        const $T own = live && i < order ? IN_x((b * order + j) * order + i) : 0;
        lost += own * 0;
        most = fmax(most, fabs(own));
        A(i, j) = own;
        A(j, i) = own;
    }
#if VECTORS
    for (int k = lane; k < N * N; k += LANES)
        V(k / N, k % N) = k / N == k % N;
#endif
    if (lost != 0) /* NaN */
        gnd_firstbad_i32(bad, (int)b);
    great[t] = most;
    GND_BARRIER();
    for (int k = 0; k < LANES; k++)
        most = fmax(most, great[mine * LANES + k]);
    const int power = most > 0 && most < GND_INF_$t ? gnd_frexpe_$t(most) : 0;
    for (int k = lane; k < N * N && power != 0; k += LANES)
        A(k / N, k % N) = gnd_ldexp_$t(A(k / N, k % N), -power);
    for (int sweep = 0; sweep < 30; sweep++) {
        if (t == 0)
            more[0] = 0;
        GND_BARRIER();
        $T off = 0;
        for (int k = lane; k < N * N; k += LANES)
            off = fmax(off, k / N > k % N ? fabs(A(k / N, k % N)) : 0);
        if (off > TINY)
            more[0] = 1;
        GND_BARRIER();
        if (!more[0])
            break;
        for (int s = 0; s < N - 1; s++) {
            for (int k = lane; k < H; k += LANES) {
                ROWS(k, s, p, q)
                const $T x = A(p, q);
                $T tangent = 0, cosine = 1;
                if (fabs(x) > TINY * TINY) { /* squares do not vanish */
                    const $T apart = A(q, q) - A(p, p), both = 2 * x;
                    tangent = both / (fabs(apart) + sqrt(apart * apart + both * both));
                    tangent = apart < 0 ? -tangent : tangent;
                    cosine = 1 / sqrt(tangent * tangent + 1);
                }
                TURN(s, k, 0) = cosine;
                TURN(s, k, 1) = cosine * tangent;
                A(p, p) -= tangent * x;
                A(q, q) += tangent * x;
                A(p, q) = 0;
                A(q, p) = 0;
            }
#if VECTORS
            for (int k = s > 0 && lane >= FIRST ? lane - FIRST : H * N; k < H * N; k += LANES - FIRST)
                TURN_VECTOR(s - 1, k)
#endif
            GND_BARRIER();
            /* blocks of 2 x 2: each pair with half of the others; the rest is symmetric */
            for (int k = H + lane; k < H * (H + 1) / 2; k += LANES) {
                const int x = k % H, y = (x + k / H) % H;
                const $T c = TURN(s, x, 0), d = TURN(s, x, 1), e = TURN(s, y, 0), f = TURN(s, y, 1);
                ROWS(x, s, p, q)
                ROWS(y, s, u, w)
                const $T pu = A(p, u), pw = A(p, w), qu = A(q, u), qw = A(q, w);
                const $T ru = c * pu - d * qu, rw = c * pw - d * qw, su = d * pu + c * qu, sw = d * pw + c * qw;
                A(p, u) = A(u, p) = e * ru - f * rw;
                A(p, w) = A(w, p) = f * ru + e * rw;
                A(q, u) = A(u, q) = e * su - f * sw;
                A(q, w) = A(w, q) = f * su + e * sw;
            }
            GND_BARRIER();
        }
#if VECTORS
        _Pragma("unroll 1")
        for (int k = lane; k < H * N; k += LANES)
            TURN_VECTOR(N - 2, k)
#endif
    }
    for (int k = lane; k < order; k += LANES) {
        const $T x = A(k, k);
        int below = 0;
        for (int j = 0; j < order; j++)
            below += A(j, j) < x || (A(j, j) == x && j < k);
        rank[mine * N + k] = below;
        if (live)
            gnd_st_$t(w, begin_w + b * order + below, gnd_ldexp_$t(x, power));
    }
#if VECTORS
    GND_BARRIER();
    for (int k = lane; k < order * order && live; k += LANES)
        gnd_st_$t(y, begin + (b * order + rank[mine * N + k / order]) * order + k % order, V(k / order, k % order));
#endif
