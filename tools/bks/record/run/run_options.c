// SPDX-License-Identifier: MIT

#include "record/run/run_options.h"

#include <string.h>

#include "backstitch/base.h"
#include "base/tool.h"

enum { LATE_TICKS_MAX = 250 };

static bool read_player(run_options *o)
{
    const char *text = o->player_text;
    if (text == NULL || strcmp(text, "none") == 0) {
        return true;
    }
    if (strcmp(text, "recorded") == 0) {
        o->player = RUN_AS_RECORDED;
        return true;
    }
    if (args_number(text, &o->player) && o->player >= 0 && o->player < BKS_PLAYERS_MAX) {
        return true;
    }
    tool_complain("--as-player", "is '%s', expected none, recorded or a number from 0 to %d", text,
                  BKS_PLAYERS_MAX - 1);
    return false;
}

int run_options_parse(run_options *o, int argc, char **argv)
{
    *o = (run_options){.times = 1, .until = INT32_MAX, .break_tick = -1, .player = RUN_AS_NONE};
    const args_option options[] = {
        ARGS_CHOICE("--render", "none|dry|full", &o->render,
                    "none (the default); dry: do all drawing work and show nothing; full: show it "
                    "in a window"),
        ARGS_INT("--times", "N", &o->times, 1, 1000000,
                 "play it N times (default 1), each time in a new process with other addresses, "
                 "heap contents, stack and clock: is the game deterministic?"),
        ARGS_INT("--until", "TICK", &o->until, 0, INT32_MAX,
                 "stop before stepping this tick (default: at the end)"),
        ARGS_FLAG("--no-verify", &o->no_verify,
                  "compare no hashes and accept any version of the game: for a changed build on "
                  "old inputs"),
        ARGS_TEXT("--as-player", "none|recorded|N", &o->player_text,
                  "play it from the perspective of player N: the others' inputs come late, are "
                  "guessed until then, and a wrong guess causes a rollback; recorded: from the "
                  "perspective of the machine that recorded, with its rollbacks (--keep "
                  "rollbacks); none (the default): all inputs known, no rollback"),
        ARGS_INT("--late", "TICKS", &o->late_ticks, 1, LATE_TICKS_MAX,
                 "with --as-player N: how late the others' inputs arrive (default 6)"),
        ARGS_INT("--break", "TICK", &o->break_tick, 0, INT32_MAX,
                 "stop in the debugger before stepping this tick"),
        ARGS_FLAG("--stats", &o->has_stats,
                  "print the time of steps, from mark to mark, and of drawing, and the ticks that "
                  "took longest"),
        ARGS_TEXT("--compare", "OTHER", &o->compare_path,
                  "compare the times of a step with those of another build, in turns: OTHER is its "
                  "plug-in, or what --json printed with it while its plug-in still exists; each "
                  "plays at least 10 times"),
        ARGS_JSON(&o->is_json),
    };
    const args_spec spec = {
        .command = "run",
        .usage = "[GAME] FILE [options]",
        .about = "Play a recording at full speed and compare every hash. Ticks that were stepped\n"
                 "with guesses when the recording stopped are stepped too, so a crash is "
                 "reproduced.\n"
                 "Without GAME, the game is found by the name in the recording.",
        ARGS_OPTIONS(options),
        ARGS_POSITIONALS(&o->positionals, 1, 2),
        .more = "examples:\n"
                "  bks run duel match.bks\n"
                "  bks run duel match.bks --as-player 1\n"
                "  bks run ./changed.so match.bks --no-verify --stats\n"
                "  bks run duel match.bks --times 20 --json >before.json\n"
                "  bks run ./faster.so match.bks --compare before.json\n"
                "  bks run ./faster.so match.bks --compare ./before.so\n"
                "  gdb -ex run --args bks run duel match.bks --break 1200\n"
                "  bks run duel crashed.bks --verbose     the last line names the tick",
    };
    const int status = args_parse(&spec, argc, argv);
    return status == ARGS_GO && !read_player(o) ? TOOL_MISUSE : status;
}
