// SPDX-License-Identifier: MIT

/// @file runner.h
/// The runner carries out save, load, step and hash on one running game. It does not know why they
/// are asked for.

#ifndef BKSI_RUNNER_H
#define BKSI_RUNNER_H

#include "backstitch/game.h"
#include "backstitch/present.h"
#include "backstitch/toolkit/runner.h"
#include "backstitch/toolkit/state_map.h"
#include "game/listener.h"
#include "input/layout.h"
#include "state/kept_pages.h"
#include "state/snapshot.h"

typedef struct bksi_runner_config {
    const bks_game *game; ///< the game, which has passed bks_game_check()
    uint64_t seed;
    uint32_t players;      ///< number of players: players_min..players_max of the game
    uint32_t tick_rate_hz; ///< ticks a second, 1..1000
    bks_option_values options;
    /// Number of additional slots, which slots_bytes_max does not limit. Their numbers begin at
    /// bksi_runner_slots(). slot_count and more_slots together are at most 256.
    uint32_t more_slots;
    uint32_t slot_count; ///< number of snapshots, 0..256
    /// Limit of the snapshots' memory; it may reduce slot_count, but not below 2; 0: no limit.
    size_t slots_bytes_max;
    uint32_t kept_slots; ///< number of slots for bksi_runner_keep(), 0..65535
    /// Run no `init` now: until bksi_runner_restart() the region holds zeros, or there is no
    /// object.
    bool has_no_state;
    bks_workers workers; ///< workers for jobs of the steps; if `run` is NULL, jobs run in place
    bks_allocator allocator;
} bksi_runner_config;

typedef struct bksi_runner bksi_runner;

/// Create the region (or the game's own object) and run `init`, unless `has_no_state` is set. All
/// memory is allocated here.
/// @return BKS_OK, BKS_ERR_BAD_CONFIG, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_runner_create(const bksi_runner_config *config, bksi_runner **out,
                              bks_error *error);
void bksi_runner_destroy(bksi_runner *runner);

/// Run `init`, or run it again, with this seed, these options and this number of players. The
/// region is allocated again if the options need another size, so call this before the match. Kept
/// slots are lost.
/// @return BKS_OK; BKS_ERR_BAD_CONFIG or BKS_ERR_OUT_OF_MEMORY: nothing has changed, unless a
///          game's `create` failed; then the runner can only be destroyed
bks_status bksi_runner_restart(bksi_runner *runner, uint64_t seed, uint32_t players,
                               const bks_option_values *options, bks_error *error);

const bks_start *bksi_runner_start(const bksi_runner *runner);
const bksi_layout *bksi_runner_layout(const bksi_runner *runner);

/// Return the present state: the start of the region, or the object of a game that manages its own
/// state. The address is constant until the next bksi_runner_restart().
void *bksi_runner_state(bksi_runner *runner);

/// Return the region, NULL for a game without one. The address of the region is constant.
const bksi_region *bksi_runner_region(const bksi_runner *runner);

/// Advance a copy of the state by a part of the next tick, for a picture. The game must have
/// `extrapolate`; questions, marks, notes and cues of that call are ignored.
/// @param inputs  inputs, in the form that bksi_runner_step() takes
void bksi_runner_extrapolate(bksi_runner *runner, void *copy, bks_tick tick, const int32_t *inputs,
                             float share);

/// Step one tick. `inputs` holds players * field_count values within their ranges, valid during the
/// call.
/// @return BKS_OK; BKS_ERR_GAME if the game cannot continue, see bksi_runner_problem()
bks_status bksi_runner_step(bksi_runner *runner, bks_tick tick, const int32_t *inputs);

/// Set the commands of the next step. They apply to that step only: call this again for another.
/// @param commands  an entry for each player, must be valid until that step is done; NULL: none
void bksi_runner_commands(bksi_runner *runner, const bks_commands *commands);

/// Return why the last step, save, load, export or import failed. The text is valid until the next
/// call of one of these.
/// @return the text, NULL if the call did not fail
const char *bksi_runner_problem(const bksi_runner *runner);

/// Hash the present state, by the game's own hash function or by pages.
uint64_t bksi_runner_hash(bksi_runner *runner);

/// Return the number of snapshots, without config.more_slots.
uint32_t bksi_runner_slots(const bksi_runner *runner);

/// Return the bytes of the state in use; for a game without a region, the most that a save takes.
size_t bksi_runner_used_bytes(const bksi_runner *runner);

/// Save the state to a snapshot slot.
/// @return bytes saved, 0 if the game could not save (logged)
size_t bksi_runner_save(bksi_runner *runner, uint32_t slot);
/// Let a slot refer to the bytes of an exported state, without a copy. The bytes must stay
/// valid as long as the slot may be loaded, or until it is saved again.
void bksi_runner_borrow(bksi_runner *runner, uint32_t slot, const void *bytes, size_t count);
/// Load a snapshot slot.
/// @return BKS_OK; BKS_ERR_GAME if the game could not load, or the slot is empty (logged). After an
///         error the state must not be stepped.
bks_status bksi_runner_load(bksi_runner *runner, uint32_t slot);

/// Keep the present state in one of config.kept_slots. Call bksi_runner_hash() on the state first.
/// @return false if there is no room, or the game could not save (logged)
bool bksi_runner_keep(bksi_runner *runner, uint32_t slot);
/// Return the kept states.
const bksi_kept_pages *bksi_runner_kept_pages(const bksi_runner *runner);

/// Change a kept state: set its size, or overwrite bytes from an offset on.
/// @return false if there is no room, or the slot is empty
bool bksi_runner_resize_kept(bksi_runner *runner, uint32_t slot, size_t count);
bool bksi_runner_write_kept(bksi_runner *runner, uint32_t slot, size_t offset, const void *bytes,
                            size_t count);

/// Return the most bytes of an exported state.
size_t bksi_runner_export_bytes_max(const bksi_runner *runner);
/// Ask the game for the most bytes of an exported state with other values than the present ones.
/// @return BKS_OK, BKS_ERR_BAD_CONFIG
bks_status bksi_runner_ask_bytes_max(const bksi_runner *runner, uint64_t seed, uint32_t players,
                                     const bks_option_values *options, size_t *out_bytes,
                                     bks_error *error);
/// Export the state as bytes that another machine can import: the used part of the region, or the
/// game's save.
/// @return bytes written, 0 if capacity is too small or the game could not save
size_t bksi_runner_export(bksi_runner *runner, void *bytes, size_t capacity);
/// Return the content of a slot, in the form of an export. The content is valid until the slot is
/// saved again.
/// @return the bytes, NULL if the game could not save to this slot
const void *bksi_runner_slot(bksi_runner *runner, uint32_t slot, size_t *out_bytes);
/// Return true if bytes of this game's state are valid in this process only: because the game says
/// so (bks_game.pointers), or because the bytes hold an address in the region, which is logged
/// once.
bool bksi_runner_has_pointers(bksi_runner *runner, const void *bytes, size_t count);
/// Return true if the present state holds an address in its own region, as far as
/// bksi_region_has_pointers() can tell.
bool bksi_runner_points_to_itself(const bksi_runner *runner);
/// Import a state from outside. Every state from a file or another machine passes through this
/// call, and may be hostile: arena and pools are verified, then the game checks the state
/// (bks_game.check). If the bytes are damaged, the state becomes that of `init`, for a game with a
/// region.
/// @param error  may be NULL
/// @return BKS_OK, BKS_ERR_DAMAGED (error has the offset in the bytes, if known)
bks_status bksi_runner_import(bksi_runner *runner, const void *bytes, size_t count,
                              bks_error *error);

/// Restore a state that was exported from this runner a moment ago, unchecked.
/// @return false if the game could not load the state (bksi_runner_problem())
bool bksi_runner_put_back(bksi_runner *runner, const void *bytes, size_t count);

/// Compute the page hashes of the present state; none for a game without a region.
/// @param capacity  at least bksi_pages(bksi_runner_export_bytes_max())
/// @return number of pages
size_t bksi_runner_page_hashes(bksi_runner *runner, uint64_t *out, size_t capacity);

/// Change one bit of the state as a planted fault. The game must have a region.
/// @param offset  offset of the byte, taken modulo the bytes in use
/// @param bit     bit of the byte, 0..7
void bksi_runner_flip(bksi_runner *runner, uint64_t offset, uint32_t bit);

/// Draw a byte for a planted fault that the game survives. With a map it is a byte of a value in
/// use (bksi_live_byte_draw()). Without a map, or without such a value, bksi_region_draw_offset()
/// draws it.
/// @return the byte's offset; 0 for a game without a region
/// @param map   may be NULL
/// @param draw  any number; the same state and number give the same byte
/// @param bit   bit that will change, 0..7
uint64_t bksi_runner_draw_offset(const bksi_runner *runner, const bks_state_map *map, uint64_t draw,
                                 uint32_t bit);

/// Set the floating-point environment of the game's calls; at first it is
/// BKS_RUNNER_FLOATS_GUARDED.
void bksi_runner_set_floats(bksi_runner *runner, bks_runner_floats floats);

/// Return the changes that the newest create, init or step left in the floating-point environment,
/// as bits of bks_float_fault.
uint32_t bksi_runner_float_faults(const bksi_runner *runner);

/// Set the source of answers; NULL: none. The struct is copied.
void bksi_runner_answer(bksi_runner *runner, const bksi_answers *answers);

/// Set the collector of cues; NULL: none. The collector must outlive the steps.
void bksi_runner_collect(bksi_runner *runner, bks_cues *cues);

/// Return the present sink of marks and notes.
bksi_trace_sink bksi_runner_listening(const bksi_runner *runner);

/// Set the sink of marks and notes; NULL: none. The struct is copied.
void bksi_runner_listen(bksi_runner *runner, const bksi_trace_sink *sink);

#endif
