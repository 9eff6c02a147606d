// SPDX-License-Identifier: MIT

#include <inttypes.h>

#include "base/args.h"
#include "base/command.h"
#include "base/tool.h"
#include "record/recording/replay_print.h"

// Options of 'cat' and 'export'.
typedef struct print_options {
    int64_t from;
    int64_t until;
    bool is_json;
    replay_print_extras extras;
} print_options;

static int print_file(const print_options *o, const char *path)
{
    replay_file file;
    if (replay_file_open(path, &file) != TOOL_OK) {
        return TOOL_DAMAGED;
    }
    replay_file_check(&file);
    const bks_recording *info = file.info;
    const bks_tick from = o->from > info->first ? (bks_tick)o->from : info->first;
    const bks_tick end = o->until < info->end ? (bks_tick)o->until : info->end;
    int result = file.status;
    if (o->until < from && o->from <= info->end) {
        tool_complain(path,
                      "begins at tick %" PRId32 " here, expected --until %" PRId32
                      " or more, not %" PRId64,
                      from, from, o->until);
        result = TOOL_MISUSE;
    } else if (o->from > info->end) {
        tool_complain(path, "has no tick %" PRId64 ", expected --from %" PRId32 " to %" PRId32,
                      o->from, info->first, info->end);
        result = TOOL_MISUSE;
    } else if (o->is_json) {
        json out;
        json_begin(&out, stdout);
        replay_print_json(&out, &file, from, end, &o->extras);
        result = json_end(&out) ? result : TOOL_DAMAGED;
    } else {
        replay_print_input_log(&file, from, end, &o->extras);
    }
    if (info->command_ticks > 0) {
        tool_complain(path,
                      "has commands at %" PRIu32 " ticks, which are not printed: --input "
                      "P=replay:FILE gives them to a match",
                      info->command_ticks);
    }
    replay_file_close(&file);
    return result;
}

static int parse_and_print(args_spec *spec, print_options *o, const uint32_t *format, int argc,
                           char **argv)
{
    args_list files = {0};
    spec->usage = "[options] FILE";
    spec->positionals = &files;
    spec->positionals_min = 1;
    spec->positionals_max = 1;
    const int status = args_parse(spec, argc, argv);
    o->is_json |= *format == 1;
    return status == ARGS_GO ? print_file(o, files.items[0]) : status;
}

#define RANGE_OPTIONS                                                                \
    ARGS_INT("--from", "TICK", &o.from, 0, INT32_MAX, "the first tick (default 0)"), \
        ARGS_INT("--until", "TICK", &o.until, 0, INT32_MAX,                          \
                 "one past the last tick (default: all)")

int cmd_replay_cat(int argc, char **argv)
{
    print_options o = {.until = INT32_MAX};
    const uint32_t format = 0;
    const args_option options[] = {
        RANGE_OPTIONS,
        ARGS_JSON(&o.is_json),
    };
    args_spec spec = {
        .command = "replay cat",
        .about = "Print the inputs of a recording, a line for each tick and player. The output is\n"
                 "an input log: '--input P=trace:FILE' plays it.",
        ARGS_OPTIONS(options),
    };
    return parse_and_print(&spec, &o, &format, argc, argv);
}

int cmd_replay_export(int argc, char **argv)
{
    print_options o = {.until = INT32_MAX};
    uint32_t format = 0;
    const args_option options[] = {
        ARGS_CHOICE("--format", "csv|json", &format,
                    "csv (the default) is an input log, as 'cat' prints it; json one object"),
        ARGS_FLAG("--json", &o.is_json, "the same as --format json"),
        RANGE_OPTIONS,
        ARGS_FLAG("--hashes", &o.extras.has_hashes, "print the recorded hashes too"),
        ARGS_FLAG("--events", &o.extras.has_events,
                  "print the events too: joins, leaves, changes of delay, desyncs, notes"),
        ARGS_FLAG("--values", &o.extras.has_values,
                  "print the values of named ranges at every tick too (of recordings made with "
                  "--keep values)"),
    };
    args_spec spec = {
        .command = "replay export",
        .about =
            "Print a recording for other programs: the inputs, and on request hashes, events and\n"
            "values; in an input log these are header lines, which begin with #.",
        ARGS_OPTIONS(options),
        .more = "examples:\n"
                "  bks replay export match.bks >inputs.csv\n"
                "  bks replay export --format json --hashes --events match.bks >match.json",
    };
    return parse_and_print(&spec, &o, &format, argc, argv);
}
