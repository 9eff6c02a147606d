// SPDX-License-Identifier: MIT

/// @file packed_writer.h
/// Internal calls of the writer for other rooms. A caller that has inputs packed by the game's
/// layout, as a session does, need not pass an unchanged tick again:
///
///     if (!bksi_writer_is_used(writer, tick, packed)) {
///         bksi_writer_use(writer, tick, packed);
///         bksi_writer_commit(writer);
///     }
///     step the tick
///
/// After a failed write every call returns BKS_ERR_IO.

#ifndef BKSI_PACKED_WRITER_H
#define BKSI_PACKED_WRITER_H

#include "backstitch/record.h"
#include "backstitch/toolkit/writer.h"

/// Return true if a tick was last used with the inputs `packed`.
/// @param tick    the first unconfirmed tick or a later one
/// @param packed  inputs of all players, players * layout->bytes bytes
bool bksi_writer_is_used(const bks_replay_writer *writer, bks_tick tick, const uint8_t *packed);

/// Note the inputs with which a tick is about to be stepped. They are written at
/// bksi_writer_commit().
/// @param tick  the first unconfirmed tick or a later one, up to one past the newest used tick;
///              less than unconfirmed_ticks_max ticks after the first unconfirmed tick
void bksi_writer_use(bks_replay_writer *writer, bks_tick tick, const uint8_t *packed);

/// Write the inputs that were passed since the last commit.
/// @return BKS_OK, BKS_ERR_IO
bks_status bksi_writer_commit(bks_replay_writer *writer);

/// Record a rollback: the ticks from the unconfirmed tick `from` to the one before `present` had
/// been used with guesses. Call this function before the ticks are used again. @see
/// bks_replay_writer_rollback()
/// @param present  up to one past the newest tick that was used
/// @return BKS_OK, BKS_ERR_IO
bks_status bksi_writer_keep_rollback(bks_replay_writer *writer, bks_tick present, bks_tick from);

/// Keep the newest rollbacks in memory from now on, in case they are wanted later. A recording with
/// `detail.rollbacks` appends all of its rollbacks anyway.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_writer_spare_rollbacks(bks_replay_writer *writer);

/// Append the rollbacks in memory now, and later ones as if `detail.rollbacks` were set.
/// @return BKS_OK, BKS_ERR_IO
bks_status bksi_writer_want_rollbacks(bks_replay_writer *writer);

/// Confirm the first unconfirmed tick. @see bks_replay_writer_confirm()
/// @return BKS_OK, BKS_ERR_IO
bks_status bksi_writer_confirm(bks_replay_writer *writer, const uint8_t *packed,
                               const uint64_t *hash);

/// Code the inputs of all later chunks plainly, so that each chunk can be read without the one
/// before it. Such chunks take more bytes and less time. Call this before the first tick is
/// confirmed.
void bksi_writer_code_plainly(bks_replay_writer *writer);

/// Append the confirmed ticks that are not appended yet, so that a recording which continues this
/// one can begin at the first unconfirmed tick.
/// @return BKS_OK, BKS_ERR_IO
bks_status bksi_writer_end_chunk(bks_replay_writer *writer);

/// Append a record of evidence about a peer whose state differed, or of a piece of the match log.
/// @param record  record with the payload at BKSI_RECORD_HEAD_BYTES, and room for the check after
///                the payload
/// @return BKS_OK, BKS_ERR_IO
bks_status bksi_writer_append_evidence(bks_replay_writer *writer, uint8_t *record,
                                       size_t payload_bytes);
bks_status bksi_writer_append_log(bks_replay_writer *writer, uint8_t *record, size_t payload_bytes);

/// Add the page hashes of the first unconfirmed tick as a recording has them. @see
/// bks_replay_writer_pages()
/// @param row    4 bytes of each hash
/// @param bytes  size of `row`, at most that of the most pages
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
bks_status bksi_writer_page_row(bks_replay_writer *writer, bks_tick tick, const uint8_t *row,
                                size_t bytes);

/// Check the optional details of a recording, in the config of a writer or in a config that is
/// passed on to a writer later.
/// @param game             game, which was checked before
/// @param state_bytes_max  most bytes of a state; 0: not known yet, so page_hashes is not checked
/// @param is_recorded      true: errors call the config's field `record_detail`; false: `detail`
/// @param call             id of the log line
/// @return BKS_OK, BKS_ERR_BAD_CONFIG (error names the field and the range)
bks_status bksi_detail_check(const bks_replay_detail *detail, const bks_game *game,
                             size_t state_bytes_max, bool is_recorded, const char *call,
                             bks_error *error);

/// Check `record_detail` of a config that is passed on to a writer once the match starts. Without a
/// known size of the state, `page_hashes` is not checked.
bks_status bksi_record_detail_check(const bks_replay_detail *detail, const bks_game *game,
                                    const char *call, bks_error *error);

#endif
