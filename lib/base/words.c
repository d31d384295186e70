/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/words.c - see words.h.
 */
#include "base/words.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

int gnd__word_find(const char *list, const char *s, size_t n, int fold)
{
    for (int i = 0; *list; i++) {
        const size_t k = strcspn(list, " ");
        if (k == n && !(fold ? strncasecmp : strncmp)(list, s, n))
            return i;
        list += k + (list[k] == ' ');
    }
    return -1;
}

void gnd__word_list(char *out, size_t size, const char *list, const char *quote)
{
    for (size_t n = 0; *list && n < size;) {
        const size_t k = strcspn(list, " ");
        const char *rest = list + k + (list[k] == ' ');
        const char *mark = !*rest                                                     ? ""
                           : rest[strcspn(rest, " ")] && rest[strcspn(rest, " ") + 1] ? ", "
                                                                                      : " or ";
        n += (size_t)snprintf(out + n, size - n, "%s%.*s%s%s", quote, (int)k, list, quote, mark);
        list = rest;
    }
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Restricted Damerau-Levenshtein distance: inserting, deleting, replacing and swapping neighbours
 * cost 2 each; a change of case costs 1. */
int gnd__near(const char *a, size_t na, const char *b, size_t nb)
{
    enum { MAX = 40 };
    int row[3][MAX + 1];
    if (na > MAX || nb > MAX)
        return 2 * MAX;
    for (size_t j = 0; j <= nb; j++)
        row[0][j] = 2 * (int)j;
    for (size_t i = 1; i <= na; i++) {
        int *cur = row[i % 3], *up = row[(i + 2) % 3], *up2 = row[(i + 1) % 3];
        cur[0] = 2 * (int)i;
        for (size_t j = 1; j <= nb; j++) {
            int same = a[i - 1] == b[j - 1] ? 0 : lower(a[i - 1]) == lower(b[j - 1]) ? 1 : 2;
            int d = up[j - 1] + same;
            if (up[j] + 2 < d)
                d = up[j] + 2;
            if (cur[j - 1] + 2 < d)
                d = cur[j - 1] + 2;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                up2[j - 2] + 2 < d)
                d = up2[j - 2] + 2;
            cur[j] = d;
        }
    }
    return row[na % 3][nb];
}
