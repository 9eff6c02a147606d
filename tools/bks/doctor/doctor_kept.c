// SPDX-License-Identifier: MIT

#include "doctor/doctor_kept.h"

#include <inttypes.h>

// What blocks differ in.
typedef struct kept_bits {
    uint32_t blocks;
    uint32_t bits;
    uint64_t first; ///< number of the first bit
} kept_bits;

static bool count_bits(void *context, const bks_evidence_part *part)
{
    kept_bits *k = context;
    if (part->kind != BKS_EVIDENCE_BLOCK) {
        return true;
    }
    k->blocks++;
    for (uint64_t i = 0; i < 8 * (uint64_t)part->count; i++) {
        if (((part->own[i / 8] ^ part->peer[i / 8]) >> i % 8 & 1) != 0) {
            k->first = k->bits == 0 ? 8 * part->offset_bytes + i : k->first;
            k->bits++;
        }
    }
    return true;
}

static void note_one(doctor_case *c, const doctor_side *side, uint32_t index)
{
    bks_replay_evidence evidence;
    kept_bits k = {0};
    if (bks_replay_evidence_at(side->file.replay, index, &evidence) != BKS_OK ||
        bks_replay_evidence_parts(side->file.replay, index, count_bits, &k) != BKS_OK ||
        k.bits == 0) {
        return;
    }
    doctor_note(c,
                "kept in %s while it happened: at tick %" PRId32 " its state and that of peer "
                "%" PRIu32 " differed in %" PRIu32 " bit%s of %" PRIu32
                " block%s, first in byte %" PRIu64 ", bit %" PRIu64,
                side->name, evidence.tick, evidence.peer, k.bits, k.bits == 1 ? "" : "s", k.blocks,
                k.blocks == 1 ? "" : "s", k.first / 8, k.first % 8);
}

void doctor_kept_note(doctor_case *c)
{
    uint32_t logs = 0;
    for (int s = 0; s < 2; s++) {
        const doctor_side *side = &c->sides[s];
        const bks_recording *info = side->file.replay != NULL ? side->file.info : NULL;
        for (uint32_t i = 0; info != NULL && i < info->evidence_count; i++) {
            note_one(c, side, i);
        }
        logs += info != NULL && info->log_count > 0 ? 1 : 0;
    }
    if (logs > 0) {
        doctor_note(c, "%s hold%s a log of the ten seconds before: bks replay log prints %s",
                    logs == 2 ? "both recordings" : "one recording", logs == 2 ? "" : "s",
                    logs == 2 ? "them side by side" : "it");
    }
}
