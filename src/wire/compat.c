// SPDX-License-Identifier: MIT

#include "wire/compat.h"

#include <stdio.h>
#include <string.h>

void bksi_compat_write(bksi_byte_writer *writer, const bksi_compat *compat)
{
    bksi_write_text(writer, compat->game);
    bksi_write_u32(writer, compat->game_version);
    bksi_write_u64(writer, compat->layout);
    bksi_write_u64(writer, compat->setup_form);
    bksi_write_u16(writer, (uint16_t)compat->tick_rate_hz);
    for (uint32_t op = 0; op < BKSI_ARITHMETIC_OPS; op++) {
        bksi_write_u16(writer, compat->arithmetic.sums[op]);
    }
    bksi_write_u16(writer, (uint16_t)compat->game_arithmetic);
}

void bksi_compat_read(bksi_byte_reader *reader, bksi_compat *compat)
{
    bksi_read_text(reader, compat->game, sizeof(compat->game));
    compat->game_version = bksi_read_u32(reader);
    compat->layout = bksi_read_u64(reader);
    compat->setup_form = bksi_read_u64(reader);
    compat->tick_rate_hz = bksi_read_u16(reader);
    for (uint32_t op = 0; op < BKSI_ARITHMETIC_OPS; op++) {
        compat->arithmetic.sums[op] = bksi_read_u16(reader);
    }
    compat->game_arithmetic = bksi_read_u16(reader);
    reader->failed |= compat->game[0] == '\0';
}

bksi_mismatch bksi_compat_compare(const bksi_compat *ours, const bksi_compat *theirs)
{
    if (ours->protocol != theirs->protocol) {
        return BKSI_MISMATCH_PROTOCOL;
    }
    if (strcmp(ours->game, theirs->game) != 0) {
        return BKSI_MISMATCH_GAME;
    }
    if (ours->game_version != theirs->game_version) {
        return BKSI_MISMATCH_VERSION;
    }
    if (ours->layout != theirs->layout) {
        return BKSI_MISMATCH_LAYOUT;
    }
    if (ours->setup_form != theirs->setup_form) {
        return BKSI_MISMATCH_SETUP;
    }
    if (ours->tick_rate_hz != theirs->tick_rate_hz) {
        return BKSI_MISMATCH_TICK_RATE;
    }
    uint32_t op = bksi_arithmetic_compare(&ours->arithmetic, &theirs->arithmetic);
    return op < BKSI_ARITHMETIC_OPS || ours->game_arithmetic != theirs->game_arithmetic
               ? BKSI_MISMATCH_ARITHMETIC
               : BKSI_MISMATCH_NONE;
}

static void describe_arithmetic(const bksi_compat *ours, const bksi_compat *theirs, char *text,
                                size_t capacity)
{
    uint32_t op = bksi_arithmetic_compare(&ours->arithmetic, &theirs->arithmetic);
    if (op == BKSI_ARITHMETIC_OPS && ours->game_arithmetic != theirs->game_arithmetic) {
        bool is_theirs = (theirs->game_arithmetic & ~ours->game_arithmetic) != 0;
        (void)snprintf(
            text, capacity, "another arithmetic: %s game %s", is_theirs ? "their" : "our",
            bks_arithmetic_text(is_theirs ? theirs->game_arithmetic & ~ours->game_arithmetic
                                          : ours->game_arithmetic & ~theirs->game_arithmetic));
        return;
    }
    if (op == BKSI_ARITHMETIC_OPS) { // by the word of the other side alone
        (void)snprintf(text, capacity, "another arithmetic");
        return;
    }
    uint16_t right = bksi_arithmetic_right.sums[op];
    const char *whose = ours->arithmetic.sums[op] == right     ? "their machine"
                        : theirs->arithmetic.sums[op] == right ? "our machine"
                                                               : "both machines";
    (void)snprintf(text, capacity, "another arithmetic: %s is not as IEEE 754 has it on %s",
                   bksi_arithmetic_name(op), whose);
}

void bksi_compat_describe(bksi_mismatch mismatch, const bksi_compat *ours,
                          const bksi_compat *theirs, char *text, size_t capacity)
{
    switch (mismatch) {
    case BKSI_MISMATCH_NONE:
        (void)snprintf(text, capacity, "nothing differs");
        break;
    case BKSI_MISMATCH_PROTOCOL:
        (void)snprintf(text, capacity, "another Backstitch: theirs speaks protocol %u, ours %u",
                       theirs->protocol, ours->protocol);
        break;
    case BKSI_MISMATCH_GAME:
        (void)snprintf(text, capacity, "another game: theirs is `%s`, ours `%s`", theirs->game,
                       ours->game);
        break;
    case BKSI_MISMATCH_VERSION:
        (void)snprintf(text, capacity, "another version of `%s`: theirs %u, ours %u", ours->game,
                       theirs->game_version, ours->game_version);
        break;
    case BKSI_MISMATCH_LAYOUT:
        (void)snprintf(text, capacity, "another build of `%s`: its input layout is %08x, ours %08x",
                       ours->game, (uint32_t)(theirs->layout >> 32),
                       (uint32_t)(ours->layout >> 32));
        break;
    case BKSI_MISMATCH_SETUP:
        (void)snprintf(text, capacity, "another build of `%s`: it has other options", ours->game);
        break;
    case BKSI_MISMATCH_TICK_RATE:
        (void)snprintf(text, capacity, "another tick rate: theirs %u a second, ours %u",
                       theirs->tick_rate_hz, ours->tick_rate_hz);
        break;
    case BKSI_MISMATCH_ARITHMETIC:
        describe_arithmetic(ours, theirs, text, capacity);
        break;
    }
}
