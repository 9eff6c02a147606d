// SPDX-License-Identifier: MIT

#include "peer/comparison.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/report.h"

#define PAGE_BYTES ((size_t)BKSI_COMPARE_BLOCK_BYTES << BKSI_COMPARE_RUN_SHIFT)

bks_status bksi_comparison_fit(bksi_comparison *comparison, const bksi_runner *runner,
                               const bks_state_map *map, const bks_allocator *allocator)
{
    const size_t room = bksi_kept_pages_bytes_max(bksi_runner_kept_pages(runner));
    if (comparison->own != NULL && comparison->room == room) {
        return BKS_OK;
    }
    bksi_comparison_destroy(comparison);
    *comparison = (bksi_comparison){.room = room, .allocator = *allocator};
    const bks_game *game = bksi_runner_start(runner)->game;
    comparison->names = (bks_state_names){.map = map != NULL ? map : game->map,
                                          .ranges = game->ranges,
                                          .range_count = game->range_count};
    comparison->own = bksi_alloc(allocator, room, 64);
    comparison->other = bksi_alloc(allocator, room, 64);
    return comparison->own != NULL && comparison->other != NULL ? BKS_OK : BKS_ERR_OUT_OF_MEMORY;
}

void bksi_comparison_destroy(bksi_comparison *comparison)
{
    bksi_free(&comparison->allocator, comparison->own, comparison->room);
    bksi_free(&comparison->allocator, comparison->other, comparison->room);
}

static void hash_parts(bksi_comparison *comparison, const bksi_kept_pages *kept, const bks_op *op,
                       bks_op_result *result)
{
    for (uint32_t i = 0; i < op->look->count * BKSI_COMPARE_RUN; i++) {
        const uint64_t part =
            (uint64_t)op->look->firsts[i / BKSI_COMPARE_RUN] + i % BKSI_COMPARE_RUN;
        comparison->parts[i] =
            (uint32_t)bksi_kept_pages_part(kept, op->keep, op->look->shift, part);
    }
    result->parts = comparison->parts;
}

/// Read a block of a state, with zeros after the end of the state.
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

static void read_blocks(bksi_comparison *comparison, const bksi_kept_pages *kept, const bks_op *op,
                        bks_op_result *result)
{
    for (uint32_t i = 0; i < op->look->count; i++) {
        read_block(kept, op->keep, op->look->firsts[i],
                   comparison->blocks + (size_t)i * BKSI_COMPARE_BLOCK_BYTES);
    }
    result->bytes = comparison->blocks;
}

/// Build the other peer's state from ours, from the blocks received from the peer, and from its
/// size.
/// @return size of the other peer's state
static size_t make_other(bksi_comparison *comparison, size_t own_count, const bks_op *op)
{
    const size_t count =
        op->look->state_bytes < comparison->room ? (size_t)op->look->state_bytes : comparison->room;
    const size_t same = own_count < count ? own_count : count;
    memcpy(comparison->other, comparison->own, same);
    memset(comparison->other + same, 0, count - same);
    for (uint32_t i = 0; i < op->look->count; i++) {
        const uint64_t from = (uint64_t)op->look->firsts[i] * BKSI_COMPARE_BLOCK_BYTES;
        if (from < count) {
            const size_t left = count - (size_t)from;
            memcpy(comparison->other + (size_t)from,
                   op->look->bytes + (size_t)i * BKSI_COMPARE_BLOCK_BYTES,
                   left < BKSI_COMPARE_BLOCK_BYTES ? left : BKSI_COMPARE_BLOCK_BYTES);
        }
    }
    return count;
}

/// Report the difference in size, because nothing else differs.
static void name_size(bksi_comparison *comparison, size_t own_count, uint64_t other_count,
                      bks_op_result *result)
{
    bks_state_difference *found = &comparison->found;
    (void)snprintf(found->values[0], sizeof(found->values[0]), "%zu bytes", own_count);
    (void)snprintf(found->values[1], sizeof(found->values[1]), "%" PRIu64 " bytes", other_count);
    result->object = "(unnamed)";
    result->field = "size";
    result->own_value = found->values[0];
    result->peer_value = found->values[1];
    result->offset_bytes = own_count < other_count ? own_count : other_count;
    result->is_same = own_count == other_count;
}

static void name(bksi_comparison *comparison, const bksi_kept_pages *kept, const bks_op *op,
                 bks_op_result *result)
{
    const size_t own_count = bksi_kept_pages_count(kept, op->keep);
    bksi_kept_pages_read(kept, op->keep, 0, comparison->own, own_count);
    const size_t other_count = make_other(comparison, own_count, op);
    const bks_compared_state own = {comparison->own, own_count, 0};
    const bks_compared_state other = {comparison->other, other_count, 0};
    bks_state_difference *found = &comparison->found;
    if (bks_state_difference_find(&comparison->names, &own, &other, found) != BKS_OK) {
        name_size(comparison, own_count, op->look->state_bytes, result);
        return;
    }
    result->object = found->place.object;
    result->field = found->place.field;
    result->own_value = found->values[0];
    result->peer_value = found->values[1];
    result->offset_bytes = found->place.begin_bytes;
}

/// Return true if kept states may be sent to peers, and states of peers may be received.
static bool are_shown(const bksi_comparison *comparison, const bksi_runner *runner,
                      const bks_op *op)
{
    // Raw pointers have a meaning in this process only.
    return comparison->room > 0 && op->keep != BKS_KEEP_NONE &&
           !bksi_runner_start(runner)->game->pointers &&
           bksi_kept_pages_are_hashed(bksi_runner_kept_pages(runner));
}

static void write_blocks(const bksi_comparison *comparison, bksi_runner *runner, const bks_op *op,
                         bks_op_result *result)
{
    const bks_look *look = op->look;
    const size_t count = (size_t)look->state_bytes;
    if (!are_shown(comparison, runner, op) || look->state_bytes == 0 ||
        look->state_bytes > comparison->room || !bksi_runner_resize_kept(runner, op->keep, count)) {
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

/// Return true if a kept state may be the one with the hash `hash`. If the game has a function
/// `hash` or `save`, the hash is known only once the game has loaded the state, so return true.
static bool may_have_hash(bksi_comparison *comparison, const bksi_runner *runner, uint32_t keep,
                          uint64_t hash)
{
    const bksi_kept_pages *kept = bksi_runner_kept_pages(runner);
    const bks_game *game = bksi_runner_start(runner)->game;
    if (game->hash != NULL || game->save != NULL) {
        return true;
    }
    const size_t count = bksi_kept_pages_count(kept, keep);
    const size_t pages = (count + PAGE_BYTES - 1) / PAGE_BYTES;
    for (size_t i = 0; i < pages; i++) {
        bksi_put_u64(comparison->other + i * sizeof(uint64_t),
                     bksi_kept_pages_part(kept, keep, BKSI_COMPARE_RUN_SHIFT, i));
    }
    return bksi_hash64(comparison->other, pages * sizeof(uint64_t), count) == hash;
}

/// Save the present state in `other`, so that the caller can put it back, and load a kept state if
/// the game accepts it.
/// @param present_bytes  receives the size of the saved state; 0: nothing could be saved or loaded,
///                       so the present state is still in place
/// @return true if the game accepted the kept state
static bool take(bksi_comparison *comparison, bksi_runner *runner, uint32_t keep,
                 size_t *present_bytes)
{
    const bksi_kept_pages *kept = bksi_runner_kept_pages(runner);
    const size_t count = bksi_kept_pages_count(kept, keep);
    *present_bytes =
        count > 0 ? bksi_runner_export(runner, comparison->other, comparison->room) : 0;
    if (*present_bytes == 0) {
        return false;
    }
    bksi_kept_pages_read(kept, keep, 0, comparison->own, count);
    return bksi_runner_import(runner, comparison->own, count, &comparison->problem) == BKS_OK;
}

void bksi_comparison_restore(bksi_comparison *comparison, bksi_runner *runner, const bks_op *op,
                             bks_op_result *result)
{
    comparison->problem = (bks_error){0};
    if (!are_shown(comparison, runner, op) ||
        !may_have_hash(comparison, runner, op->keep, op->look->hash)) {
        return;
    }
    size_t present = 0;
    if (take(comparison, runner, op->keep, &present) &&
        bksi_runner_hash(runner) == op->look->hash) {
        result->state_bytes = bksi_kept_pages_count(bksi_runner_kept_pages(runner), op->keep);
    } else if (present > 0 && !bksi_runner_put_back(runner, comparison->other, present)) {
        result->problem = comparison->problem.text;
    }
}

void bksi_comparison_check(bksi_comparison *comparison, bksi_runner *runner, const bks_op *op,
                           bks_op_result *result)
{
    comparison->problem = (bks_error){0};
    if (!are_shown(comparison, runner, op)) {
        return;
    }
    size_t present = 0;
    if (take(comparison, runner, op->keep, &present)) {
        result->state_bytes = bksi_kept_pages_count(bksi_runner_kept_pages(runner), op->keep);
    } else if (present > 0) {
        bksi_log(BKS_LOG_WARNING, "peer.check",
                 "the game does not accept our own state of tick %d: %s", (int)op->tick,
                 comparison->problem.text);
    }
    if (present > 0 && !bksi_runner_put_back(runner, comparison->other, present)) {
        result->problem = bksi_runner_problem(runner);
    }
}

void bksi_comparison_carry_out(bksi_comparison *comparison, bksi_runner *runner, const bks_op *op,
                               bks_op_result *result)
{
    const bksi_kept_pages *kept = bksi_runner_kept_pages(runner);
    if (op->kind == BKS_OP_WRITE) {
        write_blocks(comparison, runner, op, result);
        return;
    }
    result->state_bytes =
        are_shown(comparison, runner, op) ? bksi_kept_pages_count(kept, op->keep) : 0;
    if (result->state_bytes == 0) {
        return;
    }
    if (op->kind == BKS_OP_PARTS) {
        hash_parts(comparison, kept, op, result);
    } else if (op->kind == BKS_OP_READ) {
        read_blocks(comparison, kept, op, result);
    } else {
        name(comparison, kept, op, result);
    }
}
