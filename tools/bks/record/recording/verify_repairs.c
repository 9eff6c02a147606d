// SPDX-License-Identifier: MIT

#include "record/recording/verify_repairs.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/plain_text.h"
#include "base/tool.h"
#include "record/recording/replay_repairs.h"

void verify_repairs_take(const replay_file *file, bks_tick from, bks_tick until,
                         verify_repairs *out)
{
    out->count = 0;
    for (uint32_t i = 0; i < file->info->repair_count; i++) {
        bks_replay_repair repair;
        if (bks_replay_repair_at(file->replay, i, &repair) != BKS_OK ||
            repair.until == repair.since || repair.until <= from || repair.since > until) {
            continue;
        }
        if (out->count < VERIFY_REPAIRS_MAX) {
            out->first[out->count] = repair;
        }
        out->count++;
    }
}

static uint32_t shown(const verify_repairs *repairs)
{
    return repairs->count < VERIFY_REPAIRS_MAX ? repairs->count : VERIFY_REPAIRS_MAX;
}

// Behind the last of them, for all: what this machine comes to.
static void print_stepped(const verify_repairs *repairs, const bks_verify_result *result)
{
    if (repairs->count > shown(repairs)) {
        printf("; and %" PRIu32 " more such spans", repairs->count - shown(repairs));
    }
    if (result->repeated > 0) {
        printf("; stepped here: wrong again, at %" PRId32 " of %" PRId32 " hash%s",
               result->repeated, result->repaired, TOOL_PLURAL_ES(result->repaired));
    } else {
        printf("; stepped here: as the others have it, at all %" PRId32 " hash%s known of them",
               result->repaired, TOOL_PLURAL_ES(result->repaired));
    }
}

void verify_repairs_print(const char *path, const verify_repairs *repairs,
                          const bks_verify_result *result)
{
    for (uint32_t i = 0; i < shown(repairs); i++) {
        char text[REPLAY_REPAIR_TEXT_BYTES];
        replay_repair_text(&repairs->first[i], text);
        printf("%s: %s", plain_name(path), text);
        if (i + 1 == shown(repairs)) {
            print_stepped(repairs, result);
        }
        printf("\n");
    }
}

void verify_repairs_json(json *j, const verify_repairs *repairs, const bks_verify_result *result)
{
    json_array(j, "repairs");
    for (uint32_t i = 0; i < shown(repairs); i++) {
        replay_repair_json(j, &repairs->first[i]);
    }
    json_close(j);
    json_int(j, "repaired", result->repaired);
    json_int(j, "repeated", result->repeated);
}
