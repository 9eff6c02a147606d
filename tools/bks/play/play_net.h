// SPDX-License-Identifier: MIT

/// @file play_net.h
/// Network of a match of `bks play`: UDP, UDP with planted faults, or none.

#ifndef BKS_TOOL_PLAY_NET_H
#define BKS_TOOL_PLAY_NET_H

#include "backstitch/match.h"

/// Set-up of the network. Start from {0}.
typedef struct play_net_config {
    bool is_alone;          ///< true: all seats are at this machine, so no network is needed
    const char *bind;       ///< host: address to listen on, as `[ADDR:]PORT`; NULL: any port
    const char *invitation; ///< guest: invitation of the match; NULL: this machine hosts
    const char *link;     ///< SPEC of the emulated link for packets in both directions, NULL: none
    const char *link_out; ///< SPEC of the emulated link for outgoing packets only, NULL: none
    bool may_change;      ///< true: play_net_change() is allowed to change the link
    uint64_t seed;        ///< seed of the emulated link
} play_net_config;

/// Network of a match. Opaque.
typedef struct play_net play_net;

/// Open the network of a match. Errors go to stderr.
/// @param config  copied; its texts must outlive the net
/// @param match   receives the settings of the network
/// @return TOOL_OK, TOOL_MISUSE, TOOL_NO if the system refuses
/// Owned by the caller; release with play_net_close() after the match.
int play_net_open(const play_net_config *config, bks_match_config *match, play_net **out);

/// Release a network. NULL is allowed.
void play_net_close(play_net *net);

/// Return the invitation for other players; "" for a guest or a match without network.
const char *play_net_invitation(const play_net *net, const bks_match *match);

/// Sleep until the match has something to do, at most until a time.
void play_net_wait(play_net *net, bks_match *match, uint64_t until_ns);

/// Return true if the network has an emulated link, so that play_net_change() may be called.
bool play_net_can_change(const play_net *net);

/// Replace the emulated link in both directions, or of outgoing packets if only link_out was given.
/// play_net_can_change() must be true.
/// @param context  the net
/// @param link     SPEC of the new link
/// @return false if the SPEC cannot be read
bool play_net_change(void *context, const char *link);

/// Return the SPEC of the link that play_net_change() replaces, "perfect" if there is none.
/// @param context  the net
const char *play_net_link(void *context);

/// Count how often each fault of the link fired.
/// @param names, counts  receive the names and counts of up to `capacity` faults
/// @return the number of faults
uint32_t play_net_faults(const play_net *net, const char **names, uint64_t *counts,
                         uint32_t capacity);

#endif
