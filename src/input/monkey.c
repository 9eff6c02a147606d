// SPDX-License-Identifier: MIT

// Random input and commands for soak tests. It has its own generator, because a game's random
// numbers are part of its state, and drawing from them would change the state.
//
// Source: xoroshiro128+ 1.0 (2018) and splitmix64 (2015), D. Blackman and S. Vigna,
// prng.di.unimi.it, public domain. Bounded numbers: D. Lemire, "Fast Random Integer Generation in
// an Interval" (2019).

#include <string.h>

#include "backstitch/game.h"
#include "backstitch/toolkit/runner.h"
#include "base/report.h"

#define HOLD_TICKS_MAX 100000u

// Number of draws for one tick after which the player keeps its previous input, if all of them gave
// forbidden combinations.
#define DRAWS_MAX 16

static uint64_t rotate_left(uint64_t value, unsigned bits)
{
    return (value << bits) | (value >> (64 - bits));
}

static uint64_t splitmix64(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/// Return the upper 32 bits of the next number; the lowest bits of xoroshiro128+ are weak.
static uint32_t next32(uint64_t random[2])
{
    const uint64_t s0 = random[0];
    uint64_t s1 = random[1];
    const uint64_t sum = s0 + s1;
    s1 ^= s0;
    random[0] = rotate_left(s0, 24) ^ s1 ^ (s1 << 16);
    random[1] = rotate_left(s1, 37);
    return (uint32_t)(sum >> 32);
}

/// Return a number in 0..bound-1, each equally likely; bound is 1..2^32.
static uint32_t below(uint64_t random[2], uint64_t bound)
{
    const uint64_t reject_below = (UINT64_C(1) << 32) % bound;
    for (;;) {
        const uint64_t product = next32(random) * bound;
        if ((uint32_t)product >= reject_below) {
            return (uint32_t)(product >> 32);
        }
    }
}

/// Draw a value. A button is pressed or not with equal chances. A number is its least or greatest
/// value (1 in 4), neutral (1 in 4), or any value in range.
static int32_t draw(uint64_t random[2], const bks_field *field)
{
    int32_t least = 0;
    int32_t greatest = 0;
    // bks_field_range() cannot fail, because the table of fields was checked.
    (void)bks_field_range(field, &least, &greatest);
    const uint64_t span = (uint64_t)((int64_t)greatest - least) + 1;
    if (field->bits > 1) {
        switch (below(random, 8)) {
        case 0:
            return least;
        case 1:
            return greatest;
        case 2:
        case 3:
            return field->neutral;
        default:
            break;
        }
    }
    return (int32_t)((int64_t)least + below(random, span));
}

bks_status bks_monkey_init(bks_monkey *monkey, const bks_field *fields, uint32_t count,
                           uint64_t seed, uint32_t player, uint32_t hold_min_ticks,
                           uint32_t hold_max_ticks, bks_error *error)
{
    static const char call[] = "bks_monkey_init";
    BKSI_REFUSE_NULL(error, monkey);
    bks_error why;
    if (bks_fields_check(fields, count, &why) != BKS_OK) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "fields", "fields is not valid: %s",
                         why.text);
    }
    if (player >= BKS_PLAYERS_MAX) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "player", "player is %u, must be 0..%d",
                         player, BKS_PLAYERS_MAX - 1);
    }
    if (hold_max_ticks < 1 || hold_max_ticks > HOLD_TICKS_MAX) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "hold_max_ticks",
                         "hold_max_ticks is %u, must be 1..%u", hold_max_ticks, HOLD_TICKS_MAX);
    }
    if (hold_min_ticks < 1 || hold_min_ticks > hold_max_ticks) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "hold_min_ticks",
                         "hold_min_ticks is %u, must be 1..%u", hold_min_ticks, hold_max_ticks);
    }
    memset(monkey, 0, sizeof(*monkey));
    monkey->fields = fields;
    monkey->field_count = count;
    monkey->hold_min_ticks = hold_min_ticks;
    monkey->hold_max_ticks = hold_max_ticks;
    // Mix the seed before adding the player's number, so that neighbouring seeds share no stream.
    uint64_t state = seed;
    state = splitmix64(&state) + player;
    monkey->random[0] = splitmix64(&state);
    monkey->random[1] = splitmix64(&state);
    monkey->command_seed = splitmix64(&state);
    monkey->command_tick = BKS_TICK_NONE;
    for (uint32_t i = 0; i < count; i++) {
        monkey->values[i] = fields[i].neutral;
    }
    return BKS_OK;
}

// Return true if all values of a forbidden combination occur at once.
static bool is_shown(const bks_monkey_forbidden *forbidden, const int32_t *values)
{
    for (uint32_t i = 0; i < forbidden->count; i++) {
        if (values[forbidden->together[i].field] != forbidden->together[i].value) {
            return false;
        }
    }
    return true;
}

static bool is_any_shown(const bks_monkey *monkey)
{
    for (uint32_t i = 0; i < monkey->forbidden_count; i++) {
        if (is_shown(&monkey->forbidden[i], monkey->values)) {
            return true;
        }
    }
    return false;
}

// Check one value of a forbidden combination: its field exists and is named once, and the value is
// in the field's range.
static bks_status check_value(const bks_monkey *monkey, const bks_field_value *together,
                              uint32_t index, bks_error *error)
{
    static const char call[] = "bks_monkey_forbid";
    const uint32_t field = together[index].field;
    if (field >= monkey->field_count) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "together",
                         "field is %u, must be 0..%u", field, monkey->field_count - 1);
    }
    int32_t least = 0;
    int32_t greatest = 0;
    // bks_field_range() cannot fail, because the table of fields was checked.
    (void)bks_field_range(&monkey->fields[field], &least, &greatest);
    if (together[index].value < least || together[index].value > greatest) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "together", "%s is %d, must be %d..%d",
                         monkey->fields[field].name, together[index].value, least, greatest);
    }
    for (uint32_t i = 0; i < index; i++) {
        if (together[i].field == field) {
            return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "together",
                             "%s is given twice, must be given once", monkey->fields[field].name);
        }
    }
    return BKS_OK;
}

bks_status bks_monkey_forbid(bks_monkey *monkey, const bks_field_value *together, uint32_t count,
                             bks_error *error)
{
    static const char call[] = "bks_monkey_forbid";
    BKSI_REFUSE_NULL(error, monkey);
    BKSI_REFUSE_NULL(error, together);
    if (count < 1 || count > BKS_MONKEY_FORBIDDEN_FIELDS_MAX) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "count", "count is %u, must be 1..%d",
                         count, BKS_MONKEY_FORBIDDEN_FIELDS_MAX);
    }
    if (monkey->forbidden_count >= BKS_MONKEY_FORBIDDEN_MAX) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, NULL,
                         "%d combinations are forbidden already, and no more can be",
                         BKS_MONKEY_FORBIDDEN_MAX);
    }
    bool is_neutral = true;
    for (uint32_t i = 0; i < count; i++) {
        BKSI_TRY(check_value(monkey, together, i, error));
        is_neutral &= together[i].value == monkey->fields[together[i].field].neutral;
    }
    if (is_neutral) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "together",
                         "%s at neutral, %d, must stay possible",
                         monkey->fields[together[0].field].name, together[0].value);
    }
    bks_monkey_forbidden *forbidden = &monkey->forbidden[monkey->forbidden_count++];
    forbidden->count = count;
    memcpy(forbidden->together, together, count * sizeof(*together));
    return BKS_OK;
}

// Draw new values for the fields whose time to hold a value has passed.
static void draw_due(bks_monkey *monkey, const uint32_t *left_ticks)
{
    const uint64_t hold_span = monkey->hold_max_ticks - monkey->hold_min_ticks + UINT64_C(1);
    for (uint32_t i = 0; i < monkey->field_count; i++) {
        if (left_ticks[i] == 0) {
            monkey->values[i] = draw(monkey->random, &monkey->fields[i]);
            monkey->left_ticks[i] = monkey->hold_min_ticks + below(monkey->random, hold_span);
        }
    }
}

// Keep the previous input, which is not a forbidden combination.
static void hold_on(bks_monkey *monkey, const bks_monkey *before)
{
    memcpy(monkey->values, before->values, sizeof(monkey->values));
    for (uint32_t i = 0; i < monkey->field_count; i++) {
        monkey->left_ticks[i] = before->left_ticks[i] > 0 ? before->left_ticks[i] : 1;
    }
}

static void monkey_sample(void *context, const bks_sample *sample, int32_t *values)
{
    bks_monkey *monkey = context;
    if (monkey == NULL) {
        return;
    }
    const bks_monkey before = *monkey;
    uint32_t draws = 0;
    do {
        draw_due(monkey, before.left_ticks);
    } while (is_any_shown(monkey) && ++draws < DRAWS_MAX);
    if (is_any_shown(monkey)) {
        hold_on(monkey, &before);
    }
    for (uint32_t i = 0; i < monkey->field_count; i++) {
        monkey->left_ticks[i]--;
        if (i < sample->field_count) {
            values[i] = monkey->values[i];
        }
    }
}

/// Draw the number of commands of a tick: none (5 in 8), one (1 in 4), a few, or, 1 in 128, dozens.
static uint32_t draw_count(uint64_t random[2])
{
    const uint32_t drawn = below(random, 128);
    if (drawn == 0) {
        return 16 + below(random, 48);
    }
    return drawn < 16 ? 2 + below(random, 4) : drawn < 48 ? 1 : 0;
}

/// Draw the size of a command: the largest or any size (1 in 64 each), one byte (1 in 4), or a few
/// bytes.
static uint32_t draw_size(uint64_t random[2], size_t most)
{
    const uint32_t drawn = below(random, 64);
    if (drawn < 2) {
        return drawn == 0 ? (uint32_t)most : 1 + below(random, most);
    }
    return drawn < 18 ? 1 : 1 + below(random, most < 32 ? most : 32);
}

/// Give the commands of a tick, which depend on the seed, the player and the tick alone.
static size_t monkey_command(void *context, const bks_sample *sample, void *bytes, size_t capacity)
{
    bks_monkey *monkey = context;
    if (monkey == NULL || capacity == 0) {
        return 0;
    }
    if (sample->tick != monkey->command_tick) {
        uint64_t state = monkey->command_seed + (uint64_t)sample->tick;
        monkey->command_tick = sample->tick;
        monkey->command_random[0] = splitmix64(&state);
        monkey->command_random[1] = splitmix64(&state);
        monkey->commands_left = draw_count(monkey->command_random);
    }
    if (monkey->commands_left == 0) {
        return 0;
    }
    monkey->commands_left--;
    const uint32_t size = draw_size(monkey->command_random, capacity);
    // Games number the kinds of their commands from 0 on, so use small numbers in half of them.
    const uint32_t values = below(monkey->command_random, 2) == 0 ? 8 : 256;
    for (uint32_t i = 0; i < size; i++) {
        ((uint8_t *)bytes)[i] = (uint8_t)below(monkey->command_random, values);
    }
    return size;
}

bks_source bks_monkey_source(bks_monkey *monkey)
{
    if (monkey == NULL) {
        (void)bksi_fail_null(NULL, "bks_monkey_source", "monkey");
    }
    return (bks_source){.sample = monkey_sample, .context = monkey, .command = monkey_command};
}
