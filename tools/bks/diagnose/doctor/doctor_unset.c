// SPDX-License-Identifier: MIT

#include "diagnose/doctor/doctor_unset.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/stop.h"
#include "base/tool.h"

bool doctor_unset_is_seen(doctor_case *c, const doctor_play *straight, const doctor_try *suspected)
{
    static doctor_try t;
    const check_finding *found = &suspected->result.found;
    const check_finding *seen = &t.result.found;
    if (doctor_try_run(c, straight, "defined", NULL, suspected->first, &t) != TOOL_OK ||
        !t.is_run) {
        doctor_note(c, "defined: not tried: %s", t.why);
        return false;
    }
    const bool is_seen = t.result.same == CHECK_DIFFERS && seen->tick == found->tick &&
                         strcmp(seen->object, found->object) == 0 &&
                         strcmp(seen->field, found->field) == 0;
    if (is_seen) {
        doctor_note(c,
                    "defined from tick %" PRId32 ": valgrind sees at tick %" PRId32
                    " that this value comes from memory that was never written%s%s",
                    t.first, seen->tick, seen->note[0] != '\0' ? ": " : "", seen->note);
        (void)snprintf(c->unset_origin, sizeof(c->unset_origin), "%s", seen->note);
    } else if (t.result.same == CHECK_DIFFERS) {
        doctor_note(c,
                    "defined from tick %" PRId32 ": valgrind sees unset memory first at tick "
                    "%" PRId32 ", but not in this value there",
                    t.first, seen->tick);
    } else {
        doctor_note(c, "defined from tick %" PRId32 ": valgrind sees no unset memory in the state",
                    t.first);
    }
    return is_seen;
}

bool doctor_unset_alters(const doctor_case *c, const doctor_play *straight, const char *object,
                         const char *field, doctor_try *out)
{
    // Words of ones turn each bit of what is 0 on the stack of the plain process.
    static const char *const changes[][2] = {{"fill", NULL}, {"stack-holds", "0xffffffffffffffff"}};
    const check_finding *found = &out->result.found;
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]) && !stop_is_wanted(); i++) {
        if (doctor_try_run(c, straight, changes[i][0], changes[i][1], c->hash_tick - 1, out) ==
                TOOL_OK &&
            out->is_run && out->result.same == CHECK_DIFFERS && found->tick == c->hash_tick - 1 &&
            strcmp(found->object, object) == 0 && strcmp(found->field, field) == 0) {
            return true;
        }
    }
    return false;
}
