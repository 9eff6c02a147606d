// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include <inttypes.h>
#include <stdio.h>

#include "base/json.h"
#include "base/text.h"
#include "base/tool.h"
#include "map/state_names.h"
#include "record/run/run.h"

enum { APART_NAMED_MAX = 6, HASHES_MAX = 16 };

static const char *const render_names[] = {"none", "dry", "full"};

static double seconds(const run *r)
{
    return (double)r->outcome.wall_ns * 1e-9;
}

static double rate(const run *r)
{
    return r->outcome.wall_ns > 0 ? (double)r->outcome.stepped / seconds(r) : 0;
}

// Collect the different final hashes of all runs, in order.
// @return their number, at most HASHES_MAX
static uint32_t find_hashes(const run *r, uint64_t hashes[HASHES_MAX])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->run_count && count < HASHES_MAX; i++) {
        uint32_t at = 0;
        while (at < count && hashes[at] != r->runs[i].final_hash) {
            at++;
        }
        if (at == count && r->runs[i].has_hash) {
            hashes[count++] = r->runs[i].final_hash;
        }
    }
    return count;
}

bool run_is_apart(const run *r)
{
    uint64_t hashes[HASHES_MAX];
    bool is_apart = find_hashes(r, hashes) > 1;
    for (uint32_t i = 0; i < r->run_count; i++) {
        is_apart |= r->runs[i].varied == CHECK_DIFFERS;
    }
    return is_apart;
}

// Write the results of several runs; a single one does not tell whether the game is deterministic.
static void json_runs(json *j, const run *r)
{
    bool is_known = run_is_apart(r);
    for (uint32_t i = 0; i < r->run_count; i++) {
        is_known |= r->runs[i].varied == CHECK_SAME;
    }
    if (is_known) {
        json_bool(j, "deterministic", !run_is_apart(r));
        json_text(j, "varied", run_varied());
    } else {
        json_null(j, "deterministic");
        json_null(j, "varied");
    }
    json_array(j, "runs");
    for (uint32_t i = 0; i < r->run_count && r->options->times > 1; i++) {
        const run_one *one = &r->runs[i];
        json_object(j, NULL);
        json_hash_if(j, "final_hash", one->has_hash, one->final_hash);
        json_bool(j, "same", one->is_same && one->varied != CHECK_DIFFERS);
        json_tick(j, "differs_at", one->apart);
        json_close(j);
    }
    json_close(j);
}

bool run_print_json(run *r)
{
    json out;
    uint64_t hashes[HASHES_MAX] = {0};
    const uint32_t hash_count = find_hashes(r, hashes);
    json_begin(&out, stdout);
    json_text(&out, "game", r->game.game->name);
    json_text(&out, "file", r->file.path);
    json_int(&out, "ticks", r->runs[0].reached);
    json_int(&out, "confirmed", r->file.info->confirmed);
    json_bool(&out, "complete", r->file.info->is_complete);
    json_bool(&out, "verified", !r->options->no_verify);
    json_bool(&out, "same", r->outcome.is_same);
    json_uint(&out, "compared", r->outcome.compared);
    json_tick(&out, "first_different", r->outcome.first_different);
    json_hash(&out, "final_hash", hashes[0]);
    json_int(&out, "times", r->options->times);
    json_row(&out, "hashes");
    for (uint32_t i = 0; i < hash_count; i++) {
        json_hash(&out, NULL, hashes[i]);
    }
    json_close(&out);
    json_runs(&out, r);
    if (r->options->player == RUN_AS_RECORDED) {
        json_text(&out, "as_player", "recorded");
    } else if (r->options->player != RUN_AS_NONE) {
        json_int(&out, "as_player", r->options->player);
    } else {
        json_null(&out, "as_player");
    }
    json_uint(&out, "steps", r->outcome.steps);
    json_uint(&out, "rollbacks", r->outcome.rollbacks);
    json_text(&out, "plugin", r->plugin_path);
    json_text(&out, "build", r->game.build);
    json_text(&out, "recorded_build", r->file.info->build);
    json_hash(&out, "recording", r->recording);
    json_bool(&out, "stats", r->options->has_stats);
    json_text(&out, "render", render_names[r->options->render]);
    json_number(&out, "wall_s", seconds(r), 6);
    json_number(&out, "ticks_per_s", rate(r), 1);
    json_number(&out, "speed", rate(r) / (double)r->file.info->tick_rate_hz, 2);
    run_stats_json(&out, &r->stats);
    if (r->options->compare_path != NULL) {
        run_compare_json(&out, &r->other);
    }
    return json_end(&out);
}

void run_print_text(run *r)
{
    const bks_recording *info = r->file.info;
    uint64_t hashes[HASHES_MAX] = {0};
    const uint32_t hash_count = find_hashes(r, hashes);
    printf("%s: %s at tick %" PRId32 ", hash %016" PRIx64 "\n", plain_name(r->file.path),
           info->game, r->runs[0].reached, hashes[0]);
    if (r->options->times > 1) {
        printf("  %" PRId64 " time%s, %" PRIu32 " different hash%s\n", r->options->times,
               TOOL_PLURAL(r->options->times), hash_count, TOOL_PLURAL_ES(hash_count));
        printf("  each but the first also in a process of its own; varied: %s\n", run_varied());
    }
    if (r->runs[0].reached > info->confirmed) {
        printf("  from tick %" PRId32 " on inputs were guesses when the recording stopped\n",
               info->confirmed);
    }
    if (!info->is_complete) {
        printf("  the recording is not complete: %" PRId32 " tick%s of it %s confirmed\n",
               info->confirmed - info->first, TOOL_PLURAL(info->confirmed - info->first),
               TOOL_ARE(info->confirmed - info->first));
    }
    if (r->outcome.is_same && !r->options->no_verify) {
        printf("  %" PRIu64 " hash%s compared, all the same\n", r->outcome.compared,
               TOOL_PLURAL_ES(r->outcome.compared));
    }
    if (r->options->player != RUN_AS_NONE) {
        printf("  as %s%s: %" PRIu64 " rollback%s, %" PRIu64 " step%s for %" PRIu64 " tick%s\n",
               r->options->player == RUN_AS_RECORDED ? "" : "player ", r->options->player_text,
               r->outcome.rollbacks, TOOL_PLURAL(r->outcome.rollbacks), r->outcome.steps,
               TOOL_PLURAL(r->outcome.steps), r->outcome.stepped, TOOL_PLURAL(r->outcome.stepped));
    }
    printf("  %" PRIu64 " tick%s in %.3f s, %.0f a second, %.1f times real time\n",
           r->outcome.stepped, TOOL_PLURAL(r->outcome.stepped), seconds(r), rate(r),
           rate(r) / (double)info->tick_rate_hz);
    if (r->options->has_stats) {
        run_stats_print(&r->stats);
    }
    if (r->options->compare_path != NULL) {
        run_compare_print(&r->other);
    }
}

void run_complain_apart(const run *r)
{
    char text[256] = "";
    char name[STATE_NAME_BYTES];
    const check_finding *found = &r->found;
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->run_count; i++) {
        if (r->runs[i].varied == CHECK_DIFFERS && ++count <= APART_NAMED_MAX) {
            TEXT_ADD(text, "%s run %" PRIu32 " at tick %" PRId32, count > 1 ? "," : "", i + 1,
                     r->runs[i].apart);
        }
    }
    if (count == 0) {
        tool_complain(r->game.game->name,
                      "is not deterministic: %" PRIu32
                      " runs over the same inputs do not end alike",
                      r->run_count);
        return;
    }
    tool_complain(r->game.game->name,
                  "is not deterministic: of %" PRIu32 " runs over the same inputs %" PRIu32
                  " differ%s from the first:%s%s; varied: %s",
                  r->run_count, count, count == 1 ? "s" : "", text,
                  count > APART_NAMED_MAX ? ", ..." : "", run_varied());
    state_name_join(found->object, found->field, name, sizeof(name));
    tool_complain(r->game.game->name,
                  "differs first at mark %s%s%s: %s%s%s; look for the cause with: bks check %s",
                  found->mark, name[0] != '\0' ? " in " : "", name, found->a,
                  found->a[0] != '\0' ? " plainly, varied " : "", found->b,
                  plain_name(r->game.path));
}
