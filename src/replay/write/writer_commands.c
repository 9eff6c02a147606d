// SPDX-License-Identifier: MIT

// Recording of commands. The commands of a tick are written to the file at once, before the tick.

#include "backstitch/toolkit/writer.h"
#include "base/report.h"
#include "replay/write/writer.h"

bks_status bksi_writer_commands_begin(bks_replay_writer *writer, const bks_replay_config *config,
                                      bks_error *error)
{
    writer->command_tick = config->first_tick - 1;
    if (config->game->command_bytes_max == 0) {
        return BKS_OK;
    }
    writer->commands = bksi_packer_create(BKSI_COMMANDS_HEAD_BYTES,
                                          (size_t)config->players * BKSI_COMMANDS_PLAYER_BYTES_MAX,
                                          &writer->allocator);
    return writer->commands != NULL
               ? BKS_OK
               : bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, "replay.create", NULL,
                           "no memory for the commands of %u players", config->players);
}

void bksi_writer_commands_end(bks_replay_writer *writer)
{
    bksi_packer_destroy(writer->commands);
    writer->commands = NULL;
}

static bks_status check_commands(const bks_replay_writer *writer, bks_tick tick,
                                 const bks_commands *commands, const char *call)
{
    BKSI_REFUSE_NULL(NULL, commands);
    if (writer->commands == NULL) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "writer",
                         "writer records a game without command_bytes_max, must have it");
    }
    if (tick <= writer->command_tick) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "tick", "tick is %d, must be above %d",
                         tick, writer->command_tick);
    }
    for (uint32_t p = 0; p < writer->shape.players; p++) {
        if (commands[p].count > BKSI_COMMANDS_BYTES_MAX) {
            return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "commands",
                             "commands of player %u have %u bytes, must have at most %u", p,
                             commands[p].count, BKSI_COMMANDS_BYTES_MAX);
        }
    }
    return BKS_OK;
}

bks_status bks_replay_writer_commands(bks_replay_writer *writer, bks_tick tick,
                                      const bks_commands *commands)
{
    static const char call[] = "bks_replay_writer_commands";
    BKSI_TRY(bksi_writer_check_open(writer, call));
    BKSI_TRY(check_commands(writer, tick, commands, call));
    writer->command_tick = tick;
    const size_t bytes = bksi_commands_pack(writer->commands, tick, commands, writer->shape.players,
                                            &writer->commands_packed_bytes, writer->end);
    return bksi_writer_append(writer, bksi_packer_record(writer->commands), BKSI_RECORD_COMMANDS,
                              bytes);
}
