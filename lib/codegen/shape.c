/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/shape.c - fills shapes: see shape.h. Reads the text once, line by line, and keeps
 * nothing. Lines that a condition leaves out are checked as well, so that a wrong name is found
 * whatever the conditions are.
 */
#include "codegen/shape.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

extern const char gnd__kernels_text[];

enum { MAX_DEPTH = 8, MAX_TABLES = 2, MAX_OWN = 64, ARG_ROOM = 256 };

typedef struct filler {
    gnd__str *out;
    const char *name;
    const gnd__holes *table;
    int ntables;
    gnd_err *e;
    gnd_status st;
    uint64_t used[MAX_TABLES]; /* bits: holes of a table that the shape names */
    int depth, off[MAX_DEPTH]; /* of each condition: 1: its lines are left out */
    int other[MAX_DEPTH];      /* whether ${else} was met */
} filler;

static void wrong(filler *f, const char *what, const char *s, size_t n)
{
    if (f->st == GND_OK)
        f->st = gnd__err(f->e, GND_ERR_INTERNAL, "kernels/: shape %s: %s%.*s", f->name, what,
                         (int)n, s);
}

static int is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static int same(const char *s, size_t n, const char *word)
{
    return strlen(word) == n && !memcmp(s, word, n);
}

/* The hole of that name, and the argument of its function. NULL, with an error, if there is no such
 * hole. */
static const gnd__hole *find(filler *f, const char *s, size_t n, void **who)
{
    for (int t = 0; t < f->ntables; t++)
        for (int i = 0; i < f->table[t].n; i++)
            if (same(s, n, f->table[t].hole[i].name)) {
                if (i < MAX_OWN)
                    f->used[t] |= (uint64_t)1 << i;
                *who = f->table[t].who;
                return &f->table[t].hole[i];
            }
    wrong(f, "nothing fills the hole ", s, n);
    return NULL;
}

/* The end of a hole whose inside begins at p: its brace. NULL, which is wrong: the line ends before
 * it. */
static const char *closing(filler *f, const char *p, const char *end)
{
    int open = 1;
    for (const char *q = p; q < end; q++) {
        open += *q == '{' ? 1 : *q == '}' ? -1 : 0;
        if (open == 0)
            return q;
    }
    wrong(f, "a hole does not end: ${", p, (size_t)(end - p));
    return NULL;
}

static size_t word_length(const char *p, const char *end)
{
    size_t n = 0;
    while (p + n < end && is_word(p[n]))
        n++;
    return n;
}

/* The arguments p .. end of a hole into room and a: holes in them are filled, then commas part
 * them. */
static void arguments(filler *f, const char *p, const char *end, char *room, gnd__holeargs *a)
{
    size_t at = 0;
    for (int i = 0; i < GND__HOLE_ARGS; i++)
        a->v[i] = "";
    a->n = 0;
    while (p < end && f->st == GND_OK) {
        const char *close = NULL;
        int n = 1;
        if (end - p > 1 && p[0] == '$' && p[1] == '{') {
            void *who;
            const gnd__hole *h;
            if (!(close = closing(f, p + 2, end)))
                return;
            if (!(h = find(f, p + 2, (size_t)(close - p - 2), &who)))
                return;
            if (h->write)
                wrong(f, "no number and no text: ", h->name, strlen(h->name));
            else if (h->text)
                n = snprintf(room + at, ARG_ROOM - at, "%s", h->text);
            else
                n = snprintf(room + at, ARG_ROOM - at, "%lld", (long long)h->number);
        } else {
            room[at] = *p;
        }
        if (n < 0 || at + (size_t)n + 1 >= ARG_ROOM) {
            wrong(f, "arguments are too long: ", p, (size_t)(end - p));
            return;
        }
        at += (size_t)n;
        p = close ? close + 1 : p + 1;
    }
    room[at] = '\0';
    for (char *s = room; *s && f->st == GND_OK;) {
        char *comma = strchr(s, ','), *last = comma ? comma : s + strlen(s);
        char *next = comma ? comma + 1 : last;
        if (a->n == GND__HOLE_ARGS) {
            wrong(f, "a hole with too many arguments", "", 0);
            return;
        }
        s += strspn(s, " ");
        while (last > s && last[-1] == ' ')
            last--;
        *last = '\0';
        a->v[a->n++] = s;
        s = next;
    }
}

/* Handles ${if}, ${else} and ${end}, given the inside p .. end of a hole. Returns 0 for other
 * holes. */
static int condition(filler *f, const char *p, const char *end)
{
    const size_t n = (size_t)(end - p);
    const int top = f->depth - 1;
    if (n > 3 && !memcmp(p, "if ", 3)) {
        const int not = p[3] == '!';
        void *who;
        const gnd__hole *h = find(f, p + 3 + not, n - 3 - (size_t) not, &who);
        if (f->depth == MAX_DEPTH) {
            wrong(f, "conditions are too deep: ", p, n);
        } else if (h) {
            if (h->write || h->text)
                wrong(f, "no number: ", h->name, strlen(h->name));
            f->other[f->depth] = 0;
            f->off[f->depth++] = (h->number != 0) == not ;
        }
        return 1;
    }
    if (!same(p, n, "else") && !same(p, n, "end"))
        return 0;
    if (top < 0 || (n == 4 && f->other[top]))
        wrong(f, "there is no condition for ", p, n);
    else if (n == 4)
        f->other[top] = 1, f->off[top] = !f->off[top];
    else
        f->depth--;
    return 1;
}

static int left_out(const filler *f)
{
    for (int i = 0; i < f->depth; i++)
        if (f->off[i])
            return 1;
    return 0;
}

/* The hole whose inside is p .. end. */
static void fill(filler *f, const char *p, const char *end)
{
    const size_t n = word_length(p, end);
    char room[ARG_ROOM];
    gnd__holeargs a;
    void *who;
    const gnd__hole *h = find(f, p, n, &who);
    if (!h)
        return;
    arguments(f, p + n, end, room, &a);
    if (a.n != (h->write ? (int)h->number : 0))
        wrong(f, "another number of arguments is due to ", h->name, strlen(h->name));
    if (f->st != GND_OK || left_out(f))
        return;
    if (h->write)
        h->write(who, &a);
    else if (h->text)
        gnd__str_add(f->out, h->text);
    else
        gnd__str_addf(f->out, "%lld", (long long)h->number);
}

/* One line, without its indentation. */
static void line(filler *f, const char *p, const char *end)
{
    const char *close;
    if (p == end || (end - p > 1 && p[0] == '/' && p[1] == '/'))
        return;
    if (end - p > 2 && p[0] == '$' && p[1] == '{' && (close = closing(f, p + 2, end)) != NULL &&
        close + 1 == end) {
        if (!condition(f, p + 2, close))
            fill(f, p + 2, close);
        return;
    }
    if (*p != '#' && !left_out(f))
        gnd__str_add(f->out, "    ");
    while (p < end && f->st == GND_OK) {
        const char *hole = p;
        while (hole < end && !(hole[0] == '$' && end - hole > 1 && hole[1] == '{'))
            hole++;
        if (!left_out(f))
            gnd__str_addn(f->out, p, (size_t)(hole - p));
        if (hole == end)
            break;
        if (!(close = closing(f, hole + 2, end)))
            return;
        fill(f, hole + 2, close);
        p = close + 1;
    }
    if (!left_out(f))
        gnd__str_addc(f->out, '\n');
}

static gnd_status fill_all(filler *f, const char *p, const char *end)
{
    while (p < end && f->st == GND_OK) {
        const char *nl = memchr(p, '\n', (size_t)(end - p)), *stop = nl ? nl : end;
        while (p < stop && *p == ' ')
            p++;
        line(f, p, stop);
        p = nl ? nl + 1 : end;
    }
    if (f->depth > 0)
        wrong(f, "a condition does not end", "", 0);
    for (int t = 0; t < f->ntables; t++)
        for (int i = 0; i < f->table[t].n && f->table[t].own && f->st == GND_OK; i++)
            if (i >= MAX_OWN || !(f->used[t] >> i & 1))
                wrong(f, "it has no hole ", f->table[t].hole[i].name,
                      strlen(f->table[t].hole[i].name));
    return f->st;
}

static gnd_status begin(filler *f, gnd__str *out, const char *name, const gnd__holes *table,
                        int ntables, gnd_err *e)
{
    *f = (filler){.out = out, .name = name, .table = table, .ntables = ntables, .e = e};
    if (ntables > MAX_TABLES)
        wrong(f, "too many tables", "", 0);
    return f->st;
}

gnd_status gnd__fill_text(gnd__str *out, const char *name, const char *text,
                          const gnd__holes *table, int ntables, gnd_err *e)
{
    filler f;
    gnd_status st = begin(&f, out, name, table, ntables, e);
    return st != GND_OK ? st : fill_all(&f, text, text + strlen(text));
}

/* --- the shapes of kernels/ ------------------------------------------------------------------- */

enum { MAX_SHAPES = 96 };

static struct shape {
    const char *name, *text, *end;
    size_t name_len;
} shapes[MAX_SHAPES];
static int nshapes, too_many;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_index(void)
{
    static const char mark[] = "//@shape ";
    struct shape *cur = NULL;
    for (const char *p = gnd__kernels_text; *p;) {
        const char *nl = strchr(p, '\n'), *end = nl ? nl : p + strlen(p);
        if (cur && !strncmp(p, "//@", 3)) {
            cur->end = p;
            cur = NULL;
        }
        if (!strncmp(p, mark, sizeof mark - 1)) {
            too_many = nshapes == MAX_SHAPES;
            if (too_many)
                return;
            cur = &shapes[nshapes++];
            cur->name = p + sizeof mark - 1;
            cur->name_len = (size_t)(end - cur->name);
            cur->text = nl ? nl + 1 : end;
        }
        p = nl ? nl + 1 : end;
        if (cur)
            cur->end = p;
    }
}

gnd_status gnd__fill_shape(gnd__str *out, const char *name, const gnd__holes *table, int ntables,
                           gnd_err *e)
{
    filler f;
    pthread_once(&once, make_index);
    if (begin(&f, out, name, table, ntables, e) != GND_OK)
        return f.st;
    for (const struct shape *s = shapes; s < shapes + nshapes; s++)
        if (same(s->name, s->name_len, name))
            return fill_all(&f, s->text, s->end);
    wrong(&f, too_many ? "there are too many to find it" : "there is none of that name", "", 0);
    return f.st;
}
