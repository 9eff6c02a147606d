// SPDX-License-Identifier: MIT

/// @file play_net.h
/// How a match of `bks play` reaches the others: over UDP, over UDP with planted faults, or without
/// a network.

#ifndef BKS_TOOL_PLAY_NET_H
#define BKS_TOOL_PLAY_NET_H

#include "backstitch/match.h"

/// Set-up of the network. Start from {0}.
typedef struct play_net_config {
    bool is_alone;          ///< all seats are here: no network
    const char *bind;       ///< host: "[ADDR:]PORT"; NULL: any port
    const char *invitation; ///< guest; NULL hosts
    const char *link;       ///< SPEC for packets out and in, NULL: none
    const char *link_out;   ///< SPEC for packets out alone, NULL: none
    bool may_change;        ///< the link may become worse or better: play_net_change()
    uint64_t seed;          ///< seed of the emulated link
} play_net_config;

/// A way to the others. Opaque.
typedef struct play_net play_net;

/// Open it; errors go to stderr.
/// @param config  copied; its texts must outlive the net
/// @param match   receives what the match must know of it
/// @return TOOL_OK, TOOL_MISUSE, TOOL_NO when the system refuses
/// Owned by the caller; release with play_net_close() after the match.
int play_net_open(const play_net_config *config, bks_match_config *match, play_net **out);

/// Release it. NULL is allowed.
void play_net_close(play_net *net);

/// Return the invitation for others; "" for a guest or a match without network.
const char *play_net_invitation(const play_net *net, const bks_match *match);

/// Sleep until the match has something to do, at most until a time.
void play_net_wait(play_net *net, bks_match *match, uint64_t until_ns);

/// Return true if there is an emulated link, so that play_net_change() may be called.
bool play_net_can_change(const play_net *net);

/// Make the link another one, in both directions; where link_out alone was given, out. Where
/// play_net_can_change().
/// @param context  the net
/// @param link     SPEC
/// @return whether it can be read
bool play_net_change(void *context, const char *link);

/// The SPEC of what play_net_change() makes another one, as it is, "perfect" without any.
/// @param context  the net
const char *play_net_link(void *context);

/// How often the link's faults fired.
/// @param names, counts  receive up to `capacity` of them
/// @return how many there are
uint32_t play_net_faults(const play_net *net, const char **names, uint64_t *counts,
                         uint32_t capacity);

#endif
