// SPDX-License-Identifier: MIT

#include "diagnose/doctor/doctor_repairs.h"

#include "backstitch/toolkit/recording.h"
#include "record/recording/replay_print.h"

// The first tick of a span at which both sides' hashes are known and differ, BKS_TICK_NONE: none.
static bks_tick first_apart(const doctor_case *c, const bks_replay_repair *repair)
{
    for (bks_tick tick = repair->since; tick < repair->until; tick++) {
        uint64_t hashes[2] = {0};
        const uint32_t a = doctor_hash_of(c, 0, tick, &hashes[0]);
        const uint32_t b = doctor_hash_of(c, 1, tick, &hashes[1]);
        if (!doctor_hashes_agree(hashes[0], hashes[1], a < b ? a : b)) {
            return tick;
        }
    }
    return BKS_TICK_NONE;
}

static void take_repair(doctor_case *c, int s, const bks_replay_repair *repair)
{
    char text[REPLAY_REPAIR_TEXT_BYTES];
    replay_repair_text(repair, text);
    doctor_note(c, "repair, in %s: %s", c->sides[s].name, text);
    const bks_tick tick = first_apart(c, repair);
    if (tick != BKS_TICK_NONE && (c->hash_tick == BKS_TICK_NONE || tick < c->hash_tick)) {
        c->hash_tick = tick;
        c->diff.sees_repaired = true;
        c->diff.found.hash_tick = tick;
    }
}

void doctor_repairs_take(doctor_case *c)
{
    for (int s = 0; s < 2; s++) {
        const replay_file *file = &c->sides[s].file;
        for (uint32_t i = 0; file->replay != NULL && i < file->info->repair_count; i++) {
            bks_replay_repair repair;
            (void)bks_replay_repair_at(file->replay, i, &repair);
            if (repair.until > repair.since) {
                take_repair(c, s, &repair);
            }
        }
    }
}
