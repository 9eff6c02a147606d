// SPDX-License-Identifier: MIT

/// @file blobs.h
/// Blobs of commands (input/command_log.h) in messages with inputs: those of one peer's players at
/// consecutive ticks. A blob is always whole in a message: packed (packed.h) in an INPUT, plain in
/// messages about leavers, because their receivers may know the leaver by other blobs. Or it is
/// named by its size alone, because its bytes travel ahead in a lane (lane.h). Only games with
/// commands have blobs. See docs/spec/wire.md.

#ifndef BKSI_BLOBS_H
#define BKSI_BLOBS_H

#include "base/bits.h"
#include "base/range_coder.h"
#include "rollback/engine.h"
#include "session/common/seats.h"
#include "session/inputs/packed.h"

/// Most bytes of the blobs of one peer's players at one tick.
#define BKSI_TICK_BLOB_BYTES_MAX (BKSI_TICK_BITS_MAX / 8)

/// Most bytes of a packed blob.
#define BKSI_PACKED_BLOB_BYTES_MAX (BKSI_TICK_BLOB_BYTES_MAX + BKSI_PACKED_EXTRA_BYTES)

/// Most bytes that a message needs for a blob whose bytes travel ahead.
#define BKSI_BLOB_AHEAD_BYTES 8u

/// Most blobs and most bytes of blobs in an INPUT whose inputs are coded by models.
#define BKSI_CODED_BLOBS_MAX      72u
#define BKSI_CODED_BLOB_BYTES_MAX 432u

/// Blobs of one tick, read with the plain codec (input/codec.h).
typedef struct session_plain_blobs {
    uint32_t count; ///< number of bytes used
    uint8_t bytes[BKSI_TICK_BLOB_BYTES_MAX];
} session_plain_blobs;

/// Place of a blob in an INPUT: number of its tick, from 0, times the peer's players, plus number
/// of the player among them.
typedef struct session_coded_blob {
    uint32_t place;
    uint16_t at;    ///< offset of its first byte
    uint16_t count; ///< size in bytes, at least 1
    bool is_ahead;  ///< the bytes are in the lane, so `at` is unused
} session_coded_blob;

/// Blobs of an INPUT whose inputs are coded by models, in the order of their places.
typedef struct session_coded_blobs {
    uint32_t count;
    uint32_t next; ///< index of the first blob that bksi_blobs_take() has not passed
    session_coded_blob blobs[BKSI_CODED_BLOBS_MAX];
    uint8_t bytes[BKSI_CODED_BLOB_BYTES_MAX];
} session_coded_blobs;

/// Return the packed blob of a local player as an INPUT to a peer carries it.
/// @param bytes  room for BKSI_PACKED_BLOB_BYTES_MAX
bksi_blob bksi_blobs_for(const session_packed *packed, const session_common *common,
                         uint32_t to_peer, uint32_t local, bks_tick tick, uint8_t *bytes);
/// Write a player's blob after its fields in the plain codec.
void bksi_blobs_write(bksi_bit_writer *writer, const bksi_blob *blob);
/// Begin to read the blobs of a tick.
static inline void bksi_blobs_begin(session_plain_blobs *blobs)
{
    blobs->count = 0;
}
/// Read a blob that bksi_blobs_write() wrote. The reader fails if the tick's bytes are too many. A
/// blob whose bytes travel ahead has none yet.
/// @param blobs  blobs of the tick so far; receives the bytes
bksi_blob bksi_blobs_read(bksi_bit_reader *reader, session_plain_blobs *blobs);

/// Return the most bits that bksi_blobs_encode() takes.
/// @param plain_bits  receives the bits that bksi_blobs_write() takes for the same blobs
uint64_t bksi_blobs_bits(const session_packed *packed, uint32_t players, bks_tick first,
                         bks_tick until, uint64_t *plain_bits);
/// Encode our own packed blobs of the ticks from `first` to before `until`.
/// @param players  number of our own players
void bksi_blobs_encode(const session_packed *packed, uint32_t players, bks_tick first,
                       bks_tick until, bksi_range_encoder *encoder);
/// Decode blobs that bksi_blobs_encode() encoded.
/// @param places  number of ticks times the number of players
/// @return false if the bytes are malformed
bool bksi_blobs_decode(bksi_range_decoder *decoder, uint64_t places, session_coded_blobs *blobs);
/// Get the blobs of a tick, one for each player. Ticks must be asked for in order. A blob whose
/// bytes travel ahead has none yet.
/// @param place  place of the first player's blob
void bksi_blobs_take(session_coded_blobs *coded, uint32_t place, uint32_t players,
                     bksi_blob *blobs);

/// Find out whether the next tick of a peer may have blobs that came: they keep to the rule of
/// admission, and a message has room for those that do not travel ahead. Unpack or learn the
/// latter.
/// @param blobs      one for each player; receives the plain ones. They become empty if the tick
///                   must not have them, but is agreed.
/// @param is_agreed  false: the blobs are packed, from the peer itself. true: they are plain, from
///                   other members that have the tick, so we need it, if need be without commands.
///                   The tick of a peer that sent different commands to different members may break
///                   the rules here and keep them there. The chain of inputs shows that.
/// @param bytes      receives the bytes of unpacked blobs: room for BKSI_TICK_BLOB_BYTES_MAX
/// @return false if the tick must not have these blobs
bool bksi_blobs_open(session_packed *packed, const bksi_rollback *engine, const bksi_layout *layout,
                     const session_peer *peer, bksi_blob *blobs, bool is_agreed, uint8_t *bytes);

#endif
