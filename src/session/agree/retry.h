// SPDX-License-Identifier: MIT

/// @file retry.h
/// Time at which an unanswered question is sent to a peer again. Only the functions of this header
/// change session_retry.
///
/// A lost question or answer shows only a round trip later, and the player sees the wrong state
/// meanwhile. So if the line has room, each question is sent twice, far enough apart that one loss
/// rarely takes both copies. On a narrow line a second copy would only delay the answer.

#ifndef BKSI_RETRY_H
#define BKSI_RETRY_H

#include "session/common/common.h"

/// Time between the two copies of a question.
#define TWIN_AFTER_NS (30 * NS_PER_MS)
/// Time that a peer has to look up the answer, in addition to the round trip.
#define LOOK_UP_NS (50 * NS_PER_MS)

/// Share of a narrow line that questions may take: one part in this many.
#define RETRY_SHARE 4u

typedef struct session_retry {
    uint64_t next_ns; ///< time at which the question is sent next
    uint32_t count;   ///< number of times that the question was sent
} session_retry;

/// Begin a new question, to be sent now.
static inline void bksi_retry_begin(session_retry *retry, const session_common *common)
{
    *retry = (session_retry){.next_ns = common->now_ns};
}

static inline bool bksi_retry_is_due(const session_retry *retry, const session_common *common)
{
    return common->now_ns >= retry->next_ns;
}

/// Record that the question was sent to a peer.
/// @param bytes  bytes of the message with the question
static inline void bksi_retry_sent(session_retry *retry, const session_common *common,
                                   uint32_t peer, size_t bytes)
{
    const session_links *links = &common->links;
    const uint64_t trip_ns = (uint64_t)bksi_links_round_trip_ns(links, peer);
    const uint64_t share_ns = RETRY_SHARE * bksi_links_bytes_ns(links, peer, bytes);
    const bool has_twin = share_ns == 0 && retry->count % 2 == 0;
    retry->count++;
    retry->next_ns = common->now_ns + (has_twin ? TWIN_AFTER_NS : trip_ns + LOOK_UP_NS + share_ns);
}

#endif
