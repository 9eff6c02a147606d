// SPDX-License-Identifier: MIT

#include "commands.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/args.h"
#include "base/command.h"
#include "base/crash.h"
#include "base/tool.h"

/// What left_out_windows.c answers for.
#ifdef _WIN32
#define NOT_HERE ", not on Windows"
#define SHOWN    "'bks play duel' shows it at work"
#else
#define NOT_HERE ""
#define SHOWN    "'bks demo' shows it at work"
#endif

const command commands[] = {
    {"games", "list the games found", cmd_games},
    {"play", "play a game, alone or over the network", cmd_play},
    {"demo", "show a match over a bad connection, now" NOT_HERE, cmd_demo},
    {"lab", "run a whole match in one process on a simulated network", cmd_lab},
    {"sweep", "run random lab matches until one fails" NOT_HERE, cmd_sweep},
    {"monkey", "play random inputs and record them", cmd_monkey},
    {"check", "find out whether a game is deterministic, and where it is not", cmd_check},
    {"doctor", "find out why two recordings of a match differ" NOT_HERE, cmd_doctor},
    {"inspect", "look at a running match" NOT_HERE, cmd_inspect},
    {"bench", "run the benchmarks" NOT_HERE, cmd_bench},
    {"replay", "inspect, verify, cut and compare recordings", cmd_replay},
    {"run", "play a recording at full speed", cmd_run},
    {NULL, NULL, NULL},
};

static void print_help(FILE *to)
{
    fprintf(to, "usage: bks COMMAND [arguments]\n\n"
                "Backstitch: play, test and verify deterministic games with rollback netcode.\n\n"
                "commands:\n");
    for (const command *at = commands; at->name != NULL; at++) {
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
    for (const command *at = commands; at->name != NULL && count < ARGS_COUNT(known); at++) {
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
    for (const command *at = commands; at->name != NULL; at++) {
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
    (void)signal(SIGXFSZ, SIG_IGN); // a file as large as files may be is like a full disk
#endif
    return tool_close_output(run(argc, argv));
}
