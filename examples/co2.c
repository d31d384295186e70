/* SPDX-License-Identifier: BSD-3-Clause
 *
 * co2 [CSV [PNG]] - what decades of weekly air at Mauna Loa tell: trend, seasons, growth, cycles;
 * computed by gnd on the best device here, told in sentences and drawn as a picture. The CSV has
 * lines "decimal_year,ppm", one for each week; nan for a missing one; # for comments.
 */
#include <gnd.h>
#include <math.h>
#include "csv.h"
#include "plot.h"

#ifndef CO2_DATA
#define CO2_DATA "examples/data/co2.csv"
#endif

enum { MOST = 8192, YEAR = 52, NFREQ = 801 }; /* weeks at most; weeks in a year; frequencies */
static float year[MOST], ppm[MOST], trend[MOST], smooth[MOST], growth[MOST], season[12], decade[99];
static float freq[NFREQ], ampl[NFREQ], stat[3], rms[2];
static int32_t spot[5];

/* The part of y that lies along q, by least squares with weights w. */
static gnd_array *along(gnd_array *w, gnd_array *y, gnd_array *q)
{
    gnd_array *wq = gnd_mul(w, q), *yq = gnd_sum(gnd_mul(y, wq), GND_ALL, 0);
    return gnd_mul(q, gnd_div(yq, gnd_sum(gnd_mul(q, wq), GND_ALL, 0)));
}

/* x[from : len(x) + to] */
static gnd_array *cut(gnd_array *x, int64_t from, int64_t to)
{
    return gnd_index(x, 1, &(gnd_range){GND_IDX_SLICE, from, gnd_dim(x, 0) + to, 1, NULL});
}

/* A row for each of lo, lo + 1 ... hi - 1: 1 where floor(x) is that number, 0 elsewhere. */
static gnd_array *one_hot(gnd_array *x, int64_t lo, int64_t hi)
{
    gnd_array *row = gnd_arange_i64(gnd_device_of(x), lo, hi, 1, GND_FLOAT32);
    return gnd_astype(gnd_equal(gnd_at(row, ":, None"), gnd_floor(x)), GND_FLOAT32);
}

/* Computes everything from n weeks; prints what went wrong, if anything did. */
static gnd_status analyse(gnd_device *dev, int64_t n, int dec0, int dec1)
{
    gnd_array *t = gnd_from(dev, GND_FLOAT32, 1, &n, year);
    gnd_array *p = gnd_from(dev, GND_FLOAT32, 1, &n, ppm), *ok = gnd_isfinite(p);
    gnd_array *w = gnd_astype(ok, GND_FLOAT32), *y = gnd_where(ok, p, gnd_real(0));

    /* The trend: a parabola, as the sum of three polynomials orthogonal over the measured weeks. */
    gnd_array *u = gnd_sub(t, gnd_mean(t, GND_ALL, 0)), *q0 = gnd_ones_like(t, GND_FLOAT32);
    gnd_array *q1 = gnd_sub(u, along(w, u, q0)), *uu = gnd_square(u);
    gnd_array *q2 = gnd_sub(gnd_sub(uu, along(w, uu, q0)), along(w, uu, q1));
    gnd_array *fit = gnd_add(gnd_add(along(w, y, q0), along(w, y, q1)), along(w, y, q2));
    gnd_array *rest = gnd_mul(w, gnd_sub(y, fit));

    /* The seasons: means by month are products with a (12, n) matrix, and so is their way back. */
    gnd_array *month = one_hot(gnd_mul(gnd_real(12), gnd_sub(t, gnd_floor(t))), 0, 12);
    gnd_array *cycle = gnd_div(gnd_matmul(month, rest), gnd_matmul(month, w));
    gnd_array *left = gnd_mul(w, gnd_sub(rest, gnd_matmul(cycle, month)));

    /* The record without seasons: a mean over 53 weeks, the outer two by half. Its growth. */
    gnd_array *slow = cut(fit, YEAR / 2, -YEAR / 2), *part = gnd_div(left, gnd_real(YEAR));
    for (int i = 0; i <= YEAR; i++)
        slow = gnd_add(slow, gnd_mul(gnd_real(i % YEAR ? 1 : 0.5), cut(part, i, i - YEAR)));
    gnd_array *gain = gnd_sub(cut(slow, YEAR, 0), cut(slow, 0, -YEAR));
    gnd_array *rate = gnd_div(gain, gnd_real(YEAR * 7 / 365.25));
    gnd_array *tens = one_hot(gnd_div(cut(t, YEAR, -YEAR), gnd_real(10)), dec0, dec1);
    gnd_array *bydec = gnd_div(gnd_matmul(tens, rate), gnd_sum(tens, GND_AXIS(1), 0));

    /* The spectrum: a Fourier matrix (frequencies, weeks) times the record without its trend. */
    gnd_array *f = gnd_linspace(dev, gnd_real(0.1), gnd_real(4.1), NFREQ, 1, GND_FLOAT32);
    gnd_array *turns = gnd_mul(gnd_complex(0, -2 * acos(-1)), gnd_mul(gnd_at(f, ":, None"), u));
    gnd_array *weeks = gnd_sum(w, GND_ALL, 0), *a = gnd_abs(gnd_matmul(gnd_exp(turns), rest));
    gnd_array *line = gnd_div(gnd_mul(gnd_real(2), a), weeks);
    gnd_array *both = gnd_stack(2, (gnd_array *[]){rest, left}, 0); /* (2, n) */
    gnd_array *power = gnd_div(gnd_sum(gnd_square(both), GND_AXIS(1), 0), weeks);
    gnd_array *some[] = {weeks, gnd_min(gnd_where(ok, p, gnd_real(INFINITY)), GND_ALL, 0),
                         gnd_max(y, GND_ALL, 0)};
    gnd_array *where[] = {gnd_argmax(cycle, GND_ALL, 0), gnd_argmin(cycle, GND_ALL, 0),
                          gnd_argmax(rate, GND_ALL, 0), gnd_argmax(line, GND_ALL, 0),
                          gnd_argmax(gnd_mul(line, gnd_greater(f, gnd_real(1.5))), GND_ALL, 0)};
    gnd_array *all[] = {fit,
                        slow,
                        rate,
                        cycle,
                        bydec,
                        f,
                        line,
                        gnd_stack(3, some, 0),
                        gnd_sqrt(power),
                        gnd_astype(gnd_stack(5, where, 0), GND_INT32)};
    void *to[] = {trend, smooth, growth, season, decade, freq, ampl, stat, rms, spot};
    gnd_status s = gnd_eval_all(10, all); /* nothing was computed before this line */
    for (int i = 0; i < 10; i++)
        if ((s = gnd_read(all[i], to[i], gnd_nbytes(all[i]))) != GND_OK)
            return fprintf(stderr, "co2: %s\n", gnd_error(all[i])), s;
    return s;
}

static const char *draw(int n, int dec0, int dec1, const char *png)
{
    plot *g = plot_new(1400, 960, "Carbon dioxide in the air over Mauna Loa, Hawaii",
                       "Weekly means of the Scripps Institution of Oceanography, analysed by gnd");
    plot_panel(g, 86, 145, 1284, 350, "The record", NULL, "parts per million");
    plot_axes(g, floor(year[0]), ceil(year[n - 1]), floor(stat[1]) - 3, ceil(stat[2]) + 6);
    plot_dots(g, n, year, ppm, 0x9cb8d3, 1.7, "weekly means");
    plot_line(g, n, year, trend, 0xd1495b, 2, "fitted parabola");
    plot_line(g, n - YEAR, year + YEAR / 2, smooth, 0x16466f, 2.4, "without the seasons");
    plot_panel(g, 86, 605, 350, 270, "The seasons", "month", "ppm from the trend");
    plot_bars(g, 12, season, -4, 4, "JFMAMJJASOND", 0xe39b3b, 0x3f88c5);
    plot_panel(g, 553, 605, 350, 270, "Growth", NULL, "ppm a year");
    plot_axes(g, floor(year[0]), ceil(year[n - 1]), 0, 3.5);
    plot_line(g, n - 2 * YEAR, year + YEAR, growth, 0x16466f, 2, "over twelve months");
    plot_steps(g, dec1 - dec0, 10 * dec0, 10, decade, 0xd1495b, 3, "mean of the decade");
    plot_panel(g, 1020, 605, 350, 270, "Cycles", "cycles a year", "amplitude in ppm");
    plot_axes_log(g, 0, 4, 0.01, 10);
    plot_line(g, NFREQ, freq, ampl, 0x2a7f62, 1.5, NULL);
    plot_note(g, 1, 3, "1 year");
    plot_note(g, 2, 0.8, "6 months");
    return plot_save(g, png);
}

int main(int argc, char **argv)
{
    const char *png = argc > 2 ? argv[2] : "co2.png", *bad;
    const char *mon = "JanFebMarAprMayJunJulAugSepOctNovDec";
    char why[256] = "the record covers less than 3 years";
    int n = csv_pairs(argc > 1 ? argv[1] : CO2_DATA, MOST, year, ppm, why, sizeof why);
    if (n < 3 * YEAR)
        return fprintf(stderr, "co2: %s\n", why), 1;
    int dec0 = (int)ceil(year[YEAR] / 10), dec1 = (int)floor(year[n - YEAR] / 10);
    gnd_scope_begin();
    gnd_device *dev = gnd_open(NULL);
    gnd_status s = analyse(dev, n, dec0, dec1);
    gnd_device_info info = {0};
    gnd_stats count = {0};
    gnd_device_describe(dev, &info);
    gnd_device_stats(dev, &count);
    gnd_scope_end();
    gnd_close(dev);
    if (s != GND_OK)
        return 1;
    printf("Weekly CO2 from %.2f to %.2f: %d weeks, %d of them missing, %.1f to %.1f ppm.\n",
           year[0], year[n - 1], n, n - (int)stat[0], stat[1], stat[2]);
    printf("The trend rises from %.1f to %.1f ppm. Growth in ppm a year:", trend[0], trend[n - 1]);
    for (int d = dec0; d < dec1; d++)
        printf(" %.2f in the %d0s,", decade[d - dec0], d);
    printf(" at most %.2f around %.1f.\n", growth[spot[2]], year[YEAR + spot[2]]);
    printf("The seasons swing by %.2f ppm, from %.2f in %.3s to %.2f in %.3s.\n",
           season[spot[0]] - season[spot[1]], season[spot[1]], mon + 3 * spot[1], season[spot[0]],
           mon + 3 * spot[0]);
    printf("The strongest cycle takes %.3f years (%.2f ppm), the next strongest %.3f (%.2f).\n",
           1 / freq[spot[3]], ampl[spot[3]], 1 / freq[spot[4]], ampl[spot[4]]);
    printf("What is left has an rms of %.2f ppm, with the seasons %.2f.\n", rms[1], rms[0]);
    if ((bad = draw(n, dec0, dec1, png)))
        return fprintf(stderr, "co2: %s: %s\n", png, bad), 1;
    return printf("Computed on %s (%s) by %d kernels and %d library calls; drawn in %s.\n", info.id,
                  info.name, (int)count.kernels_launched, (int)count.library_calls, png) < 0;
}
