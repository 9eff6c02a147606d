// SPDX-License-Identifier: MIT

#include "peer/evidence.h"

#include <string.h>

#include "backstitch/toolkit/writer.h"
#include "base/bits.h"
#include "replay/format/replay_evidence.h"
#include "state/region.h"

/// Limits of the page hashes that are written: AROUND_TICKS ticks before and after the desync,
/// AROUND_PAGES hashes in all.
#define AROUND_TICKS 32
#define AROUND_PAGES 4096u

/// Time in which a peer should answer what differs, a second in the log's units. Evidence that
/// waited for a slower answer would be lost if the program is killed.
#define PATIENCE (1000000000u >> BKSI_LOG_TIME_SHIFT)

#define BLOCKS_A_PAGE (BKSI_PAGE_BYTES / BKSI_COMPARE_BLOCK_BYTES)
#define PAGE_SHIFT    6u

_Static_assert(BKSI_EVIDENCE_BLOCK_BYTES == BKSI_COMPARE_BLOCK_BYTES, "what is compared is kept");
_Static_assert(BKS_EVIDENCE_BYTES_MAX >= BKSI_EVIDENCE_STATE_BYTES + 4 * AROUND_PAGES + 32768,
               "all of it fits");

bks_status bksi_evidence_create(bksi_evidence *evidence, const bks_session *session,
                                uint32_t tick_rate_hz, const bks_allocator *allocator)
{
    *evidence = (bksi_evidence){.look.tick = BKS_TICK_NONE, .allocator = *allocator};
    evidence->machine_count = bksi_machine_describe(evidence->machine);
    const size_t head_bytes_max = BKSI_EVIDENCE_HEAD_BYTES_MAX > BKSI_LOG_HEAD_BYTES_MAX
                                      ? BKSI_EVIDENCE_HEAD_BYTES_MAX
                                      : BKSI_LOG_HEAD_BYTES_MAX;
    evidence->packer = bksi_packer_create(head_bytes_max, BKS_EVIDENCE_BYTES_MAX, allocator);
    return evidence->packer != NULL
               ? bksi_match_log_create(&evidence->log, session, tick_rate_hz, allocator)
               : BKS_ERR_OUT_OF_MEMORY;
}

void bksi_evidence_destroy(bksi_evidence *evidence)
{
    bksi_match_log_destroy(&evidence->log, &evidence->allocator);
    bksi_packer_destroy(evidence->packer);
    evidence->packer = NULL;
}

void bksi_evidence_show(bksi_evidence *evidence, const bks_op *op)
{
    if (evidence->packer == NULL || op->kind != BKS_OP_NAME) {
        return;
    }
    bksi_evidence_look *look = &evidence->look;
    look->peer = op->player;
    look->tick = op->tick;
    look->peer_bytes = op->look->state_bytes;
    look->count = op->look->count;
    memcpy(look->firsts, op->look->firsts, look->count * sizeof(look->firsts[0]));
    memcpy(look->blocks, op->look->bytes, (size_t)look->count * BKSI_COMPARE_BLOCK_BYTES);
}

// ---- parts of a record ----

/// State and difference that an evidence record describes.
typedef struct subject {
    const bksi_kept_pages *kept;
    uint32_t slot; ///< slot of the state, BKS_KEEP_NONE: the state is not included
    size_t state_bytes;
    const bksi_evidence_look *look; ///< differing bytes; NULL: they are unknown
} subject;

static void write_pairs(bksi_byte_writer *content, const bks_replay_pair *pairs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        bksi_evidence_write_environment(content, &pairs[i]);
    }
}

static void write_environment(bksi_byte_writer *content, const bksi_evidence *evidence)
{
    bks_replay_pair now[BKSI_MACHINE_PAIRS_MAX];
    write_pairs(content, now, bksi_machine_describe_now(now));
    write_pairs(content, evidence->machine, evidence->machine_count);
}

static void read_zeroed(const subject *s, uint64_t offset, uint8_t *out, size_t count)
{
    const size_t there = offset < s->state_bytes ? s->state_bytes - (size_t)offset : 0;
    memset(out, 0, count);
    if (there > 0) {
        bksi_kept_pages_read(s->kept, s->slot, (size_t)offset, out, there < count ? there : count);
    }
}

static void write_blocks(bksi_byte_writer *content, const subject *s)
{
    for (uint32_t i = 0; i < s->look->count; i++) {
        uint8_t own[BKSI_COMPARE_BLOCK_BYTES];
        const uint32_t block = s->look->firsts[i];
        read_zeroed(s, (uint64_t)block * BKSI_COMPARE_BLOCK_BYTES, own, sizeof(own));
        bksi_evidence_write_block(content, block, own,
                                  s->look->blocks + (size_t)i * BKSI_COMPARE_BLOCK_BYTES);
    }
}

static void write_bytes(bksi_byte_writer *content, const subject *s, size_t offset, size_t count)
{
    uint8_t *at = bksi_evidence_begin_state(content, offset, count);
    if (at != NULL) {
        bksi_kept_pages_read(s->kept, s->slot, offset, at, count);
    }
}

/// Write the whole state, or only the differing pages if the state is large.
static void write_state(bksi_byte_writer *content, const subject *s)
{
    if (s->state_bytes <= BKSI_EVIDENCE_STATE_BYTES) {
        write_bytes(content, s, 0, s->state_bytes);
        return;
    }
    uint32_t last = UINT32_MAX;
    for (uint32_t i = 0; s->look != NULL && i < s->look->count; i++) {
        const uint32_t page = s->look->firsts[i] / BLOCKS_A_PAGE;
        const size_t offset = (size_t)page * BKSI_PAGE_BYTES;
        if (page == last || offset >= s->state_bytes) {
            continue;
        }
        const size_t left = s->state_bytes - offset;
        write_bytes(content, s, offset, left < BKSI_PAGE_BYTES ? left : BKSI_PAGE_BYTES);
        last = page;
    }
}

static void write_page_hashes(bksi_byte_writer *content, const subject *s, bks_tick tick,
                              uint32_t slot)
{
    const size_t pages = bksi_pages(bksi_kept_pages_count(s->kept, slot));
    uint8_t *at = pages > 0 ? bksi_evidence_begin_pages(content, tick, pages) : NULL;
    for (size_t i = 0; at != NULL && i < pages; i++) {
        bksi_put_u32(at + 4 * i,
                     (uint32_t)bksi_kept_pages_part(s->kept, slot, PAGE_SHIFT, (uint64_t)i));
    }
}

/// Write the page hashes of the states that are kept around a tick.
static void write_around(bksi_byte_writer *content, const subject *s, const bks_session *session,
                         bks_tick tick)
{
    uint32_t left = AROUND_PAGES;
    if (!bksi_kept_pages_are_hashed(s->kept)) {
        return;
    }
    for (bks_tick t = tick > AROUND_TICKS ? tick - AROUND_TICKS : 0; t <= tick + AROUND_TICKS;
         t++) {
        const uint32_t slot = bksi_session_kept_slot(session, t);
        const size_t pages =
            slot != BKS_KEEP_NONE ? bksi_pages(bksi_kept_pages_count(s->kept, slot)) : 0;
        if (pages > 0 && pages <= left) {
            write_page_hashes(content, s, t, slot);
            left -= (uint32_t)pages;
        }
    }
}

// ---- records ----

/// Return true if the state of a slot is found to hold raw pointers.
static bool has_pointers(const subject *s, bksi_runner *runner, bksi_packer *packer)
{
    if (bksi_runner_start(runner)->game->pointers) {
        return true;
    }
    if (s->state_bytes > BKSI_EVIDENCE_STATE_BYTES) {
        return false;
    }
    // Read the state into the packer's memory for the record's content, which is still unused.
    bksi_byte_writer room = bksi_packer_content(packer);
    bksi_kept_pages_read(s->kept, s->slot, 0, room.bytes, s->state_bytes);
    return bksi_runner_has_pointers(runner, room.bytes, s->state_bytes);
}

static bks_status write_one(bksi_evidence *evidence, bks_replay_writer *writer,
                            const bks_session *session, bksi_runner *runner, uint32_t peer,
                            bks_tick tick, const char *text)
{
    const bksi_evidence_look *look = &evidence->look;
    subject s = {.kept = bksi_runner_kept_pages(runner),
                 .slot = bksi_session_kept_slot(session, tick)};
    s.look = look->tick == tick && look->peer == peer ? look : NULL;
    s.state_bytes = s.slot != BKS_KEEP_NONE ? bksi_kept_pages_count(s.kept, s.slot) : 0;
    if (s.state_bytes > 0 &&
        (evidence->has_pointers || has_pointers(&s, runner, evidence->packer))) {
        s = (subject){.kept = s.kept, .slot = BKS_KEEP_NONE};
    }
    const bksi_evidence_head fixed = {
        .tick = tick,
        .peer = peer,
        .own_bytes = s.state_bytes,
        .peer_bytes = s.look != NULL ? look->peer_bytes : 0,
    };
    bksi_byte_writer head = bksi_packer_head(evidence->packer);
    bksi_byte_writer content = bksi_packer_content(evidence->packer);
    bksi_evidence_write_head(&head, &fixed);
    bksi_evidence_write_text(&content, text);
    write_environment(&content, evidence);
    if (s.state_bytes > 0) {
        if (s.look != NULL) {
            write_blocks(&content, &s);
        }
        write_state(&content, &s);
        write_around(&content, &s, session, tick);
    }
    const size_t bytes = bksi_packer_pack_sized(evidence->packer, &head, &content);
    bks_status status =
        bksi_writer_append_evidence(writer, bksi_packer_record(evidence->packer), bytes);
    status = status == BKS_OK ? bksi_writer_want_rollbacks(writer) : status;
    evidence->differing &= ~(1u << peer);
    return status == BKS_OK ? bksi_match_log_write(&evidence->log, evidence->packer, writer)
                            : status;
}

bks_status bksi_evidence_settle(bksi_evidence *evidence, bks_replay_writer *writer,
                                const bks_session *session, bksi_runner *runner, bool is_last,
                                bool has_pointers)
{
    bks_status status = BKS_OK;
    bks_event event;
    evidence->has_pointers = evidence->has_pointers || has_pointers;
    bksi_match_log_events(&evidence->log, session);
    while (status == BKS_OK && bksi_session_event_after(session, &evidence->events, &event)) {
        if (event.kind == BKS_EVENT_DESYNC) {
            evidence->differing |= 1u << event.peer;
            evidence->ticks[event.peer] = event.tick;
            evidence->noticed[event.peer] = evidence->log.now;
            status = bksi_writer_want_rollbacks(writer);
        }
        // If inputs differ, the peers do not look for the difference of states, so write the
        // evidence now.
        if (status == BKS_OK && (event.kind == BKS_EVENT_NAMED ||
                                 (event.kind == BKS_EVENT_DESYNC && event.inputs_differ))) {
            status =
                write_one(evidence, writer, session, runner, event.peer, event.tick, event.text);
        }
    }
    for (uint32_t left = evidence->differing; status == BKS_OK && left != 0; left &= left - 1) {
        const uint32_t peer = bksi_lowest_bit(left);
        if (is_last || evidence->log.now - evidence->noticed[peer] > PATIENCE) {
            status = write_one(evidence, writer, session, runner, peer, evidence->ticks[peer],
                               is_last ? "the match ended before it was known what differs"
                                       : "a second passed before it was known what differs");
        }
    }
    return status;
}
