/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd.c - the command gnd: finds the subcommand and runs it.
 */
#include "gnd.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

/* Takes --mpi out of the arguments, if it is there before a --. */
static int wants_mpi(int argc, char **argv)
{
    int i = 2;
    while (i < argc && strcmp(argv[i], "--mpi") != 0 && strcmp(argv[i], "--") != 0)
        i++;
    if (i >= argc || strcmp(argv[i], "--mpi") != 0)
        return 0;
    for (; i < argc; i++)
        argv[i] = argv[i + 1];
    return 1;
}

/* Becomes gnd-mpi, which is beside this program in a build, or in the folder of such programs. */
static int over_ranks(char **argv)
{
    char path[4096];
    const ssize_t n = readlink("/proc/self/exe", path, sizeof path - sizeof "gnd-mpi");
    char *slash = n > 0 ? memrchr(path, '/', (size_t)n) : NULL;
    if (slash) {
        strcpy(slash + 1, "gnd-mpi");
        execv(path, argv);
    }
    execv(GND_LIBEXECDIR "/gnd-mpi", argv);
    return complain(argv[1],
                    "--mpi: this gnd was built without MPI (%s: %s): install MPI (Debian: "
                    "libopenmpi-dev, openmpi-bin), and configure and build gnd again",
                    GND_LIBEXECDIR "/gnd-mpi", strerror(errno));
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
    if (wants_mpi(argc, argv))
        return over_ranks(argv);
    for (int i = 0; i < NCOMMANDS; i++) {
        if (strcmp(cmd, commands[i].name))
            continue;
        if (argc == 3 && is_help(argv[2]))
            return show_help(cmd);
        return commands[i].run(argc - 1, argv + 1);
    }
    return misuse(NULL, "there is no %s '%s'", cmd[0] == '-' ? "option" : "command", cmd);
}
