// SPDX-License-Identifier: MIT

/// @file run_options.h
/// What `bks run` takes.

#ifndef BKS_TOOL_RUN_OPTIONS_H
#define BKS_TOOL_RUN_OPTIONS_H

#include "base/args.h"

/// --render
typedef enum run_render { RUN_RENDER_NONE, RUN_RENDER_DRY, RUN_RENDER_FULL } run_render;

/// --as-player, when it is no player.
enum { RUN_AS_NONE = -1, RUN_AS_RECORDED = -2 };

/// What the command line says.
typedef struct run_options {
    args_list positionals;    ///< GAME, which may be missing, and FILE
    uint32_t render;          ///< one of run_render
    int64_t times;            ///< to play it
    int64_t until;            ///< INT32_MAX: to the end
    int64_t break_tick;       ///< -1: none
    const char *player_text;  ///< as typed, NULL: not
    int64_t player;           ///< as whose machine, RUN_AS_NONE: straight or RUN_AS_RECORDED
    int64_t late_ticks;       ///< 0: not given
    const char *compare_path; ///< NULL: not
    bool no_verify;           ///< and take any version
    bool has_stats;           ///< with marks
    bool is_json;             ///< one object on stdout
} run_options;

/// Read the command line. Errors go to stderr.
/// @param out  receives it
/// @return ARGS_GO, or the exit status to end with
int run_options_parse(run_options *out, int argc, char **argv);

#endif
