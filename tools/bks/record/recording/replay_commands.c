// SPDX-License-Identifier: MIT

#include "record/recording/replay_commands.h"

#include <inttypes.h>
#include <stdio.h>

#include "backstitch/toolkit/recording.h"
#include "game/command_trace.h"

enum { LINE_BYTES = 32 }; // bytes of a command that a header line of an input log shows

// Function type that prints a command.
// @param digits  all bytes of the command as hexadecimal digits
typedef void command_writer(json *j, bks_tick tick, const bks_command *command, char *digits);

static void write_command(json *j, bks_tick tick, const bks_command *command,
                          command_writer *writer)
{
    static char digits[2 * BKS_COMMAND_BYTES_MAX + 1];
    for (uint32_t i = 0; i < command->count; i++) {
        (void)snprintf(digits + 2 * (size_t)i, 3, "%02x", command->bytes[i]);
    }
    writer(j, tick, command, digits);
}

/// Write the commands of the ticks from `from` up to and without `until`.
static void write_commands(json *j, const replay_file *file, bks_tick from, bks_tick until,
                           command_writer *writer)
{
    bks_replay_ticks ticks = {.end = from};
    while (file->info->command_ticks > 0 && replay_file_ticks(file, until, &ticks)) {
        for (bks_tick tick = ticks.first; tick < ticks.end; tick++) {
            bks_commands commands[BKS_PLAYERS_MAX];
            const bks_step step = {.players = file->info->players, .commands = commands};
            bks_command command = {0};
            bool has_any = false;
            if (bks_replay_commands(file->replay, tick, commands, &has_any) != BKS_OK) {
                continue;
            }
            while (has_any && bks_step_command(&step, &command)) {
                write_command(j, tick, &command, writer);
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

void replay_commands_print(const replay_file *file, bks_tick from, bks_tick until)
{
    write_commands(NULL, file, from, until, print_header_line);
}

void replay_commands_print_trace(const replay_file *file, bks_tick from, bks_tick until)
{
    printf("# game: %s, version %" PRIu32 "\n# tick_rate_hz: %" PRIu32 "\n" COMMAND_TRACE_COLUMNS
           "\n",
           file->info->game, file->info->version, file->info->tick_rate_hz);
    write_commands(NULL, file, from, until, print_trace_line);
}

void replay_commands_json(json *j, const replay_file *file, bks_tick from, bks_tick until)
{
    json_array(j, "commands");
    write_commands(j, file, from, until, json_command);
    json_close(j);
}
