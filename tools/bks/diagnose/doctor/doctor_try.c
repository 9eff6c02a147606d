// SPDX-License-Identifier: MIT

#include "diagnose/doctor/doctor_try.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stop.h"
#include "base/tool.h"
#include "diagnose/check/check_run.h"
#include "diagnose/variants/variants.h"

bool doctor_try_begin(const doctor_case *c, const doctor_play *play, bks_tick first,
                      bks_compared_state *out)
{
    *out = (bks_compared_state){0};
    return first == 0 ||
           doctor_play_state(play, first == c->first ? DOCTOR_STATE_FIRST : DOCTOR_STATE_BEFORE,
                             out);
}

static void take_tape(void *context, check_tape *tape)
{
    const doctor_try *t = context;
    if (t->imports != NULL) {
        check_imports_take(t->imports, tape);
    }
    for (uint32_t side = 0; side < 2; side++) {
        if (t->keep[side] != NULL) {
            doctor_states_take(tape, side, t->keep[side]);
        }
    }
}

static int run(const doctor_case *c, const bks_compared_state *state, bool has_line, doctor_try *t)
{
    static check_span span;
    static const check_request none;
    span =
        (check_span){.first = t->first, .until = c->until, .state_bytes = (uint64_t)state->count};
    span.keeps = t->keep[0] != NULL || t->keep[1] != NULL;
    span.keep_from = t->keep_from;
    check_run once = {.options = &c->options,
                      .value = t->value,
                      .span = &span,
                      .state = state->bytes,
                      .is_serial = t->is_serial,
                      .ended = take_tape,
                      .context = t};
    const int status = has_line ? check_run_variant(&once, t->variant, &t->result)
                                : check_run_once(&once, t->variant, &none, &t->result);
    t->threads = once.threads;
    t->is_run = status == TOOL_OK && t->result.why[0] == '\0' && span.counts[1] > 0;
    if (!t->is_run) {
        (void)snprintf(t->why, sizeof(t->why), "%s",
                       t->result.why[0] != '\0' ? t->result.why : "it could not be stepped");
        return status == TOOL_STOPPED ? status : TOOL_OK;
    }
    t->plain = doctor_compare(c, span.first, span.hashes[0], span.counts[0]);
    t->turned = doctor_compare(c, span.first, span.hashes[1], span.counts[1]);
    return TOOL_OK;
}

int doctor_try_step(const doctor_case *c, const bks_compared_state *state, doctor_try *t)
{
    return run(c, state, false, t);
}

int doctor_try_run(const doctor_case *c, const doctor_play *play, const char *name,
                   const char *value, bks_tick first, doctor_try *out)
{
    bks_compared_state state;
    *out = (doctor_try){.variant = check_variant_find(name), .value = value, .first = first};
    if (doctor_try_begin(c, play, first, &state)) {
        return doctor_try_step(c, &state, out);
    }
    (void)snprintf(out->why, sizeof(out->why), "the state to begin with cannot be taken up");
    return TOOL_OK;
}

bool doctor_try_line(const doctor_case *c, const doctor_play *play, doctor_try *t)
{
    bks_compared_state state;
    doctor_try again = *t;
    if (doctor_try_begin(c, play, t->first, &state) && run(c, &state, true, &again) == TOOL_OK &&
        doctor_try_turns_into(&again) == doctor_try_turns_into(t)) {
        *t = again;
        return true;
    }
    code_line *line = &t->result.found.written_b;
    (void)snprintf(line->why, sizeof(line->why),
                   "stepped once more, the variant %s does not come to the same", t->variant->name);
    return false;
}

int doctor_try_turns_into(const doctor_try *t)
{
    for (int s = 0; s < 2 && t->is_run; s++) {
        if (t->turned.is_same[s] && !t->turned.is_same[1 - s] &&
            t->turned.bits[s] >= DOCTOR_BITS_MIN && !t->plain.is_same[s]) {
            return s;
        }
    }
    return -1;
}

static bool is_same_match(const doctor_match *a, const doctor_match *b)
{
    return a->is_same[0] == b->is_same[0] && a->is_same[1] == b->is_same[1];
}

bool doctor_try_stays(const doctor_case *c, const doctor_play *straight, const doctor_try *t,
                      uint32_t runs)
{
    bks_compared_state state;
    for (uint32_t i = 0; i < runs; i++) {
        doctor_try again = {
            .variant = t->variant, .value = t->value, .first = t->first, .is_serial = t->is_serial};
        if (stop_is_wanted() || !doctor_try_begin(c, straight, t->first, &state) ||
            doctor_try_step(c, &state, &again) != TOOL_OK || !again.is_run ||
            !is_same_match(&again.plain, &t->plain) || !is_same_match(&again.turned, &t->turned)) {
            return false;
        }
    }
    return true;
}

void doctor_states_keep(doctor_states *states, uint32_t index, const void *bytes, size_t count)
{
    if (states->counts[index] == 0 && count > 0) {
        states->bytes[index] = malloc(count);
        if (states->bytes[index] != NULL) {
            memcpy(states->bytes[index], bytes, count);
            states->counts[index] = count;
        }
    }
}

void doctor_states_take(check_tape *tape, uint32_t side, doctor_states *out)
{
    out->first = tape->span.keep_from;
    for (uint32_t i = 0; i < CHECK_KEPT_MAX; i++) {
        doctor_states_keep(out, i, check_tape_kept(tape, side, out->first + (bks_tick)i),
                           (size_t)tape->span.kept[side][i]);
    }
}

void doctor_states_free(doctor_states *states)
{
    for (uint32_t i = 0; i < CHECK_KEPT_MAX; i++) {
        free(states->bytes[i]);
    }
    *states = (doctor_states){0};
}
