// SPDX-License-Identifier: MIT

#include "diagnose/doctor/doctor_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "base/tool.h"

enum { SECONDS_OF_MINUTE = 60, MINUTES_OF_HOUR = 60 };

/// Entries of the machine that made a recording.
typedef struct machine {
    uint32_t count;
    bks_replay_pair entries[BKS_REPLAY_ENVIRONMENT_MAX];
} machine;

static bool take_entry(void *context, const bks_evidence_part *part)
{
    machine *m = context;
    if (part->kind == BKS_EVIDENCE_ENVIRONMENT && m->count < BKS_REPLAY_ENVIRONMENT_MAX) {
        bks_replay_pair *entry = &m->entries[m->count++];
        (void)snprintf(entry->name, sizeof(entry->name), "%.*s", (int)sizeof(entry->name) - 1,
                       part->name);
        (void)snprintf(entry->value, sizeof(entry->value), "%.*s", (int)sizeof(entry->value) - 1,
                       part->text);
    }
    return true;
}

// Read the entries of a side's first piece of evidence; the others repeat them.
static void read_machine(const doctor_side *side, machine *out)
{
    out->count = 0;
    if (side->file.replay != NULL && side->file.info->evidence_count > 0) {
        (void)!bks_replay_evidence_parts(side->file.replay, 0, take_entry, out);
        tool_log_drop();
    }
}

static const char *find(const machine *m, const char *name)
{
    for (uint32_t i = 0; i < m->count; i++) {
        if (strcmp(m->entries[i].name, name) == 0) {
            return m->entries[i].value;
        }
    }
    return NULL;
}

void doctor_machine_note(doctor_case *c)
{
    static machine machines[2];
    read_machine(&c->sides[0], &machines[0]);
    read_machine(&c->sides[1], &machines[1]);
    for (uint32_t i = 0; i < machines[0].count; i++) {
        const bks_replay_pair *entry = &machines[0].entries[i];
        const char *other = find(&machines[1], entry->name);
        if (other != NULL && strcmp(entry->value, other) != 0) {
            doctor_note(c, "machines: %s %s in A, %s in B", entry->name, entry->value, other);
        }
    }
}

// Turn an entry such as "JST/JST, +32400 s" into a value of TZ, "<JST>-9:00".
static bool zone_of(const char *entry, char *out, size_t capacity)
{
    char name[16] = "";
    const char *offset = strstr(entry, ", ");
    if (sscanf(entry, "%15[^/]", name) != 1 || offset == NULL) {
        return false;
    }
    const long minutes = strtol(offset + 2, NULL, 10) / SECONDS_OF_MINUTE;
    const long size = labs(minutes);
    (void)snprintf(out, capacity, "<%s>%s%ld:%02ld", name, minutes > 0 ? "-" : "",
                   size / MINUTES_OF_HOUR, size % MINUTES_OF_HOUR);
    return size < 24L * MINUTES_OF_HOUR;
}

uint32_t doctor_machine_changes(const doctor_case *c,
                                doctor_machine_change out[DOCTOR_MACHINE_CHANGES_MAX])
{
    static machine machines[2];
    uint32_t count = 0;
    for (int s = 0; s < 2; s++) {
        read_machine(&c->sides[s], &machines[s]);
    }
    const char *zones[2] = {find(&machines[0], "time_zone"), find(&machines[1], "time_zone")};
    const char *locales[2] = {find(&machines[0], "locale"), find(&machines[1], "locale")};
    for (int s = 0; s < 2; s++) {
        doctor_machine_change *change = &out[count];
        change->side = s;
        if (zones[0] != NULL && zones[1] != NULL && strcmp(zones[0], zones[1]) != 0 &&
            zone_of(zones[s], change->value, sizeof(change->value))) {
            change->variant = "zone-is";
            change = &out[++count];
            change->side = s;
        }
        if (locales[0] != NULL && locales[1] != NULL && strcmp(locales[0], locales[1]) != 0) {
            change->variant = "locale-is";
            (void)snprintf(change->value, sizeof(change->value), "%s", locales[s]);
            count++;
        }
    }
    return count;
}
