/* SPDX-License-Identifier: BSD-3-Clause
 *
 * plot.h - small pictures for the examples: panels with axes, lines, dots, bars and a legend, drawn
 * by cairo. Knows nothing of gnd: it takes plain floats. Sizes are pixels of a picture 1400 wide,
 * and scale with the width.
 *
 * Errors are kept until plot_save: a plot is never NULL, and drawing on a failed one does nothing.
 */
#ifndef PLOT_H
#define PLOT_H

typedef struct plot plot;

/* A picture of width x height pixels. */
plot *plot_new(int width, int height, const char *title, const char *subtitle);
/* Ends the panel before, if any, and begins one: its frame in pixels; numbers and labels lie
 * outside. Any text but the title may be NULL. */
void plot_panel(plot *p, double left, double top, double width, double height, const char *title,
                const char *xlabel, const char *ylabel);
/* The axes of the panel, from what to what; one of these comes before any figures. */
void plot_axes(plot *p, double x0, double x1, double y0, double y1);
/* The same with a logarithmic y axis: y0 > 0. */
void plot_axes_log(plot *p, double x0, double x1, double y0, double y1);
/* Axes of their own for n bars, each with a letter below, coloured by their sign. */
void plot_bars(plot *p, int n, const float *y, double y0, double y1, const char *letters,
               unsigned above, unsigned below);
/* n points as a line of that width in pixels; NaN leaves a gap. Colours are 0xRRGGBB. label: its
 * entry in the legend, or NULL. What lies outside of the axes is cut. */
void plot_line(plot *p, int n, const float *x, const float *y, unsigned colour, double width,
               const char *label);
/* n points as dots of that radius. */
void plot_dots(plot *p, int n, const float *x, const float *y, unsigned colour, double radius,
               const char *label);
/* n level lines: y[i] from x0 + i * step to x0 + (i + 1) * step. */
void plot_steps(plot *p, int n, double x0, double step, const float *y, unsigned colour,
                double width, const char *label);
/* Text above a point. */
void plot_note(plot *p, double x, double y, const char *text);
/* Writes the PNG and frees p. NULL, or what went wrong (a constant text). */
const char *plot_save(plot *p, const char *path);

#endif
