// SPDX-License-Identifier: MIT

#include <inttypes.h>
#include <stdio.h>

#include "base/args.h"
#include "base/command.h"
#include "base/json.h"
#include "base/tool.h"
#include "diagnose/diff/replay_diff.h"
#include "record/recording/log_cell.h"

enum { TICK_COLUMNS = 9, GAP_COLUMNS = 2 };

// One or two match logs, and which of their ticks to print.
typedef struct log_view {
    log_entries logs[2];
    uint32_t count;
    bks_tick from;
    bks_tick until;
    bks_tick differs; ///< first tick at which the logs' hashes differ, BKS_TICK_NONE: none
} log_view;

// ---- output as text ----

static void print_line(const log_cell *cells, uint32_t count, uint32_t line)
{
    for (uint32_t c = 0; c < count; c++) {
        const char *text = line < cells[c].count ? cells[c].lines[line] : "";
        const bool is_last = c + 1 == count || line >= cells[c + 1].count;
        if (is_last) {
            printf("%s", text);
            break;
        }
        printf("%-*s", (int)cells[c].width + GAP_COLUMNS, text);
    }
    printf("\n");
}

static bool hashes_differ(const log_view *view, bks_tick tick)
{
    uint32_t a = 0;
    uint32_t b = 0;
    return view->count == 2 && log_hash(&view->logs[0], tick, &a) &&
           log_hash(&view->logs[1], tick, &b) && a != b;
}

static void print_tick(const log_view *view, bks_tick tick, const uint32_t *groups, uint32_t width)
{
    static log_cell cells[2];
    uint32_t lines = 1;
    for (uint32_t c = 0; c < view->count; c++) {
        const log_entries *log = &view->logs[c];
        cells[c].width = width;
        cells[c].count = 0;
        if (groups[c] < log->group_count && log->groups[groups[c]].tick == tick) {
            log_cell_fill(&cells[c], log, groups[c], width);
        }
        lines = cells[c].count > lines ? cells[c].count : lines;
    }
    for (uint32_t line = 0; line < lines; line++) {
        if (line == 0) {
            printf("%7" PRId32 "%c ", tick, hashes_differ(view, tick) ? '!' : ' ');
        } else {
            printf("%*s", TICK_COLUMNS, "");
        }
        print_line(cells, view->count, line);
    }
}

static void print_head(const log_view *view, uint32_t width)
{
    static log_cell cells[2];
    for (uint32_t c = 0; c < view->count; c++) {
        cells[c].width = width;
        cells[c].count = 1;
        (void)snprintf(cells[c].lines[0], LOG_CELL_LINE_BYTES, "%.*s", (int)width,
                       view->logs[c].file.path);
    }
    printf("%7s  ", "tick");
    print_line(cells, view->count, 0);
}

static void print_text(const log_view *view)
{
    const uint32_t columns = (uint32_t)tool_columns();
    const uint32_t width =
        view->count == 1 ? columns - TICK_COLUMNS : (columns - TICK_COLUMNS - GAP_COLUMNS) / 2;
    uint32_t groups[2] = {log_group_from(&view->logs[0], view->from),
                          log_group_from(&view->logs[1], view->from)};
    print_head(view, width < 160 ? width : 160);
    for (;;) {
        bks_tick tick = BKS_TICK_NONE;
        for (uint32_t c = 0; c < view->count; c++) {
            const log_entries *log = &view->logs[c];
            if (groups[c] < log->group_count &&
                (tick == BKS_TICK_NONE || log->groups[groups[c]].tick < tick)) {
                tick = log->groups[groups[c]].tick;
            }
        }
        if (tick == BKS_TICK_NONE || tick >= view->until) {
            break;
        }
        print_tick(view, tick, groups, width < 160 ? width : 160);
        for (uint32_t c = 0; c < view->count; c++) {
            const log_entries *log = &view->logs[c];
            groups[c] +=
                groups[c] < log->group_count && log->groups[groups[c]].tick == tick ? 1 : 0;
        }
    }
    if (view->differs != BKS_TICK_NONE) {
        printf("the hashes differ (!) first at tick %" PRId32 "\n", view->differs);
    } else if (view->count == 2) {
        printf("no hash that both logs hold differs\n");
    }
}

// ---- output as JSON ----

static const char *reason_of(const bks_log_entry *entry)
{
    static const char *const loads[] = {
        [BKS_LOAD_ROLLBACK] = "rollback", [BKS_LOAD_AS_WAS] = "as_was", [BKS_LOAD_MOVES] = "moves"};
    static const char *const saves[] = {[BKS_SAVED_SPACED] = "spaced",
                                        [BKS_SAVED_CERTAIN] = "certain",
                                        [BKS_SAVED_MOVES] = "moves"};
    if (entry->kind == BKS_ENTRY_LOAD && entry->reason <= BKS_LOAD_MOVES) {
        return loads[entry->reason];
    }
    return entry->kind == BKS_ENTRY_SAVE && entry->reason <= BKS_SAVED_MOVES ? saves[entry->reason]
                                                                             : "unknown";
}

static void json_numbered(json *j, const char *key, uint32_t number)
{
    if (number < BKS_PLAYERS_MAX) {
        json_uint(j, key, number);
    } else {
        json_null(j, key);
    }
}

static void json_guessed(json *j, uint32_t players)
{
    json_row(j, "guessed");
    for (uint32_t p = 0; p < BKS_PLAYERS_MAX; p++) {
        if ((players >> p & 1) != 0) {
            json_uint(j, NULL, p);
        }
    }
    json_close(j);
}

// Write the JSON keys that depend on the kind of entry.
static void json_rest(json *j, const bks_log_entry *entry)
{
    char hash[16];
    switch (entry->kind) {
    case BKS_ENTRY_SENT:
    case BKS_ENTRY_CAME:
        json_numbered(j, "peer", entry->number);
        json_uint(j, "bytes", entry->value);
        break;
    case BKS_ENTRY_INPUTS:
        json_uint(j, "player", entry->number);
        json_uint(j, "count", entry->value);
        break;
    case BKS_ENTRY_SAMPLED:
    case BKS_ENTRY_WRONG:
        json_uint(j, "player", entry->number);
        break;
    case BKS_ENTRY_ROLLBACK:
        json_numbered(j, "player", entry->number);
        json_uint(j, "depth", entry->value);
        break;
    case BKS_ENTRY_LOAD:
    case BKS_ENTRY_SAVE:
        json_text(j, "reason", reason_of(entry));
        break;
    case BKS_ENTRY_STEP:
        json_bool(j, "again", entry->reason != 0);
        json_guessed(j, entry->value);
        break;
    case BKS_ENTRY_HASH:
        (void)snprintf(hash, sizeof(hash), "%08" PRIx32, entry->value);
        json_text(j, "hash", hash);
        json_bool(j, "kept", entry->reason != 0);
        break;
    case BKS_ENTRY_DELAY:
        json_uint(j, "delay", entry->value);
        break;
    case BKS_ENTRY_EVENT:
        json_text(j, "event", bks_event_kind_name((bks_event_kind)entry->value));
        json_uint(j, "peer", entry->number);
        break;
    case BKS_ENTRY_UPDATE:
        break;
    }
}

static void json_log(json *j, const log_entries *log, bks_tick from, bks_tick until)
{
    json_text(j, "file", log->file.path);
    json_array(j, "entries");
    const uint32_t first = log_group_from(log, from);
    const uint32_t end = log_group_from(log, until);
    const uint32_t from_entry = first < log->group_count ? log->groups[first].first : log->count;
    const uint32_t end_entry = end < log->group_count ? log->groups[end].first : log->count;
    for (uint32_t i = from_entry; i < end_entry; i++) {
        const bks_log_entry *entry = &log->items[i];
        json_object(j, NULL);
        json_uint(j, "time_us", entry->time_us);
        json_text(j, "kind", bks_entry_kind_name(entry->kind));
        json_tick(j, "tick", entry->tick);
        json_rest(j, entry);
        json_close(j);
    }
    json_close(j);
}

static int print_json(const log_view *view)
{
    json j;
    json_begin(&j, stdout);
    json_tick(&j, "differs", view->differs);
    json_array(&j, "logs");
    for (uint32_t c = 0; c < view->count; c++) {
        json_object(&j, NULL);
        json_log(&j, &view->logs[c], view->from, view->until);
        json_close(&j);
    }
    json_close(&j);
    return json_end(&j) ? TOOL_OK : TOOL_DAMAGED;
}

// ---- the command `bks replay log` ----

// Check that both logs are of the same match. If not, print on stderr what differs.
// @return TOOL_OK, or TOOL_NO if the logs are of different matches
static int compare_matches(const log_view *view)
{
    static replay_diff d;
    char text[512] = "";
    size_t used = 0;
    d.header_count = 0;
    replay_diff_headers(view->logs[0].file.info, view->logs[1].file.info, &d);
    for (uint32_t i = 0; i < d.header_count && used < sizeof(text); i++) {
        const replay_diff_header *header = &d.headers[i];
        if (header->counts) {
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s '%s' and '%s'",
                                     used > 0 ? ", " : "", header->name, header->a, header->b);
        }
    }
    if (used > 0) {
        tool_complain(view->logs[1].file.path, "is not of the match of %s: %s",
                      view->logs[0].file.path, text);
    }
    return used > 0 ? TOOL_NO : TOOL_OK;
}

static int print_logs(log_view *view, const args_list *files, bool is_json)
{
    int status = TOOL_OK;
    for (uint32_t c = 0; c < files->count; c++) {
        const int opened = log_open(&view->logs[c], files->items[c]);
        status = opened > status ? opened : status;
    }
    view->count = files->count;
    view->differs = BKS_TICK_NONE;
    if (view->logs[0].count > 0 && (view->count == 1 || view->logs[1].count > 0)) {
        if (view->count == 2) {
            view->differs = log_first_different(&view->logs[0], &view->logs[1]);
            const int compared = compare_matches(view);
            status = compared > status ? compared : status;
        }
        const int printed = is_json ? print_json(view) : (print_text(view), TOOL_OK);
        status = printed > status ? printed : status;
    }
    for (uint32_t c = 0; c < files->count; c++) {
        log_close(&view->logs[c]);
    }
    return status;
}

int cmd_replay_log(int argc, char **argv)
{
    int64_t from = 0;
    int64_t until = INT32_MAX;
    bool is_json = false;
    args_list files = {0};
    const args_option options[] = {
        ARGS_INT("--from", "TICK", &from, 0, INT32_MAX, "the first tick (default: the log's)"),
        ARGS_INT("--until", "TICK", &until, 1, INT32_MAX,
                 "one past the last tick (default: the log's)"),
        ARGS_JSON(&is_json),
    };
    const args_spec spec = {
        .command = "replay log",
        .usage = "[options] A.bks [B.bks]",
        .about =
            "Print the log that the recording of a match whose states differed holds: what its\n"
            "peer did in the ten seconds before, by tick. Of two recordings the logs stand side\n"
            "by side; ticks whose hashes differ are marked with '!'. Exit status 1 where there is\n"
            "no log, or the two are not of one match.",
        ARGS_OPTIONS(options),
        ARGS_POSITIONALS(&files, 1, 2),
        .more =
            "For each tick the log has the time since the match began, the last computed hash of\n"
            "the state at its start, and what happened:\n"
            "  from 1: 45 B       a packet of peer 1 with 45 bytes; 'to 1': one to it\n"
            "  p1 known to 601    inputs of player 1 up to that of tick 601 arrived\n"
            "  p1 WRONG at 598    the guesses of player 1 were wrong from tick 598 on\n"
            "  ROLLBACK 6 to 598  six ticks back, to step them again; 'for p1': because of player "
            "1\n"
            "  load, save         a snapshot; 'certain': no rollback can change it\n"
            "  again 598 to 603   ticks that were stepped again\n"
            "  step 604 guess p1  a new tick, with a guess of the input of player 1\n"
            "\n"
            "examples:\n"
            "  bks replay log peer-0.bks | less\n"
            "  bks replay log --from 590 --until 620 peer-0.bks peer-1.bks",
    };
    const int status = args_parse(&spec, argc, argv);
    if (status != ARGS_GO) {
        return status;
    }
    static log_view view;
    view.from = (bks_tick)from;
    view.until = (bks_tick)until;
    return print_logs(&view, &files, is_json);
}
