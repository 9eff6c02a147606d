// SPDX-License-Identifier: MIT

#include <inttypes.h>

#include "base/args.h"
#include "base/command.h"
#include "base/tool.h"
#include "record/recording/replay_commands.h"
#include "record/recording/replay_print.h"

enum { FORMAT_CSV, FORMAT_JSON, FORMAT_COMMANDS };

// Options of 'cat' and 'export'.
typedef struct print_options {
    int64_t from;
    int64_t until;
    bool is_json;
    uint32_t format;
    replay_print_extras extras;
} print_options;

// Warn that an input log, as a source, gives no commands.
static void warn_of_commands(const replay_file *file)
{
    if (file->info->command_ticks > 0) {
        tool_complain(file->path,
                      "has commands at %" PRIu32 " ticks, which an input log shows but does not "
                      "play: --input P=replay:FILE plays both, and 'bks replay export --format "
                      "commands' prints a command trace",
                      file->info->command_ticks);
    }
}

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
    } else if (o->format == FORMAT_COMMANDS) {
        replay_commands_print_trace(&file, from, end);
    } else {
        replay_print_input_log(&file, from, end, &o->extras);
        warn_of_commands(&file);
    }
    result = result == TOOL_OK ? file.status : result;
    replay_file_close(&file);
    return result;
}

static int parse_and_print(args_spec *spec, print_options *o, int argc, char **argv)
{
    args_list files = {0};
    spec->usage = "[options] FILE";
    spec->positionals = &files;
    spec->positionals_min = 1;
    spec->positionals_max = 1;
    const int status = args_parse(spec, argc, argv);
    if (status != ARGS_GO) {
        return status;
    }
    if (o->format == FORMAT_COMMANDS &&
        (o->is_json || o->extras.has_hashes || o->extras.has_events || o->extras.has_values)) {
        tool_complain("--format", "commands prints commands alone, expected no --json, --hashes, "
                                  "--events or --values with it");
        return TOOL_MISUSE;
    }
    o->is_json |= o->format == FORMAT_JSON;
    return print_file(o, files.items[0]);
}

#define RANGE_OPTIONS                                                                \
    ARGS_INT("--from", "TICK", &o.from, 0, INT32_MAX, "the first tick (default 0)"), \
        ARGS_INT("--until", "TICK", &o.until, 0, INT32_MAX,                          \
                 "one past the last tick (default: all)")

int cmd_replay_cat(int argc, char **argv)
{
    print_options o = {.until = INT32_MAX};
    const args_option options[] = {
        RANGE_OPTIONS,
        ARGS_JSON(&o.is_json),
    };
    args_spec spec = {
        .command = "replay cat",
        .about = "Print the inputs of a recording, a line for each tick and player. The output is\n"
                 "an input log: '--input P=trace:FILE' plays it. Commands are header lines, which\n"
                 "begin with #: tick, player, bytes, and the first 32 of these in hexadecimal.",
        ARGS_OPTIONS(options),
    };
    return parse_and_print(&spec, &o, argc, argv);
}

int cmd_replay_export(int argc, char **argv)
{
    print_options o = {.until = INT32_MAX};
    const args_option options[] = {
        ARGS_CHOICE("--format", "csv|json|commands", &o.format,
                    "csv (the default) is an input log, as 'cat' prints it; json one object;\n"
                    "commands a command trace, which '--input P=trace:FILE' plays"),
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
        .about = "Print a recording for other programs: the inputs and commands, and on request "
                 "hashes,\n"
                 "events and values; in an input log all but inputs are header lines, which begin\n"
                 "with #.",
        ARGS_OPTIONS(options),
        .more = "examples:\n"
                "  bks replay export match.bks >inputs.csv\n"
                "  bks replay export --format json --hashes --events match.bks >match.json",
    };
    return parse_and_print(&spec, &o, argc, argv);
}
