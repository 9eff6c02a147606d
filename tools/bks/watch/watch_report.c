// SPDX-License-Identifier: MIT

#include "watch/watch_report.h"

#include <inttypes.h>

#include "base/plain_text.h"
#include "base/tool.h"
static const char *reason(const watch_config *config, const watch_result *result)
{
    if (result->first_different != BKS_TICK_NONE) {
        return "a state is not the recorded one";
    }
    if (config->until > 0 && result->tick < config->until) {
        return "ended before its last tick";
    }
    const bool is_watched = result->taken_over == BKS_TICK_NONE;
    return is_watched && result->compared == 0 ? "no hash was compared" : NULL;
}

static void json_desync(json *j, const watch_result *result)
{
    if (result->first_different == BKS_TICK_NONE) {
        json_null(j, "desync");
        return;
    }
    json_object(j, "desync");
    json_int(j, "tick", result->first_different);
    json_int(j, "found_at_tick", result->first_different);
    json_row(j, "peers");
    json_close(j);
    json_null(j, "mark");
    json_null(j, "object");
    json_null(j, "field");
    json_close(j);
}

bool watch_report_json(const watch_config *config, const watch_result *result, FILE *out)
{
    const char *why = reason(config, result);
    json j;
    json_begin(&j, out);
    json_text(&j, "game", config->game.game->name);
    json_text(&j, "mode", result->taken_over == BKS_TICK_NONE ? "watch" : "take-over");
    json_text(&j, "file", config->where);
    json_uint(&j, "seed", result->seed);
    json_int(&j, "from", result->from);
    json_int(&j, "ticks", result->tick);
    json_number(&j, "virtual_s", result->played_s, 6);
    json_number(&j, "wall_s", result->wall_s, 3);
    json_bool(&j, "agreed", why == NULL);
    json_text(&j, "reason", why);
    json_int(&j, "compared", result->compared);
    if (result->has_hash) {
        json_hash(&j, "final_hash", result->hash);
    } else {
        json_null(&j, "final_hash");
    }
    json_desync(&j, result);
    json_bool(&j, "finished", result->is_finished);
    json_bool(&j, "complete", result->is_complete);
    json_int(&j, "confirmed", result->confirmed);
    json_int(&j, "lost", result->lost);
    json_uint(&j, "waits", result->waits);
    json_int(&j, "behind_ticks", result->behind);
    json_uint(&j, "received_bytes", result->received_bytes);
    json_text(&j, "why", result->why[0] != '\0' ? result->why : NULL);
    json_tick(&j, "taken_over", result->taken_over);
    json_text(&j, "record", result->record_path[0] != '\0' ? result->record_path : NULL);
    json_array(&j, "peers");
    json_close(&j);
    return json_end(&j);
}

static void print_hash(const watch_result *result, FILE *out)
{
    if (result->has_hash) {
        fprintf(out, ", hash %016" PRIx64, result->hash);
    }
    fprintf(out, "\n");
}

void watch_report_text(const watch_config *config, const watch_result *result, FILE *out)
{
    const bool is_watched = result->taken_over == BKS_TICK_NONE;
    fprintf(out, "%s: %s from tick %" PRId32 " to %" PRId32 " of %" PRId32,
            plain_name(config->where), config->game.game->name, result->from,
            is_watched ? result->tick : result->taken_over, result->end);
    if (!is_watched) {
        fprintf(out, ", then played on to tick %" PRId32, result->tick);
    }
    print_hash(result, out);
    if (result->first_different != BKS_TICK_NONE) {
        fprintf(out, "  not as recorded from tick %" PRId32 " on\n", result->first_different);
    } else if (result->compared > 0) {
        fprintf(out, "  %" PRId32 " hash%s compared, all the same\n", result->compared,
                TOOL_PLURAL_ES(result->compared));
    } else if (is_watched) {
        fprintf(out, "  no hash was compared\n");
    }
    if (result->lost > 0) {
        fprintf(out, "  %" PRId32 " tick%s lost and skipped\n", result->lost,
                result->lost == 1 ? " was" : "s were");
    }
    if (!result->is_complete) {
        fprintf(out, "  the recording is not complete, %" PRId32 " tick%s of it %s confirmed\n",
                result->confirmed, TOOL_PLURAL(result->confirmed), TOOL_ARE(result->confirmed));
    }
    if (result->record_path[0] != '\0') {
        fprintf(out, "recorded %s\n", plain_name(result->record_path));
    }
}
