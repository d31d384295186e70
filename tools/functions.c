/* SPDX-License-Identifier: BSD-3-Clause
 *
 * functions.c - gnd functions: every function that can be called by name, in expressions and by
 * gnd_call; and the page of one function, which gnd help NAME prints as well.
 */
#include "gnd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "gnd functions [NAME] [--json]\n"
    "\n"
    "Every function of expressions (gnd eval) and of calls by name (gnd_call in C), by groups: the\n"
    "signature and what it gives; x.NAME marks a method. NAME: all that is known of one.\n"
    "\n"
    "  --json          as one JSON document: names, signature, parameters, group, C functions\n"
    "\n"
    "  gnd functions median\n"
    "  gnd help median\n";

static const gnd_function *find(const char *name)
{
    if (!strncmp(name, "np.", 3))
        name += 3;
    const gnd_function *f = gnd_function_find(name, 0);
    return f ? f : gnd_function_find(name, 1);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void quoted(const char *s)
{
    putchar('"');
    for (; *s; s++)
        if (*s == '"' || *s == '\\')
            printf("\\%c", *s);
        else
            putchar(*s);
    putchar('"');
}

static void member(const char *name, const char *value, int last)
{
    printf("\"%s\": ", name);
    quoted(value);
    fputs(last ? "" : ", ", stdout);
}

/* A list of the words of s. */
static void words(const char *name, const char *s)
{
    printf("\"%s\": [", name);
    while (*s) {
        const size_t n = strcspn(s, " ");
        printf("\"%.*s\"", (int)n, s);
        s += n + strspn(s + n, " ");
        fputs(*s ? ", " : "", stdout);
    }
    fputs("], ", stdout);
}

static void parameter_json(const gnd_parameter *p, int last)
{
    static const char *const kinds[] = {"place", "any", "rest", "keyword"};
    fputc('{', stdout);
    member("name", p->name, 0);
    words("others", p->others);
    if (p->value[0])
        member("default", p->value, 0);
    member("kind", kinds[p->kind], 1);
    fputs(last ? "}" : "}, ", stdout);
}

static void json(const gnd_function *f, const gnd_function_info *i)
{
    const char *name;
    fputs("{\"names\": [", stdout);
    for (int k = 0; (name = gnd_function_name(f, k)); k++) {
        fputs(k ? ", " : "", stdout);
        quoted(name);
    }
    fputs("], ", stdout);
    if (i->signature[0])
        member("signature", i->signature, 0);
    if (i->method[0])
        member("method", i->method, 0);
    member("group", i->group, 0);
    member("description", i->doc, 0);
    words("c", i->calls);
    fputs("\"parameters\": [", stdout);
    for (int k = 0; k < i->nparameters; k++)
        parameter_json(&i->parameter[k], k + 1 == i->nparameters);
    fputs("]}", stdout);
}

/* --- text ------------------------------------------------------------------------------------- */

static void page(const gnd_function *f)
{
    gnd_function_info i;
    const char *name;
    if (gnd_function_describe(f, &i))
        return;
    if (i.signature[0])
        printf("%s\n", i.signature);
    if (i.method[0])
        printf("%s\n", i.method);
    printf("\n%s\n\n", i.doc);
    for (int k = 0; k < i.nparameters; k++)
        if (i.parameter[k].others[0])
            printf("%s is also called %s\n", i.parameter[k].name, i.parameter[k].others);
    if (gnd_function_name(f, 1)) {
        fputs("names:", stdout);
        for (int k = 0; (name = gnd_function_name(f, k)); k++)
            printf(" %s", name);
        putchar('\n');
    }
    printf("group: %s\n", i.group);
    if (i.calls[0])
        printf("in C:  %s\n", i.calls);
}

int functions_help(const char *name)
{
    const gnd_function *f = find(name);
    if (!f)
        return -1;
    page(f);
    return 0;
}

static void list(const char *group)
{
    const gnd_function *f;
    gnd_function_info i;
    printf("%s\n", group);
    for (int k = 0; (f = gnd_function_at(k)); k++)
        if (!gnd_function_describe(f, &i) && !strcmp(i.group, group))
            printf("  %s\n      %s%s\n", i.signature[0] ? i.signature : i.method, i.doc,
                   i.signature[0] && i.method[0] ? " A method too." : "");
}

static void all_json(void)
{
    const gnd_function *f;
    gnd_function_info i;
    fputs("{\"functions\": [\n", stdout);
    for (int k = 0; (f = gnd_function_at(k)); k++)
        if (!gnd_function_describe(f, &i)) {
            fputs(k ? ",\n  " : "  ", stdout);
            json(f, &i);
        }
    fputs("\n]}\n", stdout);
}

int cmd_functions(int argc, char **argv)
{
    static const char *const groups[] = {"main",    "linalg", "fft",       "random",
                                         "special", "signal", "extensions"};
    const char *name = NULL;
    gnd_function_info info;
    int as_json = 0;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            fputs(usage, stdout);
            return finish_output(argv[0]);
        }
        if (!strcmp(argv[i], "--json"))
            as_json = 1;
        else if (argv[i][0] == '-' || name)
            return misuse(argv[0],
                          argv[i][0] == '-' ? "unknown option '%s'" : "one name is possible: '%s'",
                          argv[i]);
        else
            name = argv[i];
    }
    const gnd_function *f = name ? find(name) : NULL;
    if (name && !f) {
        gnd_value out;
        (void)gnd_call(NULL, name, 0, NULL, 0, NULL, &out); /* suggests a similar name */
        const char *why = gnd_message();
        return complain(argv[0], "%s", strncmp(why, "call: ", 6) ? why : why + 6);
    }
    if (f && as_json && !gnd_function_describe(f, &info)) {
        json(f, &info);
        putchar('\n');
    } else if (f) {
        page(f);
    } else if (as_json) {
        all_json();
    } else {
        for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++)
            list(groups[g]);
    }
    return finish_output(argv[0]);
}
