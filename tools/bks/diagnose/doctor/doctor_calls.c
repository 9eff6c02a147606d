// SPDX-License-Identifier: MIT

#include "diagnose/doctor/doctor_calls.h"

#include <stdio.h>
#include <string.h>

#include "base/stop.h"
#include "base/text.h"
#include "base/tool.h"
#include "diagnose/doctor/doctor_try.h"
#include "diagnose/processes/check_imports.h"
#include "diagnose/variants/variants.h"

static void list_call(char *out, size_t capacity, const check_call *call)
{
    const size_t used = strlen(out);
    (void)snprintf(out + used, capacity - used, "%s%s%s%s%s", used > 0 ? ", " : "", call->function,
                   call->at.line[0] != '\0' ? " (" : "", call->at.line,
                   call->at.line[0] != '\0' ? ")" : "");
}

// Step the game once more and note what it calls, the first time that this is asked for.
// @return what is called; with traced_ticks 0, only what the game imports is known
static const check_imports *trace(const doctor_case *c, const doctor_play *straight)
{
    static check_imports imports;
    static bool is_traced;
    static doctor_try t;
    bks_compared_state state;
    if (!is_traced) {
        is_traced = true;
        check_imports_read(c->game.path, &imports);
        t = (doctor_try){.variant = &vary_calls, .first = c->first, .imports = &imports};
        if (!stop_is_wanted() && doctor_try_begin(c, straight, t.first, &state)) {
            (void)doctor_try_step(c, &state, &t);
        }
    }
    return &imports;
}

void doctor_calls_note(doctor_case *c, const doctor_play *straight)
{
    char text[400] = "";
    if (c->verdict.is_proven) {
        return;
    }
    const check_imports *imports = trace(c, straight);
    for (uint32_t i = 0; i < imports->call_count; i++) {
        list_call(text, sizeof(text), &imports->called[i]);
    }
    if (text[0] == '\0') {
        return;
    }
    doctor_note(c, "the steps call %s", text);
    if (c->verdict.next != c->advice_open) {
        TEXT_SET(c->advice_open, "%s", c->verdict.next);
    }
    TEXT_ADD(c->advice_open, "; see whether the state depends on what a step calls: %s", text);
    c->verdict.next = c->advice_open;
}

// Return true if a cause stands whatever the game asks: the machines differ, or the builds, which
// are recorded and of which each comes to the hashes of its side.
static bool stands(const char *cause)
{
    return strcmp(cause, "environment") == 0 || strcmp(cause, "build") == 0;
}

const char *doctor_calls_objection(doctor_case *c, const doctor_play *straight, const char *cause)
{
    static char text[160];
    if (stands(cause)) {
        return NULL;
    }
    if (c->is_repeated[0] && c->is_repeated[1]) {
        return "each side's own machine comes to its own hashes";
    }
    const check_imports *imports = trace(c, straight);
    const char *name =
        imports->traced_ticks > 0 ? imports->unvaried : check_imports_unvaried(imports);
    if (name == NULL || (strcmp(cause, "threads") == 0 && check_imports_is_of_processors(name))) {
        return NULL;
    }
    TEXT_SET(text, "the game calls %s, which may tell another machine something else", name);
    for (uint32_t i = 0; i < imports->call_count; i++) {
        const check_call *call = &imports->called[i];
        if (strcmp(call->function, name) == 0 && call->at.line[0] != '\0') {
            TEXT_SET(text, "a step calls %s (%.60s), which may tell another machine something else",
                     name, call->at.line);
        }
    }
    return text;
}
