// SPDX-License-Identifier: MIT

#include "diagnose/diff/diff_command.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"

/// Most bytes that are shown before and after the byte that differs.
enum { BEFORE_BYTES = 8, AFTER_BYTES = 24 };

/// Return a player's command with a number, or one without bytes if there is none.
static bks_command command_at(const bks_commands *commands, uint32_t player, uint32_t number)
{
    const bks_step step = {.players = player + 1, .commands = commands};
    bks_command command = {.player = player};
    while (bks_step_command(&step, &command)) {
        if (command.index == number) {
            return command;
        }
    }
    return (bks_command){0};
}

/// Return the offset of the first byte that differs, or the size of the shorter command.
static uint32_t first_different(const bks_command *a, const bks_command *b)
{
    const uint32_t least = a->count < b->count ? a->count : b->count;
    uint32_t at = 0;
    while (at < least && a->bytes[at] == b->bytes[at]) {
        at++;
    }
    return at;
}

static void show(const bks_command *command, uint32_t byte, char text[DIFF_COMMAND_TEXT_BYTES])
{
    text[0] = '\0';
    if (command->count == 0) {
        text_add(text, DIFF_COMMAND_TEXT_BYTES, "none");
        return;
    }
    const uint32_t first = byte > BEFORE_BYTES ? byte - BEFORE_BYTES : 0;
    text_add(text, DIFF_COMMAND_TEXT_BYTES, "%s", first > 0 ? ".." : "");
    for (uint32_t i = first; i < command->count && i <= byte + AFTER_BYTES; i++) {
        text_add(text, DIFF_COMMAND_TEXT_BYTES, i == byte ? "[%02x]" : "%02x", command->bytes[i]);
    }
    text_add(text, DIFF_COMMAND_TEXT_BYTES, "%s%s (%" PRIu32 " byte%s)",
             byte >= command->count ? "[]" : "",
             command->count > byte + AFTER_BYTES + 1 ? ".." : "", command->count,
             command->count == 1 ? "" : "s");
}

bool diff_command_find(bks_replay *const replays[2], const bks_input_difference *at,
                       diff_command *out)
{
    bks_commands commands[2][BKS_PLAYERS_MAX];
    *out = (diff_command){0};
    for (int i = 0; i < 2; i++) {
        bool has_any = false;
        if (bks_replay_commands(replays[i], at->tick, commands[i], &has_any) != BKS_OK) {
            return false;
        }
    }
    for (;; out->number++) {
        const bks_command a = command_at(commands[0], at->player, out->number);
        const bks_command b = command_at(commands[1], at->player, out->number);
        out->byte = first_different(&a, &b);
        if (out->byte < a.count || out->byte < b.count) {
            show(&a, out->byte, out->text[0]);
            show(&b, out->byte, out->text[1]);
            return true;
        }
        if (a.count == 0 && b.count == 0) {
            return false;
        }
    }
}
