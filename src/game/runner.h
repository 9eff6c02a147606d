// SPDX-License-Identifier: MIT

/// @file runner.h
/// Carries out save, load, step and hash on one running game. Knows nothing of why.

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
    const bks_game *game; ///< passes bks_game_check()
    uint64_t seed;
    uint32_t players;      ///< players_min..players_max
    uint32_t tick_rate_hz; ///< 1..1000
    bks_option_values options;
    uint32_t more_slots;    ///< further ones whatever they take, numbered from bksi_runner_slots()
                            ///< on; 256 at most together
    uint32_t slot_count;    ///< snapshots to keep room for, 0..256
    size_t slots_bytes_max; ///< fewer, but at least 2, where they would take more; 0: no limit
    uint32_t kept_slots;    ///< for bksi_runner_keep(), 0..65535
    bks_workers workers;    ///< of the steps' jobs; a NULL run: in place
    bks_allocator allocator;
} bksi_runner_config;

typedef struct bksi_runner bksi_runner;

/// Make the region (or the game's own object) and run `init`. All memory is taken here.
/// @return BKS_OK, BKS_ERR_BAD_CONFIG, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_runner_create(const bksi_runner_config *config, bksi_runner **out,
                              bks_error *error);
void bksi_runner_destroy(bksi_runner *runner);

/// Run `init` again with this seed, these options and this number of players. The region is made
/// anew when the options ask for another size, so this belongs before the match. Kept slots are
/// lost.
/// @return BKS_OK; BKS_ERR_BAD_CONFIG or BKS_ERR_OUT_OF_MEMORY, and everything stays as it was, but
///         for a game whose `create` fails: only destroy is left then
bks_status bksi_runner_restart(bksi_runner *runner, uint64_t seed, uint32_t players,
                               const bks_option_values *options, bks_error *error);

const bks_start *bksi_runner_start(const bksi_runner *runner);
const bksi_layout *bksi_runner_layout(const bksi_runner *runner);

/// The state as it is now: the region's start or the game's own object. Stays at one address until
/// the next bksi_runner_restart().
void *bksi_runner_state(bksi_runner *runner);

/// Where it lies; NULL for a game without a region. At one address, likewise.
const bksi_region *bksi_runner_region(const bksi_runner *runner);

/// Move a copy of the state by a part of the tick that would come next, for a picture: the game's
/// `extrapolate`, which it must have. What it asks for and reports is not heard.
/// @param inputs  as of a step
void bksi_runner_extrapolate(bksi_runner *runner, void *copy, bks_tick tick, const int32_t *inputs,
                             float share);

/// Step one tick. `inputs` holds players * field_count values within their ranges, valid during the
/// call.
/// @return BKS_OK; BKS_ERR_GAME when the game said it cannot continue, see bksi_runner_problem()
bks_status bksi_runner_step(bksi_runner *runner, bks_tick tick, const int32_t *inputs);

/// Why the last step, save, load, export or import failed. Valid until the next one.
/// @return the text, NULL when it did not
const char *bksi_runner_problem(const bksi_runner *runner);

/// Hash of the state as it is: the game's own, or by pages.
uint64_t bksi_runner_hash(bksi_runner *runner);

/// Snapshots that there is room for, without config.more_slots.
uint32_t bksi_runner_slots(const bksi_runner *runner);

/// Bytes of the state in use; of a game without a region, most that a save takes.
size_t bksi_runner_used_bytes(const bksi_runner *runner);

/// Keep the state in a slot.
/// @return bytes kept, 0 when the game could not save (logged)
size_t bksi_runner_save(bksi_runner *runner, uint32_t slot);
/// Let a slot be the present state as it was exported, without a copy: the bytes must stay until
/// the slot is saved again or will not be loaded any more.
void bksi_runner_borrow(bksi_runner *runner, uint32_t slot, const void *bytes, size_t count);
/// Put back what was saved.
/// @return BKS_OK; BKS_ERR_GAME when the game could not, or nothing was saved (logged): the state
/// is
///         not to be stepped then
bks_status bksi_runner_load(bksi_runner *runner, uint32_t slot);

/// Keep the state, which was hashed last, in one of config.kept_slots.
/// @return false when there is no room, or the game could not save (logged)
bool bksi_runner_keep(bksi_runner *runner, uint32_t slot);
/// What is kept so.
const bksi_kept_pages *bksi_runner_kept(const bksi_runner *runner);

/// Change what is kept in a slot: how many bytes it has; those from an offset on, which lie in it.
/// @return false when there is no room, or the slot is empty
bool bksi_runner_resize_kept(bksi_runner *runner, uint32_t slot, size_t count);
bool bksi_runner_write_kept(bksi_runner *runner, uint32_t slot, size_t offset, const void *bytes,
                            size_t count);

/// Most bytes an exported state takes.
size_t bksi_runner_export_bytes_max(const bksi_runner *runner);
/// The state as bytes that another machine can import: the region's part in use, or the game's
/// save.
/// @return bytes written, 0 when capacity is too small or the game could not
size_t bksi_runner_export(bksi_runner *runner, void *bytes, size_t capacity);
/// What is kept in a slot, in the form of an export. Valid until the slot is saved again.
/// @return the bytes, NULL when saving had failed
const void *bksi_runner_slot(bksi_runner *runner, uint32_t slot, size_t *out_bytes);
/// Whether bytes of this game's state, as they are or as they were kept in a slot, are of use in
/// this process alone: the game says so (bks_game.pointers), or they hold an address in the region.
/// The latter is logged once.
bool bksi_runner_has_pointers(bksi_runner *runner, const void *bytes, size_t count);
/// Whether the state as it is holds an address in its own region, as far as that can be seen
/// (bksi_region_has_pointers()).
bool bksi_runner_points_to_itself(const bksi_runner *runner);
/// Take a state that comes from outside: the one way in for bytes of a file or another machine.
/// They may be hostile: arena and pools are proved, then the game is asked (bks_game.check). When
/// they are damaged a region holds what `init` makes.
/// @param error  may be NULL
/// @return BKS_OK, BKS_ERR_DAMAGED (error has the offset in the bytes, where there is one)
bks_status bksi_runner_import(bksi_runner *runner, const void *bytes, size_t count,
                              bks_error *error);

/// Put back a state that was exported from this runner a moment ago, whatever it is.
/// @return false when the game could not (bksi_runner_problem())
bool bksi_runner_put_back(bksi_runner *runner, const void *bytes, size_t count);

/// Page hashes of the state as it is (0 for a game without a region).
/// @param capacity  at least bksi_pages(bksi_runner_export_bytes_max())
/// @return the number of pages
size_t bksi_runner_page_hashes(bksi_runner *runner, uint64_t *out, size_t capacity);

/// Change one bit, 0..7: a planted fault. Byte `offset` modulo the bytes in use. Regions only.
void bksi_runner_flip(bksi_runner *runner, uint64_t offset, uint32_t bit);

/// A byte to flip that the game survives: of a value in use (bksi_live_byte_draw()); without a map,
/// or where it names none, see bksi_region_draw_offset(). 0 for a game without a region.
/// @param map   NULL: there is none
/// @param draw  any number; the same state and number give the same byte
/// @param bit   of it that will change, 0..7
uint64_t bksi_runner_draw_offset(const bksi_runner *runner, const bks_state_map *map, uint64_t draw,
                                 uint32_t bit);

/// In which floating-point environment the game's calls run from now on; at first
/// BKS_RUNNER_FLOATS_GUARDED.
void bksi_runner_set_floats(bksi_runner *runner, bks_runner_floats floats);

/// What the newest create, init or step changed in it and left so: bits of bks_float_fault.
uint32_t bksi_runner_float_faults(const bksi_runner *runner);

/// The answers from now on; NULL: none. Copied.
void bksi_runner_answer(bksi_runner *runner, const bksi_answers *answers);

/// The collector of cues from now on; NULL: no one listens. It must outlive the steps.
void bksi_runner_collect(bksi_runner *runner, bks_cues *cues);

/// The sink that hears marks and notes now.
bksi_trace_sink bksi_runner_listening(const bksi_runner *runner);

/// Listen to marks and notes from now on; NULL stops. Copied.
void bksi_runner_listen(bksi_runner *runner, const bksi_trace_sink *sink);

#endif
