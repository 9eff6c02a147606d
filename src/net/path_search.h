// SPDX-License-Identifier: MIT

/// @file path_search.h
/// The best way to a peer, by what is known of who hears whom.

#ifndef BKSI_PATH_SEARCH_H
#define BKSI_PATH_SEARCH_H

#include "net/path_state.h"

/// Whether a peer's own word says how it is now.
bool bksi_paths_is_fresh(const bksi_paths *paths, uint32_t peer);
/// The best path that has not failed of late; of those that all failed the first, and the one in
/// use where all are denied.
void bksi_paths_search(const bksi_paths *paths, uint32_t target, bksi_route *route);
/// The best path that has not failed of late and whose worst hop is surer than that of the path in
/// use.
bool bksi_paths_search_surer(const bksi_paths *paths, uint32_t target, bksi_route *route);
/// Whether all other paths that have not failed of late have a hop that is less sure than those of
/// the path in use.
bool bksi_paths_is_surest(const bksi_paths *paths, uint32_t target);
/// The best way with fewer carriers, but some, all of whose hops are certain.
bool bksi_paths_search_shorter(const bksi_paths *paths, uint32_t target, bksi_route *route);
/// Whether a hop of a way is denied by the peer that should hear it.
bool bksi_paths_is_denied(const bksi_paths *paths, uint32_t target, const bksi_route *route);

#endif
