/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd.c - the command gnd: finds the subcommand and runs it.
 */
#include "gnd.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"devices", cmd_devices},     {"eval", cmd_eval},   {"explain", cmd_explain},
    {"functions", cmd_functions}, {"bench", cmd_bench}, {"tune", cmd_tune},
};
enum { NCOMMANDS = sizeof commands / sizeof commands[0] };

static int is_help(const char *s)
{
    return !strcmp(s, "--help") || !strcmp(s, "-h");
}

static int version(void)
{
    printf("gnd %s\n", gnd_version());
    return finish_output(NULL);
}

static int show_help(const char *cmd)
{
    if (help(cmd))
        return misuse(NULL, "there is no command and no function '%s'", cmd);
    return finish_output(NULL);
}

int main(int argc, char **argv)
{
    /* If the reader closes the pipe, writing fails, and the exit status says so. */
    signal(SIGPIPE, SIG_IGN);
    if (argc < 2)
        return misuse(NULL, "no command");
    const char *cmd = argv[1];
    if (is_help(cmd) || !strcmp(cmd, "help")) {
        if (argc > 3)
            return misuse(NULL, "too many arguments");
        return show_help(argc == 3 && !is_help(argv[2]) ? argv[2] : NULL);
    }
    if (!strcmp(cmd, "--version") || !strcmp(cmd, "-V"))
        return argc > 2 ? misuse(NULL, "too many arguments") : version();
    for (int i = 0; i < NCOMMANDS; i++) {
        if (strcmp(cmd, commands[i].name))
            continue;
        if (argc == 3 && is_help(argv[2]))
            return show_help(cmd);
        return commands[i].run(argc - 1, argv + 1);
    }
    return misuse(NULL, "there is no %s '%s'", cmd[0] == '-' ? "option" : "command", cmd);
}
