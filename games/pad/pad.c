// SPDX-License-Identifier: MIT

#include "pad/pad.h"

#include <stdio.h>
#include <string.h>

#include "backstitch/state.h"

#define PAGE_BYTES 4096u
#define WORD_BYTES sizeof(uint64_t)

#define STATE_BYTES_MIN 1024u
#define STATE_BYTES_MAX (256u * 1024u * 1024u)

/// A whole state, in millionths: percent with 4 decimals.
#define WHOLE   1000000u
#define PERCENT 10000u

/// Name and size of the largest command. Tests compile this file once more, with commands.
#ifndef PAD_COMMAND_BYTES_MAX
#define PAD_NAME              "pad"
#define PAD_COMMAND_BYTES_MAX 0
#endif

/// Ticks from one cue "count" to the next.
#define COUNT_TICKS 30u

_Static_assert(sizeof(pad_state) <= STATE_BYTES_MIN, "the smallest state holds all players");
_Static_assert(sizeof(pad_state) % WORD_BYTES == 0, "words begin right behind the struct");
_Static_assert(sizeof(pad_input) == sizeof(int32_t) * 22, "an input is its fields");

// clang-format off
#define BUTTON(name_, group_)    {.name = (name_), .bits = 1, .group = (group_)}
#define AXIS(name_, kind_, group_) \
    {.name = (name_), .bits = 8, .is_signed = true, .limit = 127, .kind = (kind_), .group = (group_)}
#define TRIGGER(name_, group_)   {.name = (name_), .bits = 8, .group = (group_)}

static const bks_field fields[] = {
    BUTTON("b0", 1),  BUTTON("b1", 1),  BUTTON("b2", 1),  BUTTON("b3", 1),
    BUTTON("b4", 2),  BUTTON("b5", 2),  BUTTON("b6", 2),  BUTTON("b7", 2),
    BUTTON("b8", 3),  BUTTON("b9", 3),  BUTTON("b10", 3), BUTTON("b11", 3),
    BUTTON("b12", 4), BUTTON("b13", 4), BUTTON("b14", 4), BUTTON("b15", 4),
    AXIS("ax1", BKS_FIELD_STICK_X, 5),  AXIS("ax2", BKS_FIELD_STICK_Y, 5),
    AXIS("ax3", BKS_FIELD_STICK_X, 6),  AXIS("ax4", BKS_FIELD_STICK_Y, 6),
    TRIGGER("trig1", 7), TRIGGER("trig2", 7),
};
// clang-format on

static const bks_option options[] = {
    {"state", "4KiB", "bytes of the state, 1KiB..256MiB, such as 4096B, 64KiB or 1MiB"},
    {"touch", "1%", "share of the state that a step writes, 0%..100%, such as 0.5%"},
};

/// Mix the bits of a value: every bit of the result depends on every bit of the value, and
/// different values give different results.
/// Source: the finaliser of splitmix64, S. Vigna, prng.di.unimi.it, public domain.
static uint64_t mix(uint64_t value)
{
    value += UINT64_C(0x9E3779B97F4A7C15);
    value = (value ^ (value >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94D049BB133111EB);
    return value ^ (value >> 31);
}

/// Read a number of at most 9 digits at the start of `text`. Return the rest of the text.
static const char *read_digits(const char *text, uint64_t *number, uint32_t *digits)
{
    *number = 0;
    *digits = 0;
    while (*text >= '0' && *text <= '9' && *digits < 9) {
        *number = *number * 10 + (uint64_t)(*text - '0');
        text++;
        (*digits)++;
    }
    return text;
}

static bool read_bytes(const char *text, uint64_t *bytes)
{
    uint32_t digits = 0;
    const char *unit = read_digits(text, bytes, &digits);
    if (strcmp(unit, "KiB") == 0) {
        *bytes *= 1024;
    } else if (strcmp(unit, "MiB") == 0) {
        *bytes *= 1024 * 1024;
    } else if (strcmp(unit, "B") != 0 && *unit != '\0') {
        return false;
    }
    return digits > 0 && *bytes >= STATE_BYTES_MIN && *bytes <= STATE_BYTES_MAX;
}

/// Read a share such as "1%" or "0.25%" in millionths. It uses integers only, so that every machine
/// gets the same result.
static bool read_share(const char *text, uint64_t *share)
{
    uint32_t digits = 0;
    text = read_digits(text, share, &digits);
    if (digits == 0 || *share > 100) {
        return false;
    }
    *share *= PERCENT;
    if (*text == '.') {
        uint64_t decimals = 0;
        text = read_digits(text + 1, &decimals, &digits);
        if (digits < 1 || digits > 4) {
            return false;
        }
        for (; digits < 4; digits++) {
            decimals *= 10;
        }
        *share += decimals;
    }
    return (*text == '\0' || strcmp(text, "%") == 0) && *share <= WHOLE;
}

static bks_status refuse(bks_error *error, const char *option, const char *value,
                         const char *wanted)
{
    if (error != NULL) {
        *error = (bks_error){.code = BKS_ERR_BAD_CONFIG, .field = option};
        (void)snprintf(error->text, sizeof(error->text), "%s is \"%s\", must be %s", option, value,
                       wanted);
    }
    return BKS_ERR_BAD_CONFIG;
}

static bks_status pad_configure(const bks_start *start, size_t *out_state_bytes, bks_error *error)
{
    const char *state_text = bks_start_option(start, "state");
    const char *touch_text = bks_start_option(start, "touch");
    uint64_t bytes = 0;
    uint64_t share = 0;
    if (!read_bytes(state_text, &bytes)) {
        return refuse(error, "state", state_text, "1KiB..256MiB, such as 4096B, 64KiB or 1MiB");
    }
    if (!read_share(touch_text, &share)) {
        return refuse(error, "touch", touch_text, "0%..100%, such as 1% or 0.25%");
    }
    *out_state_bytes = (size_t)bytes;
    return BKS_OK;
}

/// Return the number of words after the struct. Up to 7 bytes at the end of a state may belong to
/// no word.
static uint64_t word_count(const pad_state *pad)
{
    return (pad->state_bytes - sizeof(*pad)) / WORD_BYTES;
}

static uint64_t *words_of(pad_state *pad)
{
    return (uint64_t *)(void *)(pad + 1);
}

static uint64_t check_of_sizes(const pad_state *pad)
{
    return mix((uint64_t)pad->state_bytes << 32 | pad->touch_bytes);
}

static void pad_init(void *state, const bks_start *start)
{
    pad_state *pad = state;
    uint64_t bytes = 0;
    uint64_t share = 0;
    // pad_configure() has checked these values, so reading them cannot fail.
    (void)read_bytes(bks_start_option(start, "state"), &bytes);
    (void)read_share(bks_start_option(start, "touch"), &share);
    pad->state_bytes = (uint32_t)bytes;
    pad->touch_bytes = (uint32_t)((bytes - sizeof(*pad)) * share / WHOLE);
    pad->sizes_check = check_of_sizes(pad);
    pad->players = start->players;
    pad->mixed = mix(start->seed);
    for (uint32_t i = 0; i < pad->players; i++) {
        pad->player[i].mixed = mix(pad->mixed + i);
    }
    // Fill the state: zero pages that were never written would cost less than real ones.
    uint64_t *words = words_of(pad);
    const uint64_t count = word_count(pad);
    for (uint64_t i = 0; i < count; i++) {
        words[i] = mix(pad->mixed ^ i);
    }
}

/// Pack an input into its 64 bits.
static uint64_t pack(const pad_input *input)
{
    uint64_t packed = 0;
    for (int i = 0; i < PAD_BUTTONS; i++) {
        packed |= (uint64_t)(input->button[i] & 1) << i;
    }
    for (int i = 0; i < PAD_AXES; i++) {
        packed |= (uint64_t)(uint8_t)input->axis[i] << (16 + 8 * i);
    }
    for (int i = 0; i < PAD_TRIGGERS; i++) {
        packed |= (uint64_t)(uint8_t)input->trigger[i] << (48 + 8 * i);
    }
    return packed;
}

static int32_t signed_byte(uint64_t byte)
{
    return (int32_t)((byte & 0xFF) ^ 0x80) - 0x80;
}

pad_input pad_newest_input(const pad_player *player)
{
    pad_input input = {0};
    for (int i = 0; i < PAD_BUTTONS; i++) {
        input.button[i] = (int32_t)(player->packed >> i & 1);
    }
    for (int i = 0; i < PAD_AXES; i++) {
        input.axis[i] = signed_byte(player->packed >> (16 + 8 * i));
    }
    for (int i = 0; i < PAD_TRIGGERS; i++) {
        input.trigger[i] = (int32_t)(player->packed >> (48 + 8 * i) & 0xFF);
    }
    return input;
}

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/// Write the words of one page that lie after the struct.
/// @return bytes written
static uint64_t touch_page(pad_state *pad, uint64_t page, uint64_t bytes_most, uint64_t key)
{
    const uint64_t end = sizeof(*pad) + word_count(pad) * WORD_BYTES;
    const uint64_t page_end = (page + 1) * PAGE_BYTES;
    const uint64_t from = page == 0 ? sizeof(*pad) : page * PAGE_BYTES;
    const uint64_t to = page_end < end ? page_end : end;
    uint64_t count = from < to ? (to - from) / WORD_BYTES : 0;
    const uint64_t count_most = (bytes_most + WORD_BYTES - 1) / WORD_BYTES;
    if (count > count_most) {
        count = count_most;
    }
    uint64_t *words = words_of(pad) + (from - sizeof(*pad)) / WORD_BYTES;
    for (uint64_t i = 0; i < count; i++) {
        // Multiply by an odd factor, which keeps different words different. A planted fault never
        // heals by it.
        words[i] = words[i] * UINT64_C(0xD1342543DE82EF95) + (key ^ i);
    }
    return count * WORD_BYTES;
}

/// Write `touch_bytes` of the state, page by page, each page at most once. The state decides which
/// pages.
static void touch(pad_state *pad)
{
    const uint64_t pages = (pad->state_bytes + PAGE_BYTES - 1) / PAGE_BYTES;
    uint64_t key = mix(pad->mixed ^ pad->ticks);
    uint64_t page = key % pages;
    // If the stride has no divisor in common with the number of pages, it visits each page once.
    uint64_t stride = mix(key) % pages;
    while (greatest_common_divisor(stride, pages) != 1) {
        stride++;
    }
    uint64_t left = pad->touch_bytes;
    for (uint64_t visited = 0; visited < pages && left > 0; visited++) {
        const uint64_t written = touch_page(pad, page, left, key);
        left -= written < left ? written : left;
        page = (page + stride) % pages;
        key = mix(key);
    }
}

enum { CUE_PRESS, CUE_COUNT, CUE_FLASH };

static const bks_cue_type cues[] = {
    [CUE_PRESS] = {.name = "press"},
    [CUE_COUNT] = {.name = "count", .when = BKS_CUE_CONFIRMED},
    [CUE_FLASH] = {.name = "flash", .when = BKS_CUE_SEEN},
};

/// Play the cue of each button that a player's newest input presses.
static void cue_presses(const bks_step *step, uint32_t player, uint64_t before, uint64_t now)
{
    for (uint32_t i = 0; i < PAD_BUTTONS; i++) {
        if ((now & ~before) >> i & 1) {
            const uint8_t trigger[PAD_TRIGGERS] = {(uint8_t)(now >> 48), (uint8_t)(now >> 56)};
            bks_cue(step, CUE_PRESS, player * PAD_BUTTONS + i, trigger, sizeof(trigger));
        }
    }
}

/// Mix a command into the digest of its player.
static void mix_command(pad_player *player, const bks_command *command)
{
    player->mixed = mix(player->mixed ^ command->count);
    for (uint32_t at = 0; at < command->count; at += WORD_BYTES) {
        uint64_t word = 0;
        for (uint32_t i = 0; i < WORD_BYTES && at + i < command->count; i++) {
            word |= (uint64_t)command->bytes[at + i] << 8 * i;
        }
        player->mixed = mix(player->mixed ^ word);
    }
}

/// Mix the commands of the tick into the digests, and refuse those that begin with PAD_REFUSED.
static void take_commands(pad_state *pad, const bks_step *step)
{
    bks_command command = {0};
    while (bks_step_command(step, &command)) {
        mix_command(&pad->player[command.player], &command);
        if (command.bytes[0] == PAD_REFUSED) {
            bks_refuse(step, &command, command.index);
        }
    }
}

static void pad_step(void *state, const bks_step *step)
{
    pad_state *pad = state;
    pad->mixed = mix(pad->mixed);
    take_commands(pad, step);
    for (uint32_t i = 0; i < step->players; i++) {
        pad_player *player = &pad->player[i];
        const uint64_t before = player->packed;
        player->packed = pack(bks_step_input(step, i));
        cue_presses(step, i, before, player->packed);
        // Every operation is one to one, so inputs that differ once give different digests in every
        // later tick.
        player->mixed = mix(player->mixed ^ player->packed);
        pad->mixed = mix(pad->mixed ^ player->mixed);
    }
    pad->ticks++;
    if (pad->ticks % COUNT_TICKS == 0) {
        bks_cue(step, CUE_COUNT, pad->ticks, &pad->mixed, sizeof(pad->mixed));
        bks_cue(step, CUE_FLASH, pad->ticks, NULL, 0);
    }
    bks_mark(step, "inputs");
    if (pad->sizes_check == check_of_sizes(pad)) {
        touch(pad);
    }
    bks_mark(step, "touch");
}

/// Callback bks_game.check: check the sizes that a step and a picture use.
static const char *pad_check(const void *state)
{
    const pad_state *pad = state;
    if (pad->players < 1 || pad->players > BKS_PLAYERS_MAX) {
        return "it has no such number of players";
    }
    // A step checks the sizes too. But any program can compute a right check, so test their range.
    if (pad->sizes_check == check_of_sizes(pad) &&
        (pad->state_bytes != bks_state_bytes(pad) || pad->touch_bytes > pad->state_bytes)) {
        return "its sizes are not those of this state";
    }
    return NULL;
}

static const bks_type_entry types[] = {
    BKS_TYPE_ROOT(pad_state),
    BKS_TYPE_REST("words", uint64_t),
};

const bks_game pad_game = {
    .name = PAD_NAME,
    .version = 1,
    .tick_rate_hz = 60,
    .players_max = BKS_PLAYERS_MAX,
    .fields = fields,
    .field_count = sizeof(fields) / sizeof(fields[0]),
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .cues = cues,
    .cue_count = sizeof(cues) / sizeof(cues[0]),
    .types = types,
    .type_count = sizeof(types) / sizeof(types[0]),
    .configure = pad_configure,
    .init = pad_init,
    .step = pad_step,
    .check = pad_check,
    .command_bytes_max = PAD_COMMAND_BYTES_MAX,
};
