// SPDX-License-Identifier: MIT

#include "record/recording/replay_commands.h"

#include <inttypes.h>
#include <stdio.h>

#include "backstitch/toolkit/recording.h"
#include "base/tool.h"
#include "game/command_trace.h"

enum { LINE_BYTES = 32 }; // bytes of a command that a header line of an input log shows

// Most bytes of commands that are printed: for each byte of the file, and beside these. A hostile
// file could unpack to thousands of bytes for each of its own.
enum { BYTES_FOR_EACH = 100, BYTES_BESIDE = 1 << 20 };

// Function type that prints a command.
// @param digits  all bytes of the command as hexadecimal digits
typedef void command_writer(json *j, bks_tick tick, const bks_command *command, char *digits);

static void write_command(json *j, bks_tick tick, const bks_command *command,
                          command_writer *writer)
{
    static const char hex[] = "0123456789abcdef";
    static char digits[2 * BKS_COMMAND_BYTES_MAX + 1];
    for (uint32_t i = 0; i < command->count; i++) {
        digits[2 * (size_t)i] = hex[command->bytes[i] >> 4];
        digits[2 * (size_t)i + 1] = hex[command->bytes[i] & 15];
    }
    digits[2 * (size_t)command->count] = '\0';
    writer(j, tick, command, digits);
}

/// Write the commands of a tick.
/// @param room  bytes of commands that may still be written
/// @return false if there are more
static bool write_tick(json *j, const replay_file *file, bks_tick tick, size_t *room,
                       command_writer *writer)
{
    bks_commands commands[BKS_PLAYERS_MAX];
    const bks_step step = {.players = file->info->players, .commands = commands};
    bks_command command = {0};
    bool has_any = false;
    if (bks_replay_commands(file->replay, tick, commands, &has_any) != BKS_OK) {
        return true; // replay_file_check() has reported the damage
    }
    while (has_any && bks_step_command(&step, &command)) {
        const size_t bytes = command.count + sizeof(uint16_t);
        if (bytes > *room) {
            return false;
        }
        *room -= bytes;
        write_command(j, tick, &command, writer);
    }
    return true;
}

/// Write the commands of the ticks from `from` up to and without `until`. The file counts as
/// damaged if they are more than a file of its size can have.
static void write_commands(json *j, replay_file *file, bks_tick from, bks_tick until,
                           command_writer *writer)
{
    size_t room = BYTES_FOR_EACH * file->count + BYTES_BESIDE;
    bks_replay_ticks ticks = {.end = from};
    while (file->info->command_ticks > 0 && replay_file_ticks(file, until, &ticks)) {
        for (bks_tick tick = ticks.first; tick < ticks.end; tick++) {
            if (!write_tick(j, file, tick, &room, writer)) {
                tool_complain(file->path,
                              "holds more commands than %d bytes for each of its %zu, expected "
                              "fewer: those from tick %" PRId32 " on are not printed",
                              BYTES_FOR_EACH, file->count, tick);
                file->status = TOOL_DAMAGED;
                return;
            }
        }
    }
}

static void print_header_line(json *j, bks_tick tick, const bks_command *command, char *digits)
{
    (void)j;
    printf("# command: %" PRId32 " %" PRIu32 " %" PRIu32 " %.*s%s\n", tick, command->player,
           command->count, 2 * LINE_BYTES, digits, command->count > LINE_BYTES ? "..." : "");
}

static void print_trace_line(json *j, bks_tick tick, const bks_command *command, char *digits)
{
    (void)j;
    printf("%" PRId32 ",%" PRIu32 ",%" PRIu32 ",%s\n", tick, command->player, command->count,
           digits);
}

static void json_command(json *j, bks_tick tick, const bks_command *command, char *digits)
{
    json_row(j, NULL);
    json_int(j, NULL, tick);
    json_uint(j, NULL, command->player);
    json_text(j, NULL, digits);
    json_close(j);
}

void replay_commands_print(replay_file *file, bks_tick from, bks_tick until)
{
    write_commands(NULL, file, from, until, print_header_line);
}

void replay_commands_print_trace(replay_file *file, bks_tick from, bks_tick until)
{
    printf("# game: %s, version %" PRIu32 "\n# tick_rate_hz: %" PRIu32 "\n" COMMAND_TRACE_COLUMNS
           "\n",
           file->info->game, file->info->version, file->info->tick_rate_hz);
    write_commands(NULL, file, from, until, print_trace_line);
}

void replay_commands_json(json *j, replay_file *file, bks_tick from, bks_tick until)
{
    json_array(j, "commands");
    write_commands(j, file, from, until, json_command);
    json_close(j);
}
