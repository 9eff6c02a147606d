// SPDX-License-Identifier: MIT

/// @file feed_beginning.h
/// Beginning of a recording for newcomers: preamble, HEAD, STAT and empty slots. The state is
/// copied at once and packed in slices, so that no update takes long.

#ifndef BKSI_FEED_BEGINNING_H
#define BKSI_FEED_BEGINNING_H

#include "replay/format/replay_head.h"

struct ZSTD_CCtx_s;

/// Most bytes of a beginning besides its STAT record.
#define BKSI_FEED_BEGINNING_BYTES_MORE ((size_t)128 << 10)

typedef struct bksi_feed_beginning {
    bks_allocator allocator;
    uint8_t *state; ///< copy of the state that is being packed
    size_t state_bytes_max;
    size_t state_bytes;
    size_t packed_from; ///< bytes of `state` that were packed
    uint8_t *work;      ///< memory in which zstd works
    size_t work_bytes;
    struct ZSTD_CCtx_s *zstd;
    bksi_replay_head head;
    uint8_t *bytes; ///< the beginning
    size_t bytes_max;
    size_t stat;    ///< offset of the STAT record in `bytes`
    size_t packed;  ///< offset in `bytes` of the next packed byte
    size_t touched; ///< bytes of `state` and `bytes` that bksi_feed_beginning_warm() touched
    size_t count;   ///< bytes of the whole beginning; 0: there is none, or it is not whole yet
    bool is_packing;
    uint64_t ready_ns; ///< time at which the beginning became whole
} bksi_feed_beginning;

/// Allocate everything for states of up to `state_bytes_max` bytes.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_feed_beginning_create(bksi_feed_beginning *beginning, size_t state_bytes_max,
                                      const bks_allocator *allocator);
void bksi_feed_beginning_destroy(bksi_feed_beginning *beginning);

/// Have the system give a slice of the memory, if no beginning is in it. Fresh memory would make
/// the first copy of a large state several times as slow.
void bksi_feed_beginning_warm(bksi_feed_beginning *beginning);

/// Keep the front of a recording that begins with another state: its HEAD counts. The bytes may be
/// hostile.
/// @return false if it has no HEAD that can be written anew
bool bksi_feed_beginning_front(bksi_feed_beginning *beginning, const uint8_t *bytes, size_t count);

/// Keep a whole beginning that a writer has written.
/// @return false if it is too large
bool bksi_feed_beginning_keep(bksi_feed_beginning *beginning, const uint8_t *bytes, size_t count,
                              uint64_t now_ns);

/// Set the first tick, if it is not that of the front.
void bksi_feed_beginning_tick(bksi_feed_beginning *beginning, bks_tick tick);

/// Begin to pack the state of the first tick, after bksi_feed_beginning_front().
/// @param state  may be beginning->state, else it is copied
void bksi_feed_beginning_start(bksi_feed_beginning *beginning, const void *state,
                               size_t state_bytes);

/// Pack the next slice. Once the state is packed, `count` is set.
void bksi_feed_beginning_go_on(bksi_feed_beginning *beginning, uint64_t now_ns);

/// Drop the beginning.
void bksi_feed_beginning_drop(bksi_feed_beginning *beginning);

#endif
