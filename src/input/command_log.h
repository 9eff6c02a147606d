// SPDX-License-Identifier: MIT

/// @file command_log.h
/// Commands of the players by tick. The commands of a player are one sequence of bytes: for each
/// command its length in two bytes, the lower one first, and its bytes. The input of a tick has a
/// **blob** of 0 to 65535 bytes, which extends that sequence. A command belongs to the tick whose
/// blob has its last byte, so a large command may span ticks.
///
/// The blobs of any `room_ticks` consecutive ticks of a player together have at most `room_bytes`
/// bytes. A blob is shorter by the bytes of a command that was begun before it, up to 32767. So the
/// commands of a tick have at most 65535 bytes, unless one has more than 32767. A tick that breaks
/// these rules is not accepted. So the log has room for each accepted tick, and no tick waits for
/// room.

#ifndef BKSI_COMMAND_LOG_H
#define BKSI_COMMAND_LOG_H

#include "backstitch/game.h"

/// Maximum size of a blob in bytes.
#define BKSI_BLOB_BYTES_MAX 65535u

/// Size in bytes of the length before each command.
#define BKSI_COMMAND_HEAD_BYTES 2u

/// Part of a player's sequence of commands. It may begin and end inside a command.
typedef struct bksi_blob {
    const uint8_t *bytes; ///< may be NULL when count is 0
    uint32_t count;
    bool is_ahead; ///< the bytes travel ahead of the tick (session/inputs/lane.h)
} bksi_blob;

typedef struct bksi_command_config {
    uint32_t bytes_max;  ///< most bytes of a command, 1..65535; 0: the game has no commands
    uint32_t room_bytes; ///< most bytes of `room_ticks` consecutive blobs, bytes_max + 2 or more
    uint32_t room_ticks; ///< ticks that share `room_bytes`, 1..capacity of the log in ticks
} bksi_command_config;

/// End of a tick's blob in the player's sequence.
typedef struct bksi_command_tick {
    uint64_t end;   ///< offset of the first byte after the blob
    uint64_t whole; ///< offset of the first byte after the last command that is complete
    bool is_used;   ///< true if the tick was last stepped with its known commands
    bool is_ahead;  ///< the blob's bytes travel ahead of the tick
} bksi_command_tick;

/// Ring of one player's bytes. Its first bytes are repeated after its end, so a blob is always
/// contiguous, and so are the commands of a tick.
typedef struct bksi_command_ring {
    uint8_t *bytes;
    bksi_command_tick *ticks; ///< ring of ticks, by tick modulo capacity_ticks
} bksi_command_ring;

typedef struct bksi_command_log {
    bksi_command_config config;
    uint32_t players;
    uint32_t capacity_ticks; ///< a power of two
    bksi_command_ring rings[BKS_PLAYERS_MAX];
} bksi_command_log;

/// Return true if the length of each command is 1..bytes_max, and the last command ends where the
/// bytes end.
bool bksi_commands_are_framed(const bks_commands *commands, uint32_t bytes_max);

/// Create an empty log. A game without commands needs no memory.
/// @param capacity_ticks  a power of two, as for the players' timelines
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_command_log_create(bksi_command_log *log, const bksi_command_config *config,
                                   uint32_t players, uint32_t capacity_ticks,
                                   const bks_allocator *allocator);
void bksi_command_log_destroy(bksi_command_log *log, const bks_allocator *allocator);

/// Return true if the game has commands. Call the functions below only then.
static inline bool bksi_command_log_is_on(const bksi_command_log *log)
{
    return log->config.bytes_max > 0;
}

/// Return the maximum size in bytes of the blob of the player's next tick.
/// @param tick  next tick of the player
uint32_t bksi_command_log_room(const bksi_command_log *log, uint32_t player, bks_tick tick);
/// Return true if the player's next tick may have this blob: there is room for the blob, and the
/// lengths of all commands are in their range.
bool bksi_command_log_admits(const bksi_command_log *log, uint32_t player, bks_tick tick,
                             const bksi_blob *blob);
/// Append the blob of the player's next tick. bksi_command_log_admits() must be true for the blob.
/// @param blob  may be NULL: the tick has no bytes
/// @return true if the tick has commands, because the blob completes at least one
bool bksi_command_log_append(bksi_command_log *log, uint32_t player, bks_tick tick,
                             const bksi_blob *blob);

/// Note that a known tick is stepped with its commands.
void bksi_command_log_use(bksi_command_log *log, uint32_t player, bks_tick tick);
/// Return true if each known tick in from..until-1 has no commands or was last stepped with them.
bool bksi_command_log_is_as_used(const bksi_command_log *log, uint32_t player, bks_tick from,
                                 bks_tick until);

/// Return true if the commands of a known tick are still held.
/// @param head  next tick of the player
bool bksi_command_log_holds(const bksi_command_log *log, uint32_t player, bks_tick tick,
                            bks_tick head);
/// Return the blob of a known tick. The log must still hold it.
bksi_blob bksi_command_log_blob(const bksi_command_log *log, uint32_t player, bks_tick tick);
/// Return true if no command is begun and incomplete after a known tick.
bool bksi_command_log_is_whole(const bksi_command_log *log, uint32_t player, bks_tick tick);
/// Return the commands of a known tick. The log must still hold them.
bks_commands bksi_command_log_commands(const bksi_command_log *log, uint32_t player, bks_tick tick);

#endif
