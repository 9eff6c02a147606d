// SPDX-License-Identifier: MIT

#include "diagnose/doctor/doctor_steps.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/tool.h"
#include "diagnose/doctor/doctor_chance.h"
#include "diagnose/doctor/doctor_verdict.h"

enum { LINE_BYTES = 256 };

/// Hashes that another machine got from a recording, as read from its answer file.
typedef struct answer {
    bool has_recording;
    /// True once the line "differs" was read.
    bool has_end;
    uint64_t recording;
    char build[64];
    bks_tick ticks;
    uint32_t runs; ///< number of processes that came to these hashes
    bks_tick differs;
    uint32_t environment_count;
    bks_replay_pair environment[BKS_REPLAY_ENVIRONMENT_MAX];
    uint32_t hash_count;
    uint64_t hashes[DOCTOR_ANSWER_HASHES_MAX]; ///< hashes of the ticks from `differs` on
} answer;

// Return true if a line begins with a word. `rest` receives the text after the word.
static bool is_word(const char *line, const char *word, const char **rest)
{
    const size_t length = strlen(word);
    *rest = line + length + 1;
    return strncmp(line, word, length) == 0 && line[length] == ' ';
}

static bool read_pair(const char *text, answer *out)
{
    const char *space = strchr(text, ' ');
    if (space == NULL || out->environment_count == BKS_REPLAY_ENVIRONMENT_MAX) {
        return false;
    }
    bks_replay_pair *pair = &out->environment[out->environment_count++];
    (void)snprintf(pair->name, sizeof(pair->name), "%.*s", (int)(space - text), text);
    (void)snprintf(pair->value, sizeof(pair->value), "%.*s", (int)sizeof(pair->value) - 1,
                   space + 1);
    return true;
}

// Read the line that gives the tick of the first hash in an answer. Fail if the answer has two such
// lines.
static bool read_differs(const char *text, answer *out)
{
    const bool is_first = !out->has_end;
    out->has_end = true;
    return is_first && (strcmp(text, "none") == 0 ||
                        (sscanf(text, "%" SCNd32, &out->differs) == 1 && out->differs >= 0));
}

static bool read_hash(const char *text, answer *out)
{
    bks_tick tick = 0;
    uint64_t hash = 0;
    if (out->hash_count == DOCTOR_ANSWER_HASHES_MAX || out->differs == BKS_TICK_NONE ||
        sscanf(text, "%" SCNd32 " %" SCNx64, &tick, &hash) != 2 ||
        (int64_t)tick - out->differs != (int64_t)out->hash_count) {
        return false;
    }
    out->hashes[out->hash_count++] = hash;
    return true;
}

// Read one line of an answer. Ignore lines that begin with an unknown word.
static bool read_line(const char *line, answer *out)
{
    const char *rest = NULL;
    if (is_word(line, "recording", &rest)) {
        out->has_recording = sscanf(rest, "%" SCNx64, &out->recording) == 1;
        return out->has_recording;
    }
    if (is_word(line, "build", &rest)) {
        (void)snprintf(out->build, sizeof(out->build), "%.*s", (int)sizeof(out->build) - 1, rest);
    }
    if (is_word(line, "environment", &rest)) {
        return read_pair(rest, out);
    }
    if (is_word(line, "ticks", &rest)) {
        return sscanf(rest, "%" SCNd32, &out->ticks) == 1;
    }
    if (is_word(line, "runs", &rest)) {
        return *rest >= '0' && *rest <= '9' && sscanf(rest, "%" SCNu32, &out->runs) == 1;
    }
    if (is_word(line, "differs", &rest)) {
        return read_differs(rest, out);
    }
    return !is_word(line, "hash", &rest) || read_hash(rest, out);
}

static bool read_answer(FILE *in, answer *out)
{
    char line[LINE_BYTES];
    *out = (answer){.differs = BKS_TICK_NONE, .runs = 1};
    for (uint32_t number = 0; fgets(line, sizeof(line), in) != NULL; number++) {
        const size_t length = strcspn(line, "\n");
        if (length == LINE_BYTES - 1) { // the line is longer than any line of an answer file
            return false;
        }
        line[length] = '\0';
        const bool is_good =
            number == 0 ? strcmp(line, DOCTOR_ANSWER_MAGIC) == 0 : read_line(line, out);
        if (!is_good) {
            return false;
        }
    }
    return out->has_recording && out->has_end;
}

// Return the side whose recording an answer is about, -1 if the answer is about neither side's
// recording.
static int side_of(const doctor_case *c, const answer *a)
{
    for (int s = 0; s < 2; s++) {
        const replay_file *file = &c->sides[s].file;
        if (file->replay != NULL && bks_hash64(file->bytes, file->count, 0) == a->recording) {
            return s;
        }
    }
    return -1;
}

// Return true if an answer comes from a machine with the build and environment that a recording
// names.
static bool is_alike(const answer *a, const bks_recording *info)
{
    bool is_same = strcmp(a->build, info->build) == 0;
    for (uint32_t i = 0; i < info->environment_count && is_same; i++) {
        bool has = false;
        for (uint32_t k = 0; k < a->environment_count; k++) {
            has = has || (strcmp(a->environment[k].name, info->environment[i].name) == 0 &&
                          strcmp(a->environment[k].value, info->environment[i].value) == 0);
        }
        is_same = has;
    }
    return is_same;
}

static void note(doctor_case *c, const char *path, int side, const answer *a)
{
    const bool is_of_its_machine = is_alike(a, c->sides[side].file.info);
    const char *machine = is_of_its_machine ? "a machine like the one that recorded it"
                                            : "another machine than the one that recorded it";
    const char *name = c->sides[side].name;
    c->is_settled[side] = c->is_settled[side] || is_of_its_machine;
    const bool comes_to_it =
        a->differs == BKS_TICK_NONE || (c->hash_tick != BKS_TICK_NONE && a->differs > c->hash_tick);
    if (comes_to_it) {
        c->is_repeated[side] = c->is_repeated[side] || is_of_its_machine;
        c->is_certain[side] =
            c->is_certain[side] || (is_of_its_machine && a->runs > DOCTOR_CHANCE_PLAYS);
        doctor_note(c, "%s: stepped by %s, %s comes to its own hashes (%" PRId32 " compared)", path,
                    machine, name, a->ticks);
        return;
    }
    const bool is_there = a->differs == c->hash_tick;
    const doctor_match match = doctor_compare(c, a->differs, a->hashes, a->hash_count);
    doctor_note(c, "%s: stepped by %s, %s comes to another state at tick %" PRId32 ": %s", path,
                machine, name, a->differs,
                is_there ? doctor_match_text(c, &match)
                         : "before the hashes of the recordings differ");
    c->is_not_repeated[side] =
        c->is_not_repeated[side] || (is_there && is_of_its_machine && match.is_same[1 - side] &&
                                     match.bits[1 - side] >= DOCTOR_BITS_MIN);
}

// Return true if enough processes of a side's machine, or of this machine, came to the side's
// hashes. Otherwise a game that varies from run to run came to them by chance.
static bool is_certain(doctor_case *c, const doctor_play *straight, int side)
{
    return c->is_certain[side] ||
           (c->has_here[side] && doctor_chance_is_plain(c, straight, DOCTOR_CHANCE_PLAYS));
}

// Return why answers prove nothing, NULL if they do.
static const char *why_no_proof(doctor_case *c, const doctor_play *straight)
{
    const bks_recording *a = c->sides[0].file.info;
    const bks_recording *b = c->has_two ? c->sides[1].file.info : NULL;
    return b == NULL || !c->is_repeated[0] || !c->is_repeated[1] ? ""
           : strcmp(a->build, b->build) != 0                     ? "the builds differ"
           : c->diff.found.input.tick != BKS_TICK_NONE || replay_diff_starts_differ(&c->diff)
               ? "inputs, options or seed differ"
           : c->is_not_repeated[0] || c->is_not_repeated[1]
               ? "a machine like one of them came to the hashes of the other"
           : c->varies             ? "processes of one machine come to different results"
           : c->has_other_suspects ? "a change of another cause makes a difference, too"
           : !is_certain(c, straight, 0) || !is_certain(c, straight, 1)
               ? "not enough processes of each came to the same"
               : NULL;
}

bool doctor_proof_answers(doctor_case *c, const doctor_play *straight)
{
    const char *why = why_no_proof(c, straight);
    if (why == NULL) {
        doctor_note(c,
                    "each side's machine comes to its own hashes, by the same build and the same "
                    "inputs: the machines differ");
        doctor_verdict_prove(c, "environment", &(doctor_proof){.means = DOCTOR_BY_ANSWERS});
        doctor_note_proof(c, c->evidence_count - 1, 0);
    } else if (why[0] != '\0') {
        doctor_note(c, "each side's machine comes to its own hashes, which proves nothing: %s",
                    why);
    }
    return why == NULL;
}

int doctor_answer_take(doctor_case *c, const args_list *paths)
{
    static answer a;
    for (uint32_t i = 0; paths != NULL && i < paths->count; i++) {
        const char *path = paths->items[i];
        FILE *in = fopen(path, "r");
        const bool is_read = in != NULL && read_answer(in, &a);
        if (in != NULL) {
            (void)fclose(in);
        }
        if (!is_read) {
            tool_complain(path, in == NULL ? "cannot be read, expected an answer of "
                                             "'bks doctor --here'"
                                           : "is no answer of 'bks doctor --here'");
            return TOOL_DAMAGED;
        }
        const int side = side_of(c, &a);
        if (side < 0) {
            tool_complain(path, "is about another recording, expected one about these");
            return TOOL_MISUSE;
        }
        note(c, path, side, &a);
    }
    return TOOL_OK;
}
