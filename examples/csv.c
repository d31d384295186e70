/* SPDX-License-Identifier: BSD-3-Clause
 *
 * csv.c - a CSV of two columns into two arrays; csv.h says how.
 */
#include "csv.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

int csv_pairs(const char *path, int most, float *x, float *y, char *why, size_t cap)
{
    char line[128], more;
    int n = 0, number = 0;
    FILE *f = fopen(path, "r");
    if (!f) {
        snprintf(why, cap, "%s: %s", path, strerror(errno));
        return -1;
    }
    while (n >= 0 && fgets(line, sizeof line, f)) {
        number++;
        line[strcspn(line, "\r\n")] = 0;
        if (line[0] == '#')
            continue;
        if (n < most && sscanf(line, "%f ,%f %c", x + n, y + n, &more) == 2 && isfinite(x[n])) {
            n++;
            continue;
        }
        snprintf(why, cap, "%s:%d: %s: %.60s", path, number,
                 n < most ? "not two numbers" : "one line too many", line);
        n = -1;
    }
    if (n >= 0 && ferror(f)) {
        snprintf(why, cap, "%s: %s", path, strerror(errno));
        n = -1;
    }
    fclose(f);
    return n;
}
