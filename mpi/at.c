/* SPDX-License-Identifier: BSD-3-Clause
 *
 * at.c - indices as text in NumPy's syntax: ints, slices, None, newaxis and an ellipsis. Masks and
 * index arrays cannot be written as text.
 */
#include "ctx.h"

#include <ctype.h>
#include <string.h>

static const char *blanks(const char *s)
{
    while (isspace((unsigned char)*s))
        s++;
    return s;
}

static int word(const char **s, const char *w)
{
    const size_t n = strlen(w);
    if (strncmp(*s, w, n) || isalnum((unsigned char)(*s)[n]))
        return 0;
    *s += n;
    return 1;
}

/* Parses an int into *v and returns 1, or returns 0 if there is none. */
static int number(const char **s, int64_t *v)
{
    char *end;
    *s = blanks(*s);
    if (!isdigit((unsigned char)**s) && **s != '-' && **s != '+')
        return 0;
    *v = strtoll(*s, &end, 10);
    const int some = end != *s;
    *s = end;
    return some;
}

/* Parses one entry, up to a comma or the end. Returns 0, or -1 for a syntax error. */
static int entry(const char **s, gnd_range *r)
{
    *s = blanks(*s);
    if (word(s, "...")) {
        *r = GND_DOTS;
        return 0;
    }
    if (word(s, "None") || word(s, "newaxis") || word(s, "np.newaxis")) {
        *r = GND_NEWAXIS;
        return 0;
    }
    *r = GND_FULL;
    const int some = number(s, &r->start);
    *s = blanks(*s);
    if (**s != ':') {
        r->kind = GND_IDX_INT;
        return some ? 0 : -1;
    }
    ++*s;
    number(s, &r->stop);
    *s = blanks(*s);
    if (**s == ':') {
        ++*s;
        if (number(s, &r->step) && r->step == 0)
            return -1;
    }
    return 0;
}

gndm_array *gndm_at(gndm_array *x, const char *index)
{
    enum { MOST = 2 * GND_MAX_NDIM };
    gnd_range idx[MOST];
    int n = 0;
    if (!x || x->status)
        return gndm_index(x, 0, NULL);
    const char *s = index ? index : "?";
    for (int more = 1; more && n < MOST;) {
        if (entry(&s, &idx[n++]))
            break;
        s = blanks(s);
        more = *s == ',';
        s += more;
    }
    if (*s)
        return gndm__error(x->ctx, gndm__fail(x->ctx, GND_ERR_SYNTAX,
                                              "at: '%s' is not an index of ints, slices, None "
                                              "and ...",
                                              index ? index : "NULL"));
    return gndm_index(x, n, idx);
}
