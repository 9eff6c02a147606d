// SPDX-License-Identifier: MIT

// The table has a fixed size and two possible entries for each context. If other contexts hold
// both, the entry with the lower count ages until it may be replaced. A context has up to six
// values, each with a count.
//
// The chance of a value in a context is (its count + 12 * its chance in the next broader context) /
// (all counts + 12). In the broadest context the unchanged value has a chance of one quarter before
// anything is counted. These numbers, the lead that a new value needs over the held one, and the
// contexts are those that guessed best on real matches: `bks bench predict`.

#include "input/votes.h"

#include <string.h>

#include "base/bits.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/report.h"

#define ENTRY_COUNT   32768u // number of entries, a power of two; they take 1.2 MB
#define CONTEXT_COUNT 4u
#define VALUES_MAX    6u

/// Count of a context at which all its counts are halved, so that newer ones weigh more.
#define COUNT_MAX 40u

/// Chances in 65536ths. CHANCE_ONE: certainty. CHANCE_HELD: chance of an unchanged value before
/// anything is counted. CHANCE_LEAD: a new value is guessed only if its chance exceeds that of the
/// unchanged value by this much.
#define CHANCE_ONE  65536u
#define CHANCE_HELD (CHANCE_ONE / 4)
#define CHANCE_LEAD (CHANCE_ONE * 4 / 100)
#define BROADER     12u // weight of the broader context's chance, in observations

#define FORMAT_VERSION   1u
#define HEAD_BYTES       20u // size of a file's head: magic, version, identity, entry count
#define SLOT_HEAD_BYTES  6u  // size of an entry's head: index, tag, total, number of values
#define SLOT_VALUE_BYTES 5u  // size of a written value: its count and the value

static const uint8_t magic[4] = {'B', 'K', 'S', 'V'};

struct bksi_vote_entry {
    uint16_t tag;               ///< upper bits of the context's number; 0: the entry is empty
    uint8_t total;              ///< how often the context was met, at least the sum of the counts
    uint8_t counts[VALUES_MAX]; ///< how often each value followed; 0: no value
    uint32_t values[VALUES_MAX];
};

/// Past of a unit, mirrored so that it points up and right.
typedef struct view {
    bksi_unit_past past;
    bool flip_first;
    bool flip_second;
} view;

// ---- units: fields that are guessed as one ----

static bool is_pair(const bksi_layout *layout, uint32_t field)
{
    const bks_field_kind kind = layout->fields[field].kind;
    return kind == BKS_FIELD_STICK_X || kind == BKS_FIELD_ANGLE;
}

static bool is_button(const bks_field *field)
{
    return field->bits == 1 && field->kind == BKS_FIELD_PLAIN;
}

/// Return true if a field is guessed together with the one before it.
static bool joins(const bksi_layout *layout, uint32_t field, const bksi_unit *unit)
{
    if (is_pair(layout, field - 1)) {
        return unit->bits + layout->fields[field].bits <= BKSI_UNIT_BITS_MAX;
    }
    return is_button(&layout->fields[field]) && is_button(&layout->fields[field - 1]) &&
           layout->group_of[field] == layout->group_of[field - 1];
}

static void make_units(bksi_votes *votes, const bksi_layout *layout, bool all_fields)
{
    bool is_open = false; // true if the next field may join the last unit (fields guessed as one)
    for (uint32_t i = 0; i < layout->field_count; i++) {
        const bks_field *field = &layout->fields[i];
        if (!all_fields && field->predictor != BKS_PREDICT_VOTE) {
            is_open = false;
            continue;
        }
        if (is_open && joins(layout, i, &votes->units[votes->unit_count - 1])) {
            bksi_unit *unit = &votes->units[votes->unit_count - 1];
            unit->bits = (uint8_t)(unit->bits + field->bits);
            unit->first_bits = is_button(field) ? unit->bits : unit->first_bits;
            continue;
        }
        is_open = true;
        votes->units[votes->unit_count++] = (bksi_unit){
            .offset_bits = layout->offset_bits[i],
            .bits = (uint8_t)field->bits,
            .first_bits = (uint8_t)field->bits,
            .is_mirrored = field->is_signed && field->kind != BKS_FIELD_PLAIN,
        };
    }
}

/// Return a hash of what values mean. It leaves out predictors, because a table learnt for all
/// fields serves layouts that vote on some of them.
static uint64_t identity_of(const bksi_layout *layout)
{
    uint64_t identity = layout->bits;
    for (uint32_t i = 0; i < layout->field_count; i++) {
        const bks_field *field = &layout->fields[i];
        const uint8_t facts[4] = {(uint8_t)field->bits, field->is_signed ? 1 : 0,
                                  (uint8_t)field->kind, layout->group_of[i]};
        identity = bksi_hash64(field->name, strlen(field->name), identity);
        identity = bksi_hash64(facts, sizeof(facts), identity);
    }
    return identity;
}

uint32_t bksi_unit_read(const bksi_unit *unit, const uint8_t *packed)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < unit->bits;) {
        const uint32_t at = unit->offset_bits + i;
        value |= (uint32_t)(packed[at / 8] >> (at % 8)) << i;
        i += 8 - at % 8;
    }
    return unit->bits == 32 ? value : value & ((UINT32_C(1) << unit->bits) - 1);
}

void bksi_unit_write(const bksi_unit *unit, uint32_t value, uint8_t *packed)
{
    for (uint32_t i = 0; i < unit->bits;) {
        const uint32_t at = unit->offset_bits + i;
        const uint32_t room = 8 - at % 8;
        const uint32_t count = room < unit->bits - i ? room : unit->bits - i;
        const uint32_t mask = ((1u << count) - 1) << (at % 8);
        packed[at / 8] = (uint8_t)((packed[at / 8] & ~mask) | ((value >> i << (at % 8)) & mask));
        i += count;
    }
}

void bksi_unit_past_push(bksi_unit_past *past, uint32_t value)
{
    if (value == past->value) {
        past->held_ticks += past->held_ticks < 255 ? 1 : 0;
        return;
    }
    *past = (bksi_unit_past){.value = value, .before = past->value};
}

// ---- contexts of a unit ----

static uint32_t low_bits(uint32_t value, uint32_t bits)
{
    return bits >= 32 ? value : value & ((UINT32_C(1) << bits) - 1);
}

static int32_t first_of(const bksi_unit *unit, uint32_t value)
{
    const uint32_t part = low_bits(value, unit->first_bits);
    return unit->is_mirrored ? bksi_sign_extend(part, unit->first_bits) : (int32_t)part;
}

static int32_t second_of(const bksi_unit *unit, uint32_t value)
{
    const uint32_t bits = unit->bits - unit->first_bits;
    if (bits == 0) {
        return 0;
    }
    const uint32_t part = value >> unit->first_bits;
    return unit->is_mirrored ? bksi_sign_extend(part, bits) : (int32_t)part;
}

/// Mirror a value if the unit's past is mirrored. Mirroring twice gives the value again.
static uint32_t flip(const bksi_unit *unit, const view *seen, uint32_t value)
{
    uint32_t first = low_bits(value, unit->first_bits);
    uint32_t second = unit->bits > unit->first_bits ? value >> unit->first_bits : 0;
    if (seen->flip_first) {
        first = low_bits(0 - first, unit->first_bits);
    }
    if (seen->flip_second) {
        second = low_bits(0 - second, unit->bits - unit->first_bits);
    }
    return unit->bits > unit->first_bits ? first | second << unit->first_bits : first;
}

static view view_of(const bksi_unit *unit, const bksi_unit_past *past)
{
    view seen = {.past = *past};
    if (!unit->is_mirrored) {
        return seen;
    }
    const int32_t first = first_of(unit, past->value);
    const int32_t second = second_of(unit, past->value);
    seen.flip_first = first < 0 || (first == 0 && first_of(unit, past->before) < 0);
    seen.flip_second = second < 0 || (second == 0 && second_of(unit, past->before) < 0);
    seen.past.value = flip(unit, &seen, past->value);
    seen.past.before = flip(unit, &seen, past->before);
    return seen;
}

/// Return a class of the time for which a value was held: one class for each number of ticks up to
/// 16, then classes for ranges of numbers.
static uint32_t hold_class(uint32_t ticks)
{
    static const uint32_t from[] = {20, 28, 40, 80};
    uint32_t class = ticks < 16 ? ticks : 16;
    for (uint32_t i = 0; i < sizeof(from) / sizeof(from[0]); i++) {
        class += ticks >= from[i] ? 1 : 0;
    }
    return class;
}

/// Reduce a number to its sign and its highest 3 of `bits` bits. Only 0 gives 0.
static uint32_t coarse(int64_t value, uint32_t bits)
{
    const uint32_t shift = bits > 3 ? bits - 3 : 0;
    const uint32_t size = (uint32_t)((value < 0 ? -value : value) >> shift);
    return value == 0 ? 0 : size * 2 + (value < 0 ? 2 : 1);
}

/// Mix bits, so that each bit of the result depends on all bits of the value.
static uint64_t mix(uint64_t value)
{
    value += UINT64_C(0x9E3779B97F4A7C15);
    value = (value ^ (value >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94D049BB133111EB);
    return value ^ (value >> 31);
}

static uint64_t movement_of(const bksi_unit *unit, const bksi_unit_past *past)
{
    const uint32_t second_bits = unit->bits - unit->first_bits;
    const int64_t first = first_of(unit, past->value);
    const int64_t second = second_of(unit, past->value);
    uint64_t number = coarse(first, unit->first_bits) | coarse(second, second_bits) << 8;
    if (past->held_ticks == 0) {
        number |= (uint64_t)coarse(first - first_of(unit, past->before), unit->first_bits) << 16;
        number |= (uint64_t)coarse(second - second_of(unit, past->before), second_bits) << 24;
    }
    return number;
}

/// Compute the numbers of a unit's four contexts, the broadest first. A unit is fields guessed as
/// one.
static void number_contexts(const bksi_unit *unit, const view *seen,
                            uint64_t numbers[CONTEXT_COUNT])
{
    const bksi_unit_past *past = &seen->past;
    const uint64_t name = mix((uint64_t)unit->offset_bits << 8 | unit->bits);
    const uint64_t hold = hold_class(past->held_ticks);
    numbers[0] = mix(mix(name + hold) + movement_of(unit, past));
    numbers[1] = mix(name + UINT64_C(0x100000000) + past->value);
    numbers[2] = mix(numbers[1] + hold + 1);
    numbers[3] = mix(numbers[2] + past->before);
}

// ---- entries of contexts, and their counts ----

static uint16_t tag_of(uint64_t number)
{
    return (uint16_t)(number >> 48 | 1);
}

static const bksi_vote_entry *find(const bksi_votes *votes, uint64_t number)
{
    const bksi_vote_entry *pair = &votes->entries[number % ENTRY_COUNT & ~UINT64_C(1)];
    const uint16_t tag = tag_of(number);
    return pair[0].tag == tag ? &pair[0] : pair[1].tag == tag ? &pair[1] : NULL;
}

static void halve(bksi_vote_entry *entry)
{
    entry->total /= 2;
    for (uint32_t i = 0; i < VALUES_MAX; i++) {
        entry->counts[i] /= 2;
    }
}

/// Return the entry of a context. If other contexts hold both possible entries, replace the entry
/// with the lower count; if it was met more than once, halve its counts instead and return NULL.
static bksi_vote_entry *find_or_take(bksi_votes *votes, uint64_t number)
{
    bksi_vote_entry *pair = &votes->entries[number % ENTRY_COUNT & ~UINT64_C(1)];
    const uint16_t tag = tag_of(number);
    for (uint32_t i = 0; i < 2; i++) {
        if (pair[i].tag == tag) {
            return &pair[i];
        }
    }
    bksi_vote_entry *entry = pair[1].total < pair[0].total ? &pair[1] : &pair[0];
    if (entry->total > 1) {
        halve(entry);
        return NULL;
    }
    *entry = (bksi_vote_entry){.tag = tag};
    return entry;
}

/// Return the index of a value in a context's entry, or the index of the value with the lowest
/// count if the entry does not have it.
static uint32_t place_of(const bksi_vote_entry *entry, uint32_t value)
{
    uint32_t least = 0;
    for (uint32_t i = 0; i < VALUES_MAX; i++) {
        if (entry->counts[i] > 0 && entry->values[i] == value) {
            return i;
        }
        least = entry->counts[i] < entry->counts[least] ? i : least;
    }
    return least;
}

static void count_value(bksi_vote_entry *entry, uint32_t value)
{
    const uint32_t place = place_of(entry, value);
    if (entry->counts[place] > 0 && entry->values[place] == value) {
        entry->counts[place]++;
    } else if (entry->counts[place] > 1) {
        // Lower the count of the least frequent value, so that a new value that repeats can take
        // its place.
        entry->counts[place]--;
    } else {
        entry->counts[place] = 1;
        entry->values[place] = value;
    }
    entry->total++;
    if (entry->total >= COUNT_MAX) {
        halve(entry);
    }
}

void bksi_votes_learn(bksi_votes *votes, uint32_t unit_index, const bksi_unit_past *past,
                      uint32_t value)
{
    const bksi_unit *unit = &votes->units[unit_index];
    const view seen = view_of(unit, past);
    uint64_t numbers[CONTEXT_COUNT];
    number_contexts(unit, &seen, numbers);
    for (uint32_t i = 0; i < CONTEXT_COUNT; i++) {
        bksi_vote_entry *entry = find_or_take(votes, numbers[i]);
        if (entry != NULL) {
            count_value(entry, flip(unit, &seen, value));
        }
    }
}

static uint32_t count_of(const bksi_vote_entry *entry, uint32_t value)
{
    for (uint32_t i = 0; i < VALUES_MAX; i++) {
        if (entry->counts[i] > 0 && entry->values[i] == value) {
            return entry->counts[i];
        }
    }
    return 0;
}

/// Return the chance of a value, in 1/65536.
static uint32_t chance_of(const bksi_vote_entry *const entries[CONTEXT_COUNT], uint32_t value,
                          uint32_t chance)
{
    for (uint32_t i = 0; i < CONTEXT_COUNT; i++) {
        if (entries[i] != NULL) {
            chance = (count_of(entries[i], value) * CHANCE_ONE + BROADER * chance) /
                     (entries[i]->total + BROADER);
        }
    }
    return chance;
}

uint32_t bksi_votes_guess(const bksi_votes *votes, uint32_t unit_index, const bksi_unit_past *past)
{
    const bksi_unit *unit = &votes->units[unit_index];
    const view seen = view_of(unit, past);
    uint64_t numbers[CONTEXT_COUNT];
    number_contexts(unit, &seen, numbers);
    const bksi_vote_entry *entries[CONTEXT_COUNT];
    for (uint32_t i = 0; i < CONTEXT_COUNT; i++) {
        entries[i] = find(votes, numbers[i]);
    }
    const uint32_t held = seen.past.value;
    uint32_t best = held;
    uint32_t best_chance = chance_of(entries, held, CHANCE_HELD) + CHANCE_LEAD;
    for (uint32_t i = 0; i < CONTEXT_COUNT; i++) {
        for (uint32_t k = 0; entries[i] != NULL && k < VALUES_MAX; k++) {
            const uint32_t value = entries[i]->values[k];
            if (entries[i]->counts[k] == 0 || value == best || value == held) {
                continue;
            }
            const uint32_t chance = chance_of(entries, value, 0);
            if (chance > best_chance) {
                best = value;
                best_chance = chance;
            }
        }
    }
    return flip(unit, &seen, best);
}

// ---- the table: create, write, read ----

bks_status bksi_votes_create(bksi_votes *votes, const bksi_layout *layout, bool all_fields,
                             const bks_allocator *allocator)
{
    *votes = (bksi_votes){.identity = identity_of(layout)};
    make_units(votes, layout, all_fields);
    votes->entries = bksi_alloc(allocator, ENTRY_COUNT * sizeof(*votes->entries), 64);
    if (votes->entries == NULL) {
        return bksi_fail(NULL, BKS_ERR_OUT_OF_MEMORY, "input.votes", NULL,
                         "no memory for %zu bytes of votes", ENTRY_COUNT * sizeof(*votes->entries));
    }
    return BKS_OK;
}

void bksi_votes_destroy(bksi_votes *votes, const bks_allocator *allocator)
{
    bksi_free(allocator, votes->entries, ENTRY_COUNT * sizeof(*votes->entries));
    *votes = (bksi_votes){0};
}

/// Return true if an entry is worth writing. Without the entries seen once, the table has a third
/// of the size.
static bool is_worth_writing(const bksi_vote_entry *entry)
{
    return entry->total >= 2;
}

static uint8_t values_in(const bksi_vote_entry *entry)
{
    uint8_t count = 0;
    for (uint32_t k = 0; k < VALUES_MAX; k++) {
        count = (uint8_t)(count + (entry->counts[k] > 0 ? 1 : 0));
    }
    return count;
}

static void write_entry(bksi_byte_writer *writer, const bksi_vote_entry *entry, uint32_t index)
{
    bksi_write_u16(writer, (uint16_t)index);
    bksi_write_u16(writer, entry->tag);
    bksi_write_u8(writer, entry->total);
    bksi_write_u8(writer, values_in(entry));
    for (uint32_t k = 0; k < VALUES_MAX; k++) {
        if (entry->counts[k] > 0) {
            bksi_write_u8(writer, entry->counts[k]);
            bksi_write_u32(writer, entry->values[k]);
        }
    }
}

size_t bksi_votes_write(const bksi_votes *votes, void *bytes, size_t capacity)
{
    uint32_t used = 0;
    size_t needed = HEAD_BYTES;
    for (uint32_t i = 0; i < ENTRY_COUNT; i++) {
        if (is_worth_writing(&votes->entries[i])) {
            used++;
            needed += SLOT_HEAD_BYTES + (size_t)values_in(&votes->entries[i]) * SLOT_VALUE_BYTES;
        }
    }
    if (bytes == NULL || capacity < needed) {
        return bytes == NULL ? needed : 0;
    }
    bksi_byte_writer writer = bksi_byte_writer_over(bytes, capacity);
    bksi_write_bytes(&writer, magic, sizeof(magic));
    bksi_write_u32(&writer, FORMAT_VERSION);
    bksi_write_u64(&writer, votes->identity);
    bksi_write_u32(&writer, used);
    for (uint32_t i = 0; i < ENTRY_COUNT; i++) {
        if (is_worth_writing(&votes->entries[i])) {
            write_entry(&writer, &votes->entries[i], i);
        }
    }
    BKS_ASSERT(!writer.failed && writer.at == needed);
    return writer.at;
}

static bool read_entry(bksi_byte_reader *reader, bksi_vote_entry *entries)
{
    const uint16_t index = bksi_read_u16(reader);
    bksi_vote_entry entry = {.tag = bksi_read_u16(reader), .total = bksi_read_u8(reader)};
    const uint8_t count = bksi_read_u8(reader);
    if (reader->failed || index >= ENTRY_COUNT || (entry.tag & 1) == 0 || entry.total < 1 ||
        entry.total >= COUNT_MAX || count > VALUES_MAX || entries[index].tag != 0) {
        return false;
    }
    uint32_t sum = 0;
    for (uint32_t k = 0; k < count; k++) {
        entry.counts[k] = bksi_read_u8(reader);
        entry.values[k] = bksi_read_u32(reader);
        sum += entry.counts[k];
        if (entry.counts[k] == 0) {
            return false;
        }
    }
    entries[index] = entry;
    return !reader->failed && sum <= entry.total;
}

bks_status bksi_votes_read(bksi_votes *votes, const void *bytes, size_t count, bks_error *error)
{
    static const char id[] = "input.votes";
    memset(votes->entries, 0, ENTRY_COUNT * sizeof(*votes->entries));
    bksi_byte_reader reader = bksi_byte_reader_over(bytes, count);
    const uint8_t *start = bksi_read_bytes(&reader, sizeof(magic));
    const uint32_t version = bksi_read_u32(&reader);
    const uint64_t identity = bksi_read_u64(&reader);
    const uint32_t used = bksi_read_u32(&reader);
    if (reader.failed || memcmp(start, magic, sizeof(magic)) != 0) {
        return bksi_fail_at(error, BKS_ERR_DAMAGED, id, 0, "this is no table of votes");
    }
    if (version != FORMAT_VERSION || identity != votes->identity) {
        return bksi_fail(error, BKS_ERR_UNSUPPORTED, id, "votes",
                         "votes are of version %u for layout %016llx, must be %u for %016llx",
                         version, (unsigned long long)identity, FORMAT_VERSION,
                         (unsigned long long)votes->identity);
    }
    for (uint32_t i = 0; i < used; i++) {
        const size_t at = reader.at;
        if (!read_entry(&reader, votes->entries)) {
            memset(votes->entries, 0, ENTRY_COUNT * sizeof(*votes->entries));
            return bksi_fail_at(error, BKS_ERR_DAMAGED, id, at, "votes of context %u are damaged",
                                i);
        }
    }
    if (bksi_byte_reader_left(&reader) > 0) {
        memset(votes->entries, 0, ENTRY_COUNT * sizeof(*votes->entries));
        return bksi_fail_at(error, BKS_ERR_DAMAGED, id, reader.at,
                            "votes have bytes after their end");
    }
    return BKS_OK;
}
