// SPDX-License-Identifier: MIT

// Comparison of two recordings. Ticks that both recordings confirm are compared and, separately,
// ticks that one of them only guessed. States that a recording has wrong, because they were
// repaired later, are not compared. In place of their hashes, the hashes that the peers agreed on
// are compared where they are known.

#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "backstitch/toolkit/state_map.h"
#include "base/memory.h"
#include "base/report.h"
#include "replay/read/reader.h"

static const char call[] = "bks_replay_compare";

/// Comparison in progress: both recordings, and the differences found.
typedef struct comparing {
    bks_replay *sides[2];
    bks_replay_comparison *out;
    bks_error *error;
} comparing;

static bks_tick least_of(bks_tick a, bks_tick b)
{
    return a < b ? a : b;
}

// ---- comparing inputs ----

static bool is_same_layout(const bks_recording *a, const bks_recording *b)
{
    bool is_same = a->players == b->players && a->field_count == b->field_count;
    for (uint32_t i = 0; is_same && i < a->field_count; i++) {
        is_same = strcmp(a->fields[i].name, b->fields[i].name) == 0 &&
                  a->fields[i].bits == b->fields[i].bits &&
                  a->fields[i].is_signed == b->fields[i].is_signed;
    }
    return is_same;
}

/// Compare the commands of all players at a tick.
/// @return false if the commands of a player differ
static bool are_commands_same(comparing *c, bks_tick tick, bks_input_difference *out,
                              bks_tick *lost)
{
    bks_commands commands[2][BKS_PLAYERS_MAX];
    bool has_any[2] = {false, false};
    if (c->sides[0]->commands.count == 0 && c->sides[1]->commands.count == 0) {
        return true;
    }
    if (bks_replay_commands(c->sides[0], tick, commands[0], &has_any[0]) != BKS_OK ||
        bks_replay_commands(c->sides[1], tick, commands[1], &has_any[1]) != BKS_OK) {
        (*lost)++;
        return true;
    }
    for (uint32_t p = 0; p < c->sides[0]->info.players; p++) {
        const bks_commands *a = &commands[0][p];
        const bks_commands *b = &commands[1][p];
        if (a->count != b->count || (a->count > 0 && memcmp(a->bytes, b->bytes, a->count) != 0)) {
            *out = (bks_input_difference){tick, p, c->sides[0]->info.field_count, (int32_t)a->count,
                                          (int32_t)b->count};
            return false;
        }
    }
    return true;
}

/// Compare the inputs of a range of ticks, up to the first tick that differs.
/// @return number of ticks compared
static bks_tick compare_inputs(comparing *c, bks_tick from, bks_tick until,
                               bks_input_difference *out, bks_tick *lost)
{
    int32_t values[2][BKS_PLAYERS_MAX * BKS_FIELDS_MAX];
    const bks_recording *info = &c->sides[0]->info;
    const uint32_t count = info->players * info->field_count;
    bks_tick compared = 0;
    for (bks_tick tick = from; tick < until; tick++) {
        if (bks_replay_inputs(c->sides[0], tick, values[0]) != BKS_OK ||
            bks_replay_inputs(c->sides[1], tick, values[1]) != BKS_OK) {
            (*lost)++;
            continue;
        }
        compared++;
        for (uint32_t i = 0; i < count; i++) {
            if (values[0][i] != values[1][i]) {
                *out = (bks_input_difference){tick, i / info->field_count, i % info->field_count,
                                              values[0][i], values[1][i]};
                return compared;
            }
        }
        if (!are_commands_same(c, tick, out, lost)) {
            return compared;
        }
    }
    return compared;
}

// ---- comparing hashes ----

/// Return true if one of the recordings has the state of a tick as it was before a repair.
static bool is_repaired(const comparing *c, bks_tick tick)
{
    return bks_replay_is_repaired(c->sides[0], tick) || bks_replay_is_repaired(c->sides[1], tick);
}

/// Get the hash of a tick's right state: if the recorded state was repaired later, the hash on
/// which the peers agreed. It has 0 bits if the recording does not have it.
static bks_status right_hash(bks_replay *replay, bks_tick tick, uint64_t *out, uint32_t *out_bits)
{
    if (!bks_replay_is_repaired(replay, tick)) {
        return bks_replay_hash(replay, tick, out, out_bits);
    }
    *out_bits = bks_replay_agreed_hash(replay, tick, out) == BKS_OK ? 64 : 0;
    return BKS_OK;
}

/// Compare the hashes of a tick.
/// @return number of compared bits; 0: one of the recordings has no hash
static uint32_t compare_hash(const comparing *c, bks_tick tick, uint64_t out[2])
{
    uint32_t least = 64;
    for (int i = 0; i < 2; i++) {
        uint32_t bits = 0;
        if (right_hash(c->sides[i], tick, &out[i], &bits) != BKS_OK) {
            return 0;
        }
        least = bits < least ? bits : least;
    }
    const uint64_t mask = least == 0 ? 0 : UINT64_MAX >> (64 - least);
    out[0] &= mask;
    out[1] &= mask;
    return least;
}

static void compare_hashes(comparing *c)
{
    bks_replay_comparison *out = c->out;
    for (bks_tick tick = out->first; tick <= out->until && out->hash_tick == BKS_TICK_NONE;
         tick++) {
        uint64_t hashes[2];
        out->repaired += is_repaired(c, tick);
        const uint32_t bits = compare_hash(c, tick, hashes);
        if (bits == 0) {
            continue;
        }
        out->hashes_compared++;
        if (hashes[0] != hashes[1]) {
            out->hash_tick = tick;
            out->hash_bits = bits;
            out->hash_a = hashes[0];
            out->hash_b = hashes[1];
        }
    }
}

// ---- comparing samples: page hashes and values ----

typedef enum sample_kind { SAMPLE_PAGES, SAMPLE_VALUES } sample_kind;

static bksi_sample_list *list_of(bks_replay *replay, sample_kind kind)
{
    return kind == SAMPLE_PAGES ? &replay->pages : &replay->values;
}

/// Return the hash of a page, 0 for a page beyond the end of the state.
static uint32_t page_hash(const uint8_t *sample, size_t count, size_t page)
{
    uint32_t hash = 0;
    if (page < count) {
        memcpy(&hash, sample + page * sizeof(hash), sizeof(hash));
    }
    return hash;
}

/// Compare the page hashes of a tick.
/// @return true if a page differs
static bool look_at_pages(bks_replay_comparison *out, const uint8_t *samples[2],
                          const size_t counts[2])
{
    const size_t pages = counts[0] > counts[1] ? counts[0] : counts[1];
    for (size_t page = 0; page < pages; page++) {
        if (page_hash(samples[0], counts[0], page) == page_hash(samples[1], counts[1], page)) {
            continue;
        }
        out->page = out->pages_differ == 0 ? (uint32_t)page : out->page;
        out->pages_differ++;
    }
    return out->pages_differ > 0;
}

/// Compare the values of a tick.
/// @return true if a value differs
static bool look_at_values(bks_replay_comparison *out, const bks_recording *info,
                           const uint8_t *samples[2])
{
    size_t at = 0;
    for (uint32_t i = 0; i < info->range_count; i++) {
        const bks_state_range *range = &info->ranges[i];
        const size_t bytes = bks_state_type_bytes(range->type);
        bool is_new = true;
        for (uint32_t e = 0; range->is_recorded && e < range->count; e++, at += bytes) {
            if (is_new && memcmp(samples[0] + at, samples[1] + at, bytes) != 0) {
                out->value_range = out->value_ranges == 0 ? i : out->value_range;
                out->value_element = out->value_ranges == 0 ? e : out->value_element;
                out->value_ranges++;
                is_new = false;
            }
        }
    }
    return out->value_ranges > 0;
}

/// Compare the samples of a tick. Almost all are the same as a whole, which is found quickly.
/// @return true if a page or value differs
static bool look_at_samples(const comparing *c, sample_kind kind, const uint8_t *samples[2],
                            const size_t sizes[2])
{
    if (sizes[0] == sizes[1] && memcmp(samples[0], samples[1], sizes[0]) == 0) {
        return false;
    }
    const size_t counts[2] = {sizes[0] / sizeof(uint32_t), sizes[1] / sizeof(uint32_t)};
    return kind == SAMPLE_PAGES ? look_at_pages(c->out, samples, counts)
                                : look_at_values(c->out, &c->sides[0]->info, samples);
}

/// Compare the samples of all ticks, up to the first tick that differs.
/// @return first tick whose samples differ, BKS_TICK_NONE: none
static bks_tick compare_samples(comparing *c, sample_kind kind, bks_tick *compared)
{
    for (bks_tick tick = c->out->first; tick <= c->out->until; tick++) {
        const uint8_t *samples[2];
        size_t sizes[2];
        bool has_both = !is_repaired(c, tick);
        for (int i = 0; i < 2 && has_both; i++) {
            bksi_sample_list *list = list_of(c->sides[i], kind);
            has_both = bksi_replay_has_sample(list, tick) &&
                       bksi_replay_sample(c->sides[i], list, tick, &samples[i], call) == BKS_OK;
            sizes[i] = list->sample_bytes;
        }
        if (!has_both) {
            continue;
        }
        (*compared)++;
        if (look_at_samples(c, kind, samples, sizes)) {
            return tick;
        }
    }
    return BKS_TICK_NONE;
}

/// Return true if both recordings have values of the same ranges of the state.
static bool has_same_ranges(const bks_recording *a, const bks_recording *b)
{
    bool is_same = a->range_count == b->range_count;
    for (uint32_t i = 0; is_same && i < a->range_count; i++) {
        const bks_state_range *one = &a->ranges[i];
        const bks_state_range *other = &b->ranges[i];
        is_same = strcmp(one->name, other->name) == 0 && one->count == other->count &&
                  one->type == other->type && one->is_recorded == other->is_recorded;
    }
    return is_same;
}

// ---- comparing states ----

/// Read the states of a tick from both recordings.
/// @return BKS_OK; BKS_ERR_INCOMPLETE when one of the recordings has no state of the tick or cannot
///         unpack it; BKS_ERR_OUT_OF_MEMORY
static bks_status read_states(const comparing *c, bks_tick tick, uint8_t *states[2],
                              size_t sizes[2], size_t counts[2])
{
    for (int i = 0; i < 2; i++) {
        bks_status status = bks_replay_state_at(c->sides[i], tick, NULL, 0, &sizes[i], NULL);
        if (status == BKS_OK) {
            states[i] = bksi_alloc(&c->sides[i]->allocator, sizes[i], 16);
            status = states[i] == NULL ? BKS_ERR_OUT_OF_MEMORY
                                       : bks_replay_state_at(c->sides[i], tick, states[i], sizes[i],
                                                             &counts[i], NULL);
        }
        if (status != BKS_OK) {
            return status == BKS_ERR_OUT_OF_MEMORY ? status : BKS_ERR_INCOMPLETE;
        }
    }
    return BKS_OK;
}

static void look_at_states(bks_replay_comparison *out, bks_tick tick, uint8_t *const states[2],
                           const size_t counts[2])
{
    const size_t both = counts[0] < counts[1] ? counts[0] : counts[1];
    uint64_t differ = counts[0] + counts[1] - 2 * both;
    uint64_t first = both;
    for (size_t i = both; i-- > 0;) {
        if (states[0][i] != states[1][i]) {
            first = i;
            differ++;
        }
    }
    if (differ > 0) {
        out->state_tick = tick;
        out->state_offset = first;
        out->state_differ = differ;
    }
}

/// Compare the states of a tick. States with the same hash count as equal, whatever other bytes the
/// game keeps in them. Only states that differ are unpacked, because a small file can hold many
/// large states.
static bks_status compare_state(comparing *c, bks_tick tick)
{
    uint64_t hashes[2];
    if ((compare_hash(c, tick, hashes) > 0 && hashes[0] == hashes[1]) ||
        bksi_replay_has_same_state(c->sides[0], c->sides[1], tick)) {
        c->out->states_compared++;
        return BKS_OK;
    }
    uint8_t *states[2] = {NULL};
    size_t sizes[2] = {0};
    size_t counts[2] = {0};
    bks_status status = read_states(c, tick, states, sizes, counts);
    if (status == BKS_OK) {
        c->out->states_compared++;
        look_at_states(c->out, tick, states, counts);
    }
    for (int i = 0; i < 2; i++) {
        bksi_free(&c->sides[i]->allocator, states[i], states[i] != NULL ? sizes[i] : 0);
    }
    if (status == BKS_ERR_OUT_OF_MEMORY) {
        return bksi_fail(c->error, status, call, NULL, "no memory for two states of tick %d", tick);
    }
    c->out->states_unreadable += status == BKS_OK ? 0 : 1;
    return BKS_OK;
}

/// Return true if both recordings hold the state of a tick, and neither state was repaired later.
static bool has_both_states(const comparing *c, bks_tick tick)
{
    size_t count = 0;
    for (int i = 0; i < 2; i++) {
        if (bksi_replay_state_is_wrong(c->sides[i], tick) ||
            !bksi_replay_has_state(c->sides[i], tick, &count)) {
            return false;
        }
    }
    return true;
}

/// Return true if too many states could not be unpacked, so that no more are tried.
static bool is_given_up(const comparing *c)
{
    return c->out->states_unreadable >= BKSI_KEYFRAME_TRIES_MAX;
}

/// Compare the states of the first tick and of all keyframes. After BKSI_KEYFRAME_TRIES_MAX states
/// that could not be unpacked, the remaining ones are only counted.
static bks_status compare_states(comparing *c)
{
    const bks_replay *a = c->sides[0];
    bks_status status = BKS_OK;
    if (c->out->first <= c->out->until && has_both_states(c, c->out->first)) {
        status = compare_state(c, c->out->first);
    }
    for (uint32_t i = 0; i < a->info.keyframes && status == BKS_OK; i++) {
        bks_replay_keyframe key;
        (void)bks_replay_keyframe_at(a, i, &key);
        if (c->out->state_tick != BKS_TICK_NONE || key.tick > c->out->until) {
            break;
        }
        if (key.tick <= c->out->first || !has_both_states(c, key.tick)) {
            continue;
        }
        if (is_given_up(c)) {
            c->out->states_skipped++;
        } else {
            status = compare_state(c, key.tick);
        }
    }
    return status;
}

// ---- comparing two recordings ----

bks_status bks_replay_compare(bks_replay *a, bks_replay *b, bks_replay_comparison *out,
                              bks_error *error)
{
    BKSI_REFUSE_NULL(error, a);
    BKSI_REFUSE_NULL(error, b);
    BKSI_REFUSE_NULL(error, out);
    comparing c = {.sides = {a, b}, .out = out, .error = error};
    *out = (bks_replay_comparison){
        .first = a->info.first > b->info.first ? a->info.first : b->info.first,
        .until = least_of(a->info.confirmed, b->info.confirmed),
        .input.tick = BKS_TICK_NONE,
        .hash_tick = BKS_TICK_NONE,
        .page_tick = BKS_TICK_NONE,
        .value_tick = BKS_TICK_NONE,
        .state_tick = BKS_TICK_NONE,
        .guess.tick = BKS_TICK_NONE,
    };
    if (is_same_layout(&a->info, &b->info)) {
        const bks_tick guessed = out->until > out->first ? out->until : out->first;
        bks_tick unused = 0;
        out->inputs_compared = compare_inputs(&c, out->first, out->until, &out->input, &out->lost);
        out->guesses_compared = compare_inputs(&c, guessed, least_of(a->info.ticks, b->info.ticks),
                                               &out->guess, &unused);
    }
    compare_hashes(&c);
    out->page_tick = compare_samples(&c, SAMPLE_PAGES, &out->pages_compared);
    if (has_same_ranges(&a->info, &b->info)) {
        out->value_tick = compare_samples(&c, SAMPLE_VALUES, &out->values_compared);
    }
    return compare_states(&c);
}
