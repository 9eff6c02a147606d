// SPDX-License-Identifier: MIT

#include "diagnose/doctor/doctor_hints.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/stop.h"
#include "base/text.h"
#include "base/tool.h"
#include "diagnose/doctor/doctor_try.h"
#include "diagnose/doctor/doctor_verdict.h"
#include "diagnose/variants/variants.h"

// ---- memory that is read freed or unset ----

// Step up to the difference under valgrind, beginning with tick `first`.
// @return true if valgrind saw something in the step that made the difference
static bool run_defined(doctor_case *c, const doctor_play *straight, bks_tick first, doctor_try *t)
{
    const bks_tick until = c->until;
    c->until = c->hash_tick;
    const int status = doctor_try_run(c, straight, "defined", NULL, first, t);
    c->until = until;
    return status == TOOL_OK && t->is_run && t->result.same == CHECK_DIFFERS &&
           t->result.found.tick == c->hash_tick - 1;
}

static bool see_memory(doctor_case *c, const doctor_play *straight, doctor_try *t)
{
    return run_defined(c, straight, c->hash_tick - 1, t) ||
           (c->first < c->hash_tick - 1 && !stop_is_wanted() &&
            run_defined(c, straight, c->first, t));
}

// Put a suspect before those found so far.
static void suspect_first(doctor_verdict *v, const char *text)
{
    char before[sizeof(v->suspects)];
    TEXT_SET(before, "%s", v->suspects);
    TEXT_SET(v->suspects, "%.351s; %.400s", text, before);
}

static void enter_line(doctor_verdict *v, const code_line *line)
{
    if (line->line[0] != '\0' && strcmp(line->line, v->line) != 0) {
        TEXT_SET(v->line, "%s", line->line);
        TEXT_SET(v->function, "%s", line->function);
        TEXT_SET(v->source, "%s", line->text);
        v->line_why[0] = '\0';
    }
}

// Freed and unset memory often holds addresses, so look for reads of it if only addresses seem to
// matter.
static void look_at_memory(doctor_case *c, const doctor_play *straight)
{
    static doctor_try t;
    doctor_verdict *v = &c->verdict;
    const check_finding *found = &t.result.found;
    char text[352];
    if (strstr(v->suspects, "pointer") == NULL && strstr(v->suspects, "uninitialised") == NULL) {
        return;
    }
    if (!see_memory(c, straight, &t)) {
        if (t.is_run && t.result.same == CHECK_DIFFERS) {
            doctor_note(c,
                        "defined: valgrind sees a read of freed or unset memory first in the step "
                        "of tick %" PRId32 ", not in that of tick %" PRId32,
                        found->tick, c->hash_tick - 1);
        } else {
            doctor_note(c, "defined: %s",
                        t.is_run ? "valgrind sees no read of freed or unset memory" : t.why);
        }
        return;
    }
    if (found->uses_freed) {
        TEXT_SET(text,
                 "dangling, not proven: valgrind sees that the step of tick %" PRId32 " %.160s",
                 found->tick, found->b);
        v->next = "look for memory that is used after free() or delete, or an item that is used "
                  "after it was removed: the line is that of the read";
    } else {
        char place[STATE_NAME_BYTES];
        state_name_join(found->object, found->field, place, sizeof(place));
        TEXT_SET(text,
                 "uninitialised, not proven: valgrind sees that %.96s in the step of tick %" PRId32
                 " %.80s%s%.80s",
                 place[0] != '\0' ? place : "the game", found->tick, found->b,
                 found->note[0] != '\0' ? ": " : "", found->note);
        v->next = vary_defined.advice;
    }
    enter_line(v, &found->written_b);
    doctor_note(c, "defined from tick %" PRId32 ": %s", t.first, text);
    suspect_first(v, text);
}

void doctor_hints_memory(doctor_case *c, const doctor_play *straight)
{
    if (!c->verdict.is_proven && !stop_is_wanted()) {
        look_at_memory(c, straight);
    }
}
