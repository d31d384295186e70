/* SPDX-License-Identifier: BSD-3-Clause
 *
 * unit_buildlog.c - device/buildlog.h: places in compilers' messages get the name, line and column
 * of the user's text, and all other lines stay.
 */
#include "tap.h"

#include "device/buildlog.h"

#include <stdlib.h>
#include <string.h>

static const char text[] = "int prelude;\n"
                           "#line 1 \"preamble\"\n"
                           "int a;\n"
                           "int b;\n"
                           "#line 10 \"operation\"\n"
                           "   wrong;\n"
                           "}\n";

static void is_rewritten(const char *log, const char *want, const char *what)
{
    char *out = gnd__buildlog_places(strdup(log), text, sizeof text - 1);
    tap_is_str(out, want, "%s", what);
    free(out);
}

int main(void)
{
    is_rewritten("", "", "nothing");
    is_rewritten("operation:10:4: error: wrong\n", "operation:10:4: error: wrong\n",
                 "a place that is right");
    is_rewritten("<kernel>:6:4: error: x\n   wrong;\n   ^\n1 error generated.\n",
                 "operation:10:4: error: x\n   wrong;\n   ^\n1 error generated.\n",
                 "lines of the whole text, after the second #line");
    is_rewritten("<kernel>:4:5: error: x", "preamble:2:5: error: x", "after the first");
    is_rewritten("<kernel>:1:5: note: y\n<kernel>:7:1: error: x\n",
                 "<kernel>:1:5: note: y\noperation:11:1: error: x\n", "before any #line it stays");
    is_rewritten("<kernel>:900:5: error: x\n", "<kernel>:900:5: error: x\n",
                 "a line that the text has not");
    is_rewritten("operation(10): error: undefined\n     wrong;\n     ^\n\n1 error\n",
                 "operation:10:4: error: undefined\n     wrong;\n     ^\n\n1 error\n",
                 "a line in parentheses, its column by the caret");
    is_rewritten("a(3): warning #177-D: f(x) was declared\nb(4): error: c\n  d\n^\n",
                 "a:3: warning #177-D: f(x) was declared\nb:4: error: c\n  d\n^\n",
                 "without a caret of its own there is no column");
    is_rewritten(
        "call f(3): no place\n(4): none\nf(x): none\n<x: 3\n<kernel>:x:3\nf(99999999999): e",
        "call f(3): no place\n(4): none\nf(x): none\n<x: 3\n<kernel>:x:3\nf(99999999999): e",
        "what only looks like a place");
    tap_is_str(gnd__buildlog_error("a warning\nthe error\nmore"), "the error\nmore",
               "the first error's line");
    tap_is_str(gnd__buildlog_error("said nothing"), "said nothing", "a log without one");
    return tap_done();
}
