// SPDX-License-Identifier: MIT

#include "base/tool.h"
#include "diagnose/doctor/doctor_case.h"
#include "diagnose/doctor/doctor_steps.h"

// Examines a case in steps, cheapest first: what `bks replay diff` finds, then the recorded
// rollbacks, then one change at a time. A cause is proven if this machine gets the hashes of both
// sides, and one change alone makes the difference.
int doctor_examine(doctor_case *c)
{
    static doctor_play straight;
    int status = doctor_open_game(c);
    if (status == TOOL_OK) {
        status = doctor_files_compare(c);
    }
    if (status == TOOL_OK) {
        status = doctor_answer_take(c, c->answers);
    }
    if (status != TOOL_OK) {
        return status;
    }
    doctor_page(c, &straight);
    if (c->hash_tick == BKS_TICK_NONE && !c->verdict.is_same) {
        doctor_note(c, "no hash differs, so there is nothing to prove");
    } else if (straight.is_done) {
        (void)(doctor_proof_rollbacks(c, &straight) || doctor_proof_variants(c, &straight) ||
               doctor_proof_flip(c, &straight));
    }
    doctor_page_place_peers(c);
    if (c->verdict.proof.means != DOCTOR_BY_FILES) {
        doctor_page_note_recorded(c);
    }
    doctor_play_close(&straight);
    return TOOL_OK;
}
