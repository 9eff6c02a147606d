// SPDX-License-Identifier: MIT

#include "diagnose/doctor/doctor_vote.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "base/text.h"
#include "base/tool.h"

enum { NO_HASH = -1, NAME_LENGTH = 37, NAME_BYTES = NAME_LENGTH + 4, LIST_BYTES = 352 };

/// Recordings that vote.
typedef struct vote {
    uint32_t count;
    replay_file files[DOCTOR_FILES_MAX];
    /// Group of each recording at the tick that is voted on, NO_HASH: it holds no hash of it. Each
    /// group has the index of its first recording.
    int groups[DOCTOR_FILES_MAX];
    uint64_t hashes[DOCTOR_FILES_MAX];
    uint32_t bits[DOCTOR_FILES_MAX];
} vote;

static int open_all(vote *v, const char *const *paths, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const int status = replay_file_open(paths[i], &v->files[i]);
        if (status != TOOL_OK) {
            return status;
        }
        v->count = i + 1;
        const bks_recording *info = v->files[i].info;
        const bks_recording *first = v->files[0].info;
        if (strcmp(info->game, first->game) != 0 || info->seed != first->seed) {
            tool_complain(paths[i], "is of another match than %s", paths[0]);
            return TOOL_MISUSE;
        }
    }
    return TOOL_OK;
}

static void close_all(vote *v)
{
    for (uint32_t i = 0; i < v->count; i++) {
        replay_file_close(&v->files[i]);
    }
}

// Group the recordings by their hashes of a tick.
// @return the number of groups
static uint32_t group(vote *v, bks_tick tick)
{
    uint32_t groups = 0;
    for (uint32_t i = 0; i < v->count; i++) {
        const replay_file *file = &v->files[i];
        v->groups[i] = NO_HASH;
        if (tick < file->info->first || tick > file->info->confirmed ||
            bks_replay_hash(file->replay, tick, &v->hashes[i], &v->bits[i]) != BKS_OK ||
            v->bits[i] == 0) {
            continue;
        }
        v->groups[i] = (int)i;
        for (uint32_t j = 0; j < i && v->groups[i] == (int)i; j++) {
            const uint32_t bits = v->bits[i] < v->bits[j] ? v->bits[i] : v->bits[j];
            if (v->groups[j] != NO_HASH && doctor_hashes_agree(v->hashes[i], v->hashes[j], bits)) {
                v->groups[i] = v->groups[j];
            }
        }
        groups += v->groups[i] == (int)i ? 1 : 0;
    }
    return groups;
}

static uint32_t size_of(const vote *v, int index)
{
    uint32_t size = 0;
    for (uint32_t i = 0; i < v->count; i++) {
        size += index != NO_HASH && v->groups[i] == index ? 1 : 0;
    }
    return size;
}

// Find the first tick at which the hashes differ.
// @return false if there is none
static bool find_tick(vote *v, bks_tick *out)
{
    bks_tick last = 0;
    for (uint32_t i = 0; i < v->count; i++) {
        const bks_tick confirmed = v->files[i].info->confirmed;
        last = confirmed > last ? confirmed : last;
    }
    for (*out = 0; *out <= last; ++*out) {
        if (group(v, *out) > 1) {
            return true;
        }
    }
    return false;
}

// Return the largest group but `without`, NO_HASH if there is no other.
static int largest(const vote *v, int without)
{
    int best = NO_HASH;
    for (uint32_t i = 0; i < v->count; i++) {
        if (v->groups[i] == (int)i && (int)i != without &&
            (best == NO_HASH || size_of(v, (int)i) > size_of(v, best))) {
            best = (int)i;
        }
    }
    return best;
}

// Write a recording's path, or its end if it is long: recordings of a match lie in folders whose
// names begin alike.
static const char *name_of(const vote *v, int index, char out[NAME_BYTES])
{
    const char *path = plain_name(v->files[index].path);
    const size_t length = strlen(path);
    const char *from = path + (length > NAME_BYTES - 1 ? length - NAME_LENGTH : 0);
    while (from > path && ((unsigned char)*from & 0xC0) == 0x80) {
        from++; // do not begin within a character
    }
    (void)snprintf(out, NAME_BYTES, "%s%s", from > path ? "..." : "", from);
    return out;
}

static void list_group(const vote *v, int index, char out[LIST_BYTES])
{
    char name[NAME_BYTES];
    out[0] = '\0';
    for (uint32_t i = 0; i < v->count; i++) {
        if (v->groups[i] == index) {
            text_add(out, LIST_BYTES, "%s%s", out[0] != '\0' ? ", " : "", name_of(v, (int)i, name));
        }
    }
}

static void note_vote(doctor_case *c, const vote *v, bks_tick tick, int most, int other)
{
    char lists[2][LIST_BYTES];
    uint32_t voters = 0;
    for (uint32_t i = 0; i < v->count; i++) {
        voters += v->groups[i] != NO_HASH ? 1 : 0;
    }
    const uint32_t sizes[2] = {size_of(v, most), size_of(v, other)};
    c->vote.has_majority = 2 * sizes[0] > voters;
    list_group(v, most, lists[0]);
    list_group(v, other, lists[1]);
    char names[2][NAME_BYTES];
    (void)name_of(v, most, names[0]);
    (void)name_of(v, other, names[1]);
    if (!c->vote.has_majority) {
        doctor_note(c,
                    "vote: no majority at tick %" PRId32 ", where the hashes of %" PRIu32
                    " recordings differ first: %s differ from %s; A is %s, B is %s",
                    tick, voters, lists[0], lists[1], names[0], names[1]);
        return;
    }
    doctor_note(c,
                "vote: at tick %" PRId32 ", the first that differs, %" PRIu32 " of %" PRIu32
                " recordings agree (%s), %s %s: A is %s, B is %s",
                tick, sizes[0], voters, lists[0], lists[1],
                sizes[1] == 1 ? "stands alone" : "stand against them", names[0], names[1]);
}

static void choose(doctor_case *c, vote *v, const char *chosen[2])
{
    bks_tick tick = 0;
    chosen[0] = v->files[0].path;
    chosen[1] = v->files[1].path;
    if (!find_tick(v, &tick)) {
        doctor_note(c, "vote: no hash of the %" PRIu32 " recordings differs", v->count);
        return;
    }
    const int most = largest(v, NO_HASH);
    const int other = largest(v, most);
    c->vote = (doctor_vote){.tick = tick, .count = v->count};
    note_vote(c, v, tick, most, other);
    chosen[0] = v->files[most].path;
    chosen[1] = v->files[other].path;
    for (uint32_t i = 0; i < v->count; i++) {
        c->vote.paths[i] = v->files[i].path;
        c->vote.votes[i] = v->groups[i] == most ? 1 : v->groups[i] != NO_HASH ? -1 : 0;
    }
}

int doctor_vote_take(doctor_case *c, const char *const *paths, uint32_t count,
                     const char *chosen[2])
{
    static vote v;
    v = (vote){0};
    const int status = open_all(&v, paths, count);
    if (status == TOOL_OK) {
        choose(c, &v, chosen);
    }
    close_all(&v);
    return status;
}
