// SPDX-License-Identifier: MIT

/// @file map_refs.h
/// Goes over the references of a state: in the root, in live items, and in the blocks they lead to.

#ifndef BKSI_MAP_REFS_H
#define BKSI_MAP_REFS_H

#include "backstitch/toolkit/state_map.h"
#include "state/arena_scan.h"

/// A reference that leads into the arena, and not to a pool.
typedef struct bksi_map_ref {
    uint64_t begin_bytes; ///< what it leads to, from the state's start
    uint32_t type;        ///< of the elements there, 0: not known
    uint32_t count;       ///< of them, 0: not known
    uint32_t number;      ///< in the order of the walk, from 1; the same in each walk of a state
} bksi_map_ref;

/// A walk over references.
typedef struct bksi_map_refs bksi_map_refs;

/// Visit all references, as many as are worth a name: of each walk as many, in the same order.
/// @param visit  is called for each; `refs` is for bksi_map_refs_name()
void bksi_map_refs_visit(const bks_state_map *map, const bksi_arena_scan *scan,
                         void (*visit)(void *context, const bksi_map_refs *refs,
                                       const bksi_map_ref *ref),
                         void *context);

/// Write the name of the reference that is visited.
void bksi_map_refs_name(const bksi_map_refs *refs, char *name, size_t capacity);

#endif
