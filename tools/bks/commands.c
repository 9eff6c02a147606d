// SPDX-License-Identifier: MIT

#include "base/command.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/args.h"
#include "base/crash.h"
#include "base/tool.h"

// Commands for Linux only: they fork, watch processes, or read debug information of ELF files.
#ifdef _WIN32
static int refuse(int argc, char **argv)
{
    (void)argc;
    tool_complain(argv[0], "does not work on Windows, only on Linux");
    return TOOL_MISUSE;
}
#define LINUX_ONLY(name, about, main)          \
    {                                          \
        name, about ", not on Windows", refuse \
    }
#define SHOWN "'bks play duel' shows it at work"
#else
#define LINUX_ONLY(name, about, main) \
    {                                 \
        name, about, main             \
    }
#define SHOWN "'bks demo' shows it at work"
#endif

const tool_command commands[] = {
    {"games", "list the games found", cmd_games},
    {"play", "play a game, alone or over the network", cmd_play},
    LINUX_ONLY("demo", "show a match over a bad connection, now", cmd_demo),
    {"lab", "run a whole match in one process on a simulated network", cmd_lab},
    LINUX_ONLY("sweep", "run random lab matches until one fails", cmd_sweep),
    {"monkey", "play random inputs and record them", cmd_monkey},
    {"check", "find out whether a game is deterministic, and where it is not", cmd_check},
    LINUX_ONLY("doctor", "find out why two recordings of a match differ", cmd_doctor),
    LINUX_ONLY("inspect", "look at a running match", cmd_inspect),
    LINUX_ONLY("bench", "run the benchmarks", cmd_bench),
    {"replay", "inspect, verify, cut and compare recordings", cmd_replay},
    {"run", "play a recording at full speed", cmd_run},
    {NULL, NULL, NULL},
};

static void print_help(FILE *to)
{
    fprintf(to, "usage: bks COMMAND [arguments]\n\n"
                "Backstitch: play, test and verify deterministic games with rollback netcode.\n\n"
                "commands:\n");
    for (const tool_command *at = commands; at->name != NULL; at++) {
        fprintf(to, "  %-10s%s\n", at->name, at->about);
    }
    fprintf(
        to,
        "\n"
        "'bks COMMAND --help' lists a command's options, 'bks --version' prints the version,\n"
        "and " SHOWN ".\n"
        "\n"
        "exit status: 0 success; 1 the answer is \"no\" (diverged, not verified, not finished);\n"
        "2 wrong usage; 3 an input cannot be read or is damaged, or an output cannot be written\n");
}

static int complain_unknown(const char *name)
{
    const char *known[32];
    uint32_t count = 0;
    for (const tool_command *at = commands; at->name != NULL && count < ARGS_COUNT(known); at++) {
        known[count++] = at->name;
    }
    const uint32_t nearest = args_nearest(name, known, count);
    if (nearest != UINT32_MAX) {
        tool_complain(name, "no such command, did you mean '%s'?", known[nearest]);
    } else {
        tool_complain(name, "no such command, expected one of 'bks --help'");
    }
    return TOOL_MISUSE;
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return TOOL_MISUSE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        print_help(stdout);
        return TOOL_OK;
    }
    if (strcmp(name, "--version") == 0) {
        printf("bks %d.%d.%d\n", BKS_VERSION / 10000, BKS_VERSION / 100 % 100, BKS_VERSION % 100);
        return TOOL_OK;
    }
    if (strcmp(name, "help") == 0) {
        if (argc < 3) {
            print_help(stdout);
            return TOOL_OK;
        }
        char help[] = "--help";
        char *asked[] = {argv[0], argv[2], help, NULL};
        return run(3, asked);
    }
    for (const tool_command *at = commands; at->name != NULL; at++) {
        if (strcmp(name, at->name) == 0) {
            return at->main(argc - 1, argv + 1);
        }
    }
    return complain_unknown(name);
}

int commands_run(int argc, char **argv)
{
    tool_guard_streams();
    tool_log_open(false);
    crash_catch();
#ifdef SIGXFSZ
    // Ignore the signal SIGXFSZ. Otherwise a write at the file size limit would end the program
    // instead of failing as on a full disk.
    (void)signal(SIGXFSZ, SIG_IGN);
#endif
    return tool_close_output(run(argc, argv));
}
