// SPDX-License-Identifier: MIT

// Public call that queues a command of a local player.

#include "base/report.h"
#include "session/queries.h"
#include "session/session_internal.h"

#define CALL "bks_session_command"

static bks_status refuse(const char *field, uint64_t value, uint64_t least, uint64_t most)
{
    return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, CALL, field, "%s is %llu, must be %llu..%llu",
                     field, (unsigned long long)value, (unsigned long long)least,
                     (unsigned long long)most);
}

bks_status bksi_session_command_check(const bks_session *session, uint32_t local_player,
                                      const void *bytes, size_t count)
{
    if (bytes == NULL) {
        return bksi_fail_null(NULL, CALL, "bytes");
    }
    const bks_session_config *config = &session->common.config;
    const session_phase *phase = &session->common.phase;
    if (config->command_bytes_max == 0) {
        return bksi_fail(NULL, BKS_ERR_UNSUPPORTED, CALL, "command_bytes_max",
                         "command_bytes_max is 0, must be 1..%d in a game with commands",
                         BKS_COMMAND_BYTES_MAX);
    }
    if (local_player >= config->local_players) {
        return refuse("local_player", local_player, 0, config->local_players - 1);
    }
    if (count < 1 || count > config->command_bytes_max) {
        return refuse("count", count, 1, config->command_bytes_max);
    }
    return bksi_phase_is_in_lobby(phase) || bksi_phase_is_running(phase) ? BKS_OK : BKS_OVER;
}

bks_status bks_session_command(bks_session *session, uint32_t local_player, const void *bytes,
                               size_t count)
{
    BKSI_REFUSE_NULL(NULL, session);
    BKSI_TRY(bksi_session_command_check(session, local_player, bytes, count));
    if (!bksi_rollback_has_room_for(&session->common.engine, local_player, (uint32_t)count)) {
        return BKS_ERR_FULL;
    }
    bksi_command_queue_put(bksi_rollback_queue(&session->common.engine, local_player), bytes,
                           (uint32_t)count);
    return BKS_OK;
}
