// SPDX-License-Identifier: MIT

#include <string.h>

#include "base/tool.h"
#include "diagnose/doctor/doctor_calls.h"
#include "diagnose/doctor/doctor_case.h"
#include "diagnose/doctor/doctor_chance.h"
#include "diagnose/doctor/doctor_hints.h"
#include "diagnose/doctor/doctor_machine.h"
#include "diagnose/doctor/doctor_race.h"
#include "diagnose/doctor/doctor_recorded.h"
#include "diagnose/doctor/doctor_steps.h"
#include "diagnose/doctor/doctor_verdict.h"

// If the plug-in is not the one that recorded, say so before all else: it may be built since.
static void note_build(doctor_case *c)
{
    for (int s = 0; s < (c->has_two ? 2 : 1); s++) {
        if (strcmp(c->game.build, c->sides[s].file.info->build) == 0) {
            return;
        }
    }
    doctor_note(c,
                "build: this plug-in, %s, did not record %s, which has build %s: what it comes to "
                "may be another game's",
                c->game.build, c->has_two ? "either side" : "this", c->sides[0].file.info->build);
}

// Try rollbacks and changes. If the game makes threads, a race of theirs is looked for first: once
// plain runs vary, no play with rollbacks proves anything.
static bool prove(doctor_case *c, const doctor_play *straight)
{
    if (straight->tape->threads == 0) {
        return doctor_proof_rollbacks(c, straight) || doctor_proof_variants(c, straight);
    }
    return doctor_proof_variants(c, straight) ||
           (!c->varies_plainly && doctor_proof_rollbacks(c, straight));
}

// Examines a case in steps, cheapest first: what `bks replay diff` finds, then the recorded
// rollbacks, then one change at a time. A cause is proven if this machine gets the hashes of both
// sides, and one change alone makes the difference.
int doctor_examine(doctor_case *c)
{
    static doctor_play straight;
    int status = doctor_open_game(c);
    if (status == TOOL_OK) {
        note_build(c);
        status = doctor_files_compare(c);
    }
    if (status == TOOL_OK) {
        status = doctor_answer_take(c, c->answers);
    }
    if (status != TOOL_OK) {
        return status;
    }
    doctor_machine_note(c);
    doctor_page(c, &straight);
    if (c->hash_tick == BKS_TICK_NONE && !c->verdict.is_same && !c->is_unstepped) {
        doctor_note(c, "no hash differs, so there is nothing to prove");
    } else if (straight.is_done) {
        (void)(prove(c, &straight) || doctor_proof_answers(c, &straight) ||
               doctor_chance_suspect(c, &straight) || doctor_proof_flip(c, &straight));
        doctor_race_suspect(c, &straight);
    }
    const bool is_looked_at = straight.is_done && c->hash_tick != BKS_TICK_NONE;
    if (is_looked_at) {
        doctor_hints_memory(c, &straight);
    }
    doctor_verdict_why_no_line(c);
    doctor_advice_complete(c);
    if (is_looked_at) {
        doctor_calls_note(c, &straight);
    }
    doctor_recorded_place_peers(c, &straight);
    if (c->verdict.proof.means != DOCTOR_BY_FILES) {
        doctor_recorded_note(c, &straight);
    }
    doctor_play_close(&straight);
    return TOOL_OK;
}
