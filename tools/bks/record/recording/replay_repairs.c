// SPDX-License-Identifier: MIT

#include "record/recording/replay_repairs.h"

#include <inttypes.h>
#include <stdio.h>

void replay_repair_text(const bks_replay_repair *repair, char out[REPLAY_REPAIR_TEXT_BYTES])
{
    int used = snprintf(out, REPLAY_REPAIR_TEXT_BYTES,
                        "peer %" PRIu32 " was wrong from tick %" PRId32 " on and ", repair->peer,
                        repair->since);
    if (repair->bytes > 0) {
        used += snprintf(out + used, REPLAY_REPAIR_TEXT_BYTES - (size_t)used,
                         "was repaired at tick %" PRId32 " with %" PRIu64 " bytes of peer %" PRIu32,
                         repair->tick, repair->bytes, repair->from);
    } else {
        used += snprintf(out + used, REPLAY_REPAIR_TEXT_BYTES - (size_t)used,
                         "healed by itself by tick %" PRId32, repair->tick);
    }
    if (repair->until > repair->since) {
        (void)snprintf(out + used, REPLAY_REPAIR_TEXT_BYTES - (size_t)used,
                       "; recorded before that: up to tick %" PRId32, repair->until - 1);
    }
}

void replay_repair_json(json *j, const bks_replay_repair *repair)
{
    json_object(j, NULL);
    json_int(j, "tick", repair->tick);
    json_uint(j, "peer", repair->peer);
    json_uint(j, "from", repair->from);
    json_int(j, "since", repair->since);
    json_uint(j, "bytes", repair->bytes);
    json_int(j, "until", repair->until);
    json_uint(j, "hashes", repair->agreed_count);
    json_close(j);
}

void replay_repairs_json(json *j, const replay_file *file)
{
    json_array(j, "repairs");
    for (uint32_t i = 0; i < file->info->repair_count; i++) {
        bks_replay_repair repair;
        (void)bks_replay_repair_at(file->replay, i, &repair);
        replay_repair_json(j, &repair);
    }
    json_close(j);
}

void replay_repairs_print(const replay_file *file)
{
    for (uint32_t i = 0; i < file->info->repair_count; i++) {
        bks_replay_repair repair;
        char text[REPLAY_REPAIR_TEXT_BYTES];
        (void)bks_replay_repair_at(file->replay, i, &repair);
        replay_repair_text(&repair, text);
        printf("%s%s\n", i == 0 ? "  repairs     " : "              ", text);
    }
}
