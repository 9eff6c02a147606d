// SPDX-License-Identifier: MIT

#include <stdio.h>
#include <string.h>

#include "base/args.h"
#include "base/command.h"
#include "base/tool.h"

static const tool_command parts[] = {
    {"info", "print what is in it", cmd_replay_info},
    {"verify", "step it again and compare every hash", cmd_replay_verify},
    {"cat", "print the inputs, as an input log that can be played", cmd_replay_cat},
    {"hash", "print the hash of the state at a tick", cmd_replay_hash},
    {"state", "print the state at a tick, by names", cmd_replay_state},
    {"cut", "write a part of it to a new recording", cmd_replay_cut},
    {"diff", "print where two recordings differ", cmd_replay_diff},
    {"log", "print what happened before a desync, of two recordings side by side", cmd_replay_log},
    {"export", "print inputs, hashes and events, as an input log or as JSON", cmd_replay_export},
};

enum { PARTS = sizeof(parts) / sizeof(parts[0]) };

static void print_help(FILE *to)
{
    fprintf(to, "usage: bks replay PART [options] FILE...\n"
                "\n"
                "Inspect, verify, cut and compare recordings.\n"
                "\n"
                "parts:\n");
    for (uint32_t i = 0; i < PARTS; i++) {
        fprintf(to, "  %-10s%s\n", parts[i].name, parts[i].about);
    }
    fprintf(to, "\n"
                "'bks replay PART --help' lists the options of a part.\n");
}

int cmd_replay(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return TOOL_MISUSE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help(stdout);
        return TOOL_OK;
    }
    const char *known[PARTS];
    for (uint32_t i = 0; i < PARTS; i++) {
        known[i] = parts[i].name;
        if (strcmp(argv[1], parts[i].name) == 0) {
            return parts[i].main(argc - 1, argv + 1);
        }
    }
    const uint32_t nearest = args_nearest(argv[1], known, PARTS);
    if (nearest != UINT32_MAX) {
        tool_complain("replay", "there is no part '%s', did you mean '%s'?", argv[1],
                      known[nearest]);
    } else {
        tool_complain("replay",
                      "there is no part '%s', expected info, verify, cat, hash, state, cut, "
                      "diff, log or export",
                      argv[1]);
    }
    return TOOL_MISUSE;
}
