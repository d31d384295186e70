/* SPDX-License-Identifier: BSD-3-Clause
 *
 * plot.c - panels with axes, lines, dots, bars and legends over cairo; plot.h says how to use it.
 *
 * Sizes are in pixels of a picture 1400 wide and scale with the width. Cairo keeps the first error
 * of a context, and drawing on it then does nothing: plot_save is the one place that asks.
 */
#include "plot.h"

#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TURN 6.283185307179586

enum { MAX_LABELS = 8, INK = 0x1f2933, FAINT = 0x5f6b76, GRID = 0xe4e8ec };

struct plot {
    cairo_surface_t *surface;
    cairo_t *cr;
    double unit;           /* one pixel of a picture 1400 wide */
    double fx, fy, fw, fh; /* the frame of the panel, in pixels */
    double x0, x1, y0, y1; /* what its axes cover */
    int logy, nlabels;
    struct {
        const char *text;
        unsigned colour;
        double size;
        int dots;
    } label[MAX_LABELS];
};

static plot broken; /* what plot_new gives when there is no memory */

static void colour(plot *p, unsigned rgb)
{
    cairo_set_source_rgb(p->cr, (rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0,
                         (rgb & 255) / 255.0);
}

/* Text whose anchor is at (x, y) pixels: ax 0 left, 0.5 middle, 1 right; ay 0 baseline, 0.5 middle
 * of the digits, 1 top of them. A negative size is bold. */
static void text(plot *p, double x, double y, double ax, double ay, double size, unsigned rgb,
                 const char *s)
{
    cairo_text_extents_t e;
    double pixels = fabs(size) * p->unit;
    cairo_select_font_face(p->cr, "sans", CAIRO_FONT_SLANT_NORMAL,
                           size < 0 ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(p->cr, pixels);
    cairo_text_extents(p->cr, s, &e);
    colour(p, rgb);
    cairo_move_to(p->cr, x - ax * e.x_advance, y + ay * 0.73 * pixels);
    cairo_show_text(p->cr, s);
}

static double px(const plot *p, double x)
{
    return p->fx + p->fw * (x - p->x0) / (p->x1 - p->x0);
}

static double py(const plot *p, double y)
{
    double a = p->logy ? log(p->y0) : p->y0, b = p->logy ? log(p->y1) : p->y1;
    if (p->logy)
        y = y > 0 ? log(y) : a - 1;
    return p->fy + p->fh * (b - y) / (b - a);
}

/* The step 1, 2 or 5 times a power of ten that cuts the span into at most n parts. */
static double nice(double span, double n)
{
    double raw = span / (n < 1 ? 1 : n), ten = pow(10, floor(log10(raw)));
    return ten * (raw <= ten ? 1 : raw <= 2 * ten ? 2 : raw <= 5 * ten ? 5 : 10);
}

static void rule(plot *p, double x0, double y0, double x1, double y1, unsigned rgb, double width)
{
    colour(p, rgb);
    cairo_set_line_width(p->cr, width * p->unit);
    cairo_move_to(p->cr, x0, y0);
    cairo_line_to(p->cr, x1, y1);
    cairo_stroke(p->cr);
}

static void dot(plot *p, double x, double y, double radius, unsigned rgb)
{
    colour(p, rgb);
    cairo_arc(p->cr, x, y, radius * p->unit, 0, TURN);
    cairo_fill(p->cr);
}

/* at as a label for ticks that are step apart, with a real minus. */
static const char *number(char s[32], double at, double step)
{
    int digits = step < 1 ? (int)ceil(-log10(step) - 1e-9) : 0;
    at = fabs(at) < step * 1e-6 ? 0 : at;
    snprintf(s, 32, "%s%.*f", at < 0 ? "\u2212" : "", digits, fabs(at));
    return s;
}

static void x_tick(plot *p, double at, const char *s, int mark)
{
    double x = floor(px(p, at)) + 0.5, y = p->fy + p->fh, u = p->unit;
    if (mark) {
        rule(p, x, p->fy, x, y, GRID, 1);
        rule(p, x, y, x, y + 5 * u, FAINT, 1);
    }
    text(p, x, y + 10 * u, 0.5, 1, 15, INK, s);
}

static void y_tick(plot *p, double at, double step)
{
    double y = floor(py(p, at)) + 0.5, u = p->unit;
    char s[32];
    rule(p, p->fx, y, p->fx + p->fw, y, GRID, 1);
    rule(p, p->fx - 5 * u, y, p->fx, y, FAINT, 1);
    text(p, p->fx - 9 * u, y, 1, 0.5, 15, INK, number(s, at, step));
}

plot *plot_new(int width, int height, const char *title, const char *subtitle)
{
    plot *p = calloc(1, sizeof *p);
    if (!p)
        return &broken;
    p->surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    p->cr = cairo_create(p->surface);
    p->unit = width / 1400.0;
    cairo_set_source_rgb(p->cr, 1, 1, 1);
    cairo_paint(p->cr);
    cairo_set_line_join(p->cr, CAIRO_LINE_JOIN_ROUND);
    text(p, 28 * p->unit, 30 * p->unit, 0, 1, -27, INK, title);
    if (subtitle)
        text(p, 28 * p->unit, 69 * p->unit, 0, 1, 16.5, FAINT, subtitle);
    return p;
}

/* The legend of the panel that ends, in its upper left corner. */
static void legend(plot *p)
{
    double u = p->unit, x = p->fx + 18 * u;
    for (int i = 0; i < p->nlabels; i++) {
        double y = p->fy + (20 + 25 * i) * u, size = p->label[i].size;
        for (int k = 0; p->label[i].dots && k < 3; k++)
            dot(p, x + (5 + 10 * k) * u, y + (2 - 2 * k) * u, size + 0.6, p->label[i].colour);
        if (!p->label[i].dots)
            rule(p, x, y, x + 30 * u, y, p->label[i].colour, size + 0.4);
        text(p, x + 41 * u, y, 0, 0.5, 15, INK, p->label[i].text);
    }
    p->nlabels = 0;
}

void plot_panel(plot *p, double left, double top, double width, double height, const char *title,
                const char *xlabel, const char *ylabel)
{
    double u = p->unit;
    if (!p->cr)
        return;
    legend(p);
    p->fx = floor(left * u) + 0.5;
    p->fy = floor(top * u) + 0.5;
    p->fw = floor(width * u);
    p->fh = floor(height * u);
    text(p, p->fx, p->fy - 14 * u, 0, 0, -18, INK, title);
    if (xlabel)
        text(p, p->fx + p->fw / 2, p->fy + p->fh + 34 * u, 0.5, 1, 15, FAINT, xlabel);
    if (ylabel) {
        cairo_save(p->cr);
        cairo_translate(p->cr, p->fx - 56 * u, p->fy + p->fh / 2);
        cairo_rotate(p->cr, -TURN / 4);
        text(p, 0, 0, 0.5, 0, 15, FAINT, ylabel);
        cairo_restore(p->cr);
    }
}

static void axes(plot *p, double x0, double x1, double y0, double y1, int logy, const char *letters)
{
    double u = p->unit, step;
    char s[32];
    if (!p->cr)
        return;
    p->x0 = x0;
    p->x1 = x1;
    p->y0 = y0;
    p->y1 = y1;
    p->logy = logy;
    for (int i = 0; letters && letters[i]; i++)
        x_tick(p, i + 0.5, (char[]){letters[i], 0}, 0);
    step = nice(x1 - x0, p->fw / (72 * u));
    for (double k = ceil(x0 / step - 1e-9); !letters && k * step <= x1 + 1e-9 * step; k++)
        x_tick(p, k * step, number(s, k * step, step), 1);
    step = nice(y1 - y0, p->fh / (45 * u));
    for (double k = ceil(y0 / step - 1e-9); !logy && k * step <= y1 + 1e-9 * step; k++)
        y_tick(p, k * step, step);
    for (double k = ceil(log10(logy ? y0 : 1) - 1e-9); logy && k <= log10(y1) + 1e-9; k++)
        y_tick(p, pow(10, k), pow(10, k));
    rule(p, p->fx, p->fy, p->fx, p->fy + p->fh, FAINT, 1);
    if (!logy && y0 < 0 && y1 > 0)
        rule(p, p->fx, floor(py(p, 0)) + 0.5, p->fx + p->fw, floor(py(p, 0)) + 0.5, FAINT, 1);
    else
        rule(p, p->fx, p->fy + p->fh, p->fx + p->fw, p->fy + p->fh, FAINT, 1);
}

void plot_axes(plot *p, double x0, double x1, double y0, double y1)
{
    axes(p, x0, x1, y0, y1, 0, NULL);
}

void plot_axes_log(plot *p, double x0, double x1, double y0, double y1)
{
    axes(p, x0, x1, y0, y1, 1, NULL);
}

void plot_bars(plot *p, int n, const float *y, double y0, double y1, const char *letters,
               unsigned above, unsigned below)
{
    axes(p, 0, n, y0, y1, 0, letters);
    for (int i = 0; p->cr && i < n; i++) {
        double x = px(p, i + 0.14), zero = floor(py(p, 0)) + 0.5;
        colour(p, y[i] > 0 ? above : below);
        cairo_rectangle(p->cr, x, zero, px(p, i + 0.86) - x, py(p, y[i]) - zero);
        cairo_fill(p->cr);
    }
}

/* Begins figures, cut at the frame. */
static void begin(plot *p, unsigned rgb, double size, int dots, const char *label)
{
    if (label && p->nlabels < MAX_LABELS) {
        p->label[p->nlabels].text = label;
        p->label[p->nlabels].colour = rgb;
        p->label[p->nlabels].size = size;
        p->label[p->nlabels++].dots = dots;
    }
    cairo_save(p->cr);
    cairo_rectangle(p->cr, p->fx, p->fy, p->fw, p->fh);
    cairo_clip(p->cr);
    colour(p, rgb);
    cairo_set_line_width(p->cr, size * p->unit);
}

void plot_line(plot *p, int n, const float *x, const float *y, unsigned rgb, double width,
               const char *label)
{
    int down = 0; /* the pen is on the paper */
    if (!p->cr)
        return;
    begin(p, rgb, width, 0, label);
    for (int i = 0; i < n; i++) {
        if (isnan(x[i]) || isnan(y[i]))
            down = 0;
        else if (down++)
            cairo_line_to(p->cr, px(p, x[i]), py(p, y[i]));
        else
            cairo_move_to(p->cr, px(p, x[i]), py(p, y[i]));
    }
    cairo_stroke(p->cr);
    cairo_restore(p->cr);
}

void plot_dots(plot *p, int n, const float *x, const float *y, unsigned rgb, double radius,
               const char *label)
{
    if (!p->cr)
        return;
    begin(p, rgb, radius, 1, label);
    for (int i = 0; i < n; i++)
        if (!isnan(x[i]) && !isnan(y[i]))
            dot(p, px(p, x[i]), py(p, y[i]), radius, rgb);
    cairo_restore(p->cr);
}

void plot_steps(plot *p, int n, double x0, double step, const float *y, unsigned rgb, double width,
                const char *label)
{
    for (int i = 0; i < n; i++) {
        float x[2] = {(float)(x0 + i * step), (float)(x0 + (i + 1) * step)};
        plot_line(p, 2, x, (float[]){y[i], y[i]}, rgb, width, i ? NULL : label);
    }
}

void plot_note(plot *p, double x, double y, const char *s)
{
    if (p->cr)
        text(p, px(p, x), py(p, y) - 9 * p->unit, 0.5, 0, 15, INK, s);
}

const char *plot_save(plot *p, const char *path)
{
    cairo_status_t s = CAIRO_STATUS_NO_MEMORY;
    if (p->cr) {
        legend(p);
        s = cairo_status(p->cr);
        if (s == CAIRO_STATUS_SUCCESS)
            s = cairo_surface_write_to_png(p->surface, path);
        cairo_destroy(p->cr);
        cairo_surface_destroy(p->surface);
        free(p);
    }
    return s == CAIRO_STATUS_SUCCESS ? NULL : cairo_status_to_string(s);
}
