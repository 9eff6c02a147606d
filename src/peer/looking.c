// SPDX-License-Identifier: MIT

#include "peer/looking.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/report.h"

#define PAGE_BYTES ((size_t)BKSI_COMPARE_BLOCK_BYTES << BKSI_COMPARE_RUN_SHIFT)

bks_status bksi_looking_fit(bksi_looking *looking, const bksi_runner *runner,
                            const bks_state_map *map, const bks_allocator *allocator)
{
    const size_t room = bksi_kept_pages_bytes_max(bksi_runner_kept(runner));
    if (looking->own != NULL && looking->room == room) {
        return BKS_OK;
    }
    bksi_looking_destroy(looking);
    *looking = (bksi_looking){.room = room, .allocator = *allocator};
    const bks_game *game = bksi_runner_start(runner)->game;
    looking->names = (bks_state_names){.map = map != NULL ? map : game->map,
                                       .ranges = game->ranges,
                                       .range_count = game->range_count};
    looking->own = bksi_alloc(allocator, room, 64);
    looking->other = bksi_alloc(allocator, room, 64);
    return looking->own != NULL && looking->other != NULL ? BKS_OK : BKS_ERR_OUT_OF_MEMORY;
}

void bksi_looking_destroy(bksi_looking *looking)
{
    bksi_free(&looking->allocator, looking->own, looking->room);
    bksi_free(&looking->allocator, looking->other, looking->room);
}

static void hash_parts(bksi_looking *looking, const bksi_kept_pages *kept, const bks_op *op,
                       bks_op_result *result)
{
    for (uint32_t i = 0; i < op->look->count * BKSI_COMPARE_RUN; i++) {
        const uint64_t part =
            (uint64_t)op->look->firsts[i / BKSI_COMPARE_RUN] + i % BKSI_COMPARE_RUN;
        looking->parts[i] = (uint32_t)bksi_kept_pages_part(kept, op->keep, op->look->shift, part);
    }
    result->parts = looking->parts;
}

/// Read a block of a state, with zeros behind its end.
static void read_block(const bksi_kept_pages *kept, uint32_t slot, uint32_t block, uint8_t *out)
{
    const size_t count = bksi_kept_pages_count(kept, slot);
    const uint64_t from = (uint64_t)block * BKSI_COMPARE_BLOCK_BYTES;
    memset(out, 0, BKSI_COMPARE_BLOCK_BYTES);
    if (from < count) {
        const size_t left = count - (size_t)from;
        bksi_kept_pages_read(kept, slot, (size_t)from, out,
                             left < BKSI_COMPARE_BLOCK_BYTES ? left : BKSI_COMPARE_BLOCK_BYTES);
    }
}

static void read_blocks(bksi_looking *looking, const bksi_kept_pages *kept, const bks_op *op,
                        bks_op_result *result)
{
    for (uint32_t i = 0; i < op->look->count; i++) {
        read_block(kept, op->keep, op->look->firsts[i],
                   looking->blocks + (size_t)i * BKSI_COMPARE_BLOCK_BYTES);
    }
    result->bytes = looking->blocks;
}

/// Build the other peer's state from ours, the blocks received of it, and its size.
/// @return its size
static size_t make_other(bksi_looking *looking, size_t own_count, const bks_op *op)
{
    const size_t count =
        op->look->state_bytes < looking->room ? (size_t)op->look->state_bytes : looking->room;
    const size_t same = own_count < count ? own_count : count;
    memcpy(looking->other, looking->own, same);
    memset(looking->other + same, 0, count - same);
    for (uint32_t i = 0; i < op->look->count; i++) {
        const uint64_t from = (uint64_t)op->look->firsts[i] * BKSI_COMPARE_BLOCK_BYTES;
        if (from < count) {
            const size_t left = count - (size_t)from;
            memcpy(looking->other + (size_t)from,
                   op->look->bytes + (size_t)i * BKSI_COMPARE_BLOCK_BYTES,
                   left < BKSI_COMPARE_BLOCK_BYTES ? left : BKSI_COMPARE_BLOCK_BYTES);
        }
    }
    return count;
}

/// Report a difference of size if nothing else differs.
static void name_size(bksi_looking *looking, size_t own_count, uint64_t other_count,
                      bks_op_result *result)
{
    bks_state_difference *found = &looking->found;
    (void)snprintf(found->values[0], sizeof(found->values[0]), "%zu bytes", own_count);
    (void)snprintf(found->values[1], sizeof(found->values[1]), "%" PRIu64 " bytes", other_count);
    result->object = "(unnamed)";
    result->field = "size";
    result->own_value = found->values[0];
    result->peer_value = found->values[1];
    result->offset_bytes = own_count < other_count ? own_count : other_count;
    result->is_same = own_count == other_count;
}

static void name(bksi_looking *looking, const bksi_kept_pages *kept, const bks_op *op,
                 bks_op_result *result)
{
    const size_t own_count = bksi_kept_pages_count(kept, op->keep);
    bksi_kept_pages_read(kept, op->keep, 0, looking->own, own_count);
    const size_t other_count = make_other(looking, own_count, op);
    const bks_compared_state own = {looking->own, own_count, 0};
    const bks_compared_state other = {looking->other, other_count, 0};
    bks_state_difference *found = &looking->found;
    if (bks_state_difference_find(&looking->names, &own, &other, found) != BKS_OK) {
        name_size(looking, own_count, op->look->state_bytes, result);
        return;
    }
    result->object = found->place.object;
    result->field = found->place.field;
    result->own_value = found->values[0];
    result->peer_value = found->values[1];
    result->offset_bytes = found->place.begin_bytes;
}

/// Return true if kept states may be sent to others, and theirs received.
static bool are_shown(const bksi_looking *looking, const bksi_runner *runner, const bks_op *op)
{
    // Raw pointers have a meaning in this process only.
    return looking->room > 0 && op->keep != BKS_KEEP_NONE &&
           !bksi_runner_start(runner)->game->pointers &&
           bksi_kept_pages_are_hashed(bksi_runner_kept(runner));
}

static void write_blocks(const bksi_looking *looking, bksi_runner *runner, const bks_op *op,
                         bks_op_result *result)
{
    const bks_look *look = op->look;
    const size_t count = (size_t)look->state_bytes;
    if (!are_shown(looking, runner, op) || look->state_bytes == 0 ||
        look->state_bytes > looking->room || !bksi_runner_resize_kept(runner, op->keep, count)) {
        return;
    }
    for (uint32_t i = 0; i < look->count; i++) {
        const uint64_t from = (uint64_t)look->firsts[i] * BKSI_COMPARE_BLOCK_BYTES;
        if (from >= count) {
            continue;
        }
        const size_t left = count - (size_t)from;
        if (!bksi_runner_write_kept(
                runner, op->keep, (size_t)from, look->bytes + (size_t)i * BKSI_COMPARE_BLOCK_BYTES,
                left < BKSI_COMPARE_BLOCK_BYTES ? left : BKSI_COMPARE_BLOCK_BYTES)) {
            return;
        }
    }
    result->state_bytes = count;
}

/// Return true if a kept state may have a hash. A game's own hash is known only once the game has
/// loaded the state.
static bool may_have_hash(bksi_looking *looking, const bksi_runner *runner, uint32_t keep,
                          uint64_t hash)
{
    const bksi_kept_pages *kept = bksi_runner_kept(runner);
    const bks_game *game = bksi_runner_start(runner)->game;
    if (game->hash != NULL || game->save != NULL) {
        return true;
    }
    const size_t count = bksi_kept_pages_count(kept, keep);
    const size_t pages = (count + PAGE_BYTES - 1) / PAGE_BYTES;
    for (size_t i = 0; i < pages; i++) {
        bksi_put_u64(looking->other + i * sizeof(uint64_t),
                     bksi_kept_pages_part(kept, keep, BKSI_COMPARE_RUN_SHIFT, i));
    }
    return bksi_hash64(looking->other, pages * sizeof(uint64_t), count) == hash;
}

/// Load a kept state, if the game accepts it.
/// @param present_bytes  size of the state before, saved in `other`; 0: it is still loaded
/// @return true if the game accepted it
static bool take(bksi_looking *looking, bksi_runner *runner, uint32_t keep, size_t *present_bytes)
{
    const bksi_kept_pages *kept = bksi_runner_kept(runner);
    const size_t count = bksi_kept_pages_count(kept, keep);
    *present_bytes = count > 0 ? bksi_runner_export(runner, looking->other, looking->room) : 0;
    if (*present_bytes == 0) {
        return false;
    }
    bksi_kept_pages_read(kept, keep, 0, looking->own, count);
    return bksi_runner_import(runner, looking->own, count, &looking->problem) == BKS_OK;
}

void bksi_looking_restore(bksi_looking *looking, bksi_runner *runner, const bks_op *op,
                          bks_op_result *result)
{
    looking->problem = (bks_error){0};
    if (!are_shown(looking, runner, op) ||
        !may_have_hash(looking, runner, op->keep, op->look->hash)) {
        return;
    }
    size_t present = 0;
    if (take(looking, runner, op->keep, &present) && bksi_runner_hash(runner) == op->look->hash) {
        result->state_bytes = bksi_kept_pages_count(bksi_runner_kept(runner), op->keep);
    } else if (present > 0 && !bksi_runner_put_back(runner, looking->other, present)) {
        result->problem = looking->problem.text;
    }
}

void bksi_looking_check(bksi_looking *looking, bksi_runner *runner, const bks_op *op,
                        bks_op_result *result)
{
    looking->problem = (bks_error){0};
    if (!are_shown(looking, runner, op)) {
        return;
    }
    size_t present = 0;
    if (take(looking, runner, op->keep, &present)) {
        result->state_bytes = bksi_kept_pages_count(bksi_runner_kept(runner), op->keep);
    } else if (present > 0) {
        bksi_log(BKS_LOG_WARNING, "peer.check", "our own state of tick %d is none for its game: %s",
                 (int)op->tick, looking->problem.text);
    }
    if (present > 0 && !bksi_runner_put_back(runner, looking->other, present)) {
        result->problem = bksi_runner_problem(runner);
    }
}

void bksi_looking_carry_out(bksi_looking *looking, bksi_runner *runner, const bks_op *op,
                            bks_op_result *result)
{
    const bksi_kept_pages *kept = bksi_runner_kept(runner);
    if (op->kind == BKS_OP_WRITE) {
        write_blocks(looking, runner, op, result);
        return;
    }
    result->state_bytes =
        are_shown(looking, runner, op) ? bksi_kept_pages_count(kept, op->keep) : 0;
    if (result->state_bytes == 0) {
        return;
    }
    if (op->kind == BKS_OP_PARTS) {
        hash_parts(looking, kept, op, result);
    } else if (op->kind == BKS_OP_READ) {
        read_blocks(looking, kept, op, result);
    } else {
        name(looking, kept, op, result);
    }
}
