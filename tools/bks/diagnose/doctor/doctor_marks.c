// SPDX-License-Identifier: MIT

#include "diagnose/doctor/doctor_marks.h"

#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "base/tool.h"
#include "diagnose/doctor/doctor_verdict.h"
#include "record/recording/mark_list.h"

/// The states of both sides and of this machine at the first mark that differs.
typedef struct mark_states {
    const char *mark;
    bks_tick tick;
    mark_list lists[2];
    bks_compared_state here;
} mark_states;

static bool read_lists(const doctor_case *c, mark_states *m, uint32_t wanted)
{
    bool are_there = true;
    for (int s = 0; s < 2; s++) {
        mark_list_begin(&m->lists[s], wanted);
        are_there = are_there && c->sides[s].file.replay != NULL &&
                    bks_replay_marks(c->sides[s].file.replay, m->tick, mark_list_add,
                                     &m->lists[s]) == BKS_OK;
    }
    tool_log_drop();
    return are_there;
}

// The same mark of the straight play: the first of a list is the start of the tick.
static bool find_here(const doctor_play *straight, uint32_t number, bks_compared_state *out)
{
    const check_tape *tape = straight->tape;
    for (uint32_t i = 0; i < tape->mark_count; i++) {
        const check_mark *mark = &tape->marks[i];
        if (mark->name[0] != '(' && --number == 0) {
            *out =
                (bks_compared_state){.bytes = check_tape_states(straight->tape) + mark->begin_bytes,
                                     .count = (size_t)mark->count};
            return mark->count > 0;
        }
    }
    return false;
}

static bool find_states(const doctor_case *c, const doctor_play *straight, mark_states *m)
{
    m->tick = c->hash_tick - 1;
    if (!read_lists(c, m, MARK_LIST_NONE)) {
        return false;
    }
    const uint32_t number = mark_list_compare(&m->lists[0], &m->lists[1]);
    if (number == 0 || number == MARK_LIST_NONE || !read_lists(c, m, number)) {
        return false;
    }
    m->mark = m->lists[0].names[number];
    return m->lists[0].bytes != NULL && m->lists[1].bytes != NULL &&
           m->lists[0].bytes_count == m->lists[1].bytes_count &&
           find_here(straight, number, &m->here) && m->here.count == m->lists[0].bytes_count;
}

// Whether the three states are the same outside of some bytes.
static bool are_same_outside(const mark_states *m, uint64_t offset, uint32_t count)
{
    const uint8_t *here = m->here.bytes;
    for (size_t i = 0; i < m->here.count; i++) {
        const bool is_inside = i >= offset && i - offset < count;
        if (!is_inside &&
            (m->lists[0].bytes[i] != m->lists[1].bytes[i] || m->lists[0].bytes[i] != here[i])) {
            return false;
        }
    }
    return true;
}

static bool is_it(const mark_states *m, const doctor_try *t)
{
    const check_finding *found = &t->result.found;
    return t->is_run && t->result.same == CHECK_DIFFERS && found->tick == m->tick &&
           strcmp(found->mark, m->mark) == 0 && found->bytes > 0 &&
           are_same_outside(m, found->offset, found->bytes);
}

// Whether it came to another value on the way to that step, but not in the step alone: what a
// process did before, such as take memory, may move the value, too.
static bool is_of_the_way(const doctor_try *t, const doctor_try *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].variant == t->variant && items[i].first > t->first && items[i].is_run &&
            items[i].result.same != CHECK_DIFFERS) {
            return true;
        }
    }
    return false;
}

static bool has_plain_difference(const doctor_try *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].is_run && items[i].result.same == CHECK_DIFFERS &&
            strcmp(items[i].variant->name, "baseline") == 0) {
            return true;
        }
    }
    return false;
}

typedef struct choice {
    doctor_try *found;
    doctor_try *other; ///< of another cause
} choice;

static choice choose(const mark_states *m, doctor_try *items, uint32_t count, bool with_way)
{
    choice chosen = {NULL, NULL};
    for (uint32_t i = 0; i < count; i++) {
        doctor_try *t = &items[i];
        if (!is_it(m, t) || (!with_way && is_of_the_way(t, items, count))) {
            continue;
        }
        const bool is_other =
            chosen.found != NULL && strcmp(chosen.found->variant->cause, t->variant->cause) != 0;
        chosen.other = is_other ? t : chosen.other;
        chosen.found = chosen.found != NULL ? chosen.found : t;
    }
    return chosen;
}

static doctor_try *suspect_one(doctor_case *c, const mark_states *m, doctor_try *items,
                               uint32_t count)
{
    if (has_plain_difference(items, count)) {
        doctor_note(c, "the plain game differs from process to process: nothing is suspected");
        return NULL;
    }
    choice chosen = choose(m, items, count, false);
    if (chosen.found == NULL) {
        chosen = choose(m, items, count, true);
    }
    if (chosen.other != NULL) {
        doctor_note(c, "%s and %s both give that value another", chosen.found->variant->name,
                    chosen.other->variant->name);
        return NULL;
    }
    return chosen.found;
}

doctor_try *doctor_marks_suspect(doctor_case *c, const doctor_play *straight, doctor_try *items,
                                 uint32_t count)
{
    static mark_states m;
    doctor_try *found = NULL;
    if (find_states(c, straight, &m)) {
        found = suspect_one(c, &m, items, count);
    }
    if (found != NULL) {
        const bks_compared_state states[2] = {
            {.bytes = m.lists[0].bytes, .count = m.lists[0].bytes_count},
            {.bytes = m.lists[1].bytes, .count = m.lists[1].bytes_count}};
        doctor_note(c,
                    "recorded marks: at mark %s A, B and this machine are the same but for one "
                    "value, and of all changes %s alone gives it another",
                    m.mark, found->variant->name);
        (void)doctor_verdict_place(c, m.tick, m.mark, &states[0], &states[1]);
    }
    mark_list_end(&m.lists[0]);
    mark_list_end(&m.lists[1]);
    return found;
}
