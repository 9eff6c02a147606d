// SPDX-License-Identifier: MIT

/// @file asking.h
/// When a question goes to a peer until its answer comes. asking.c alone writes this.

#ifndef BKSI_ASKING_H
#define BKSI_ASKING_H

#include "session/common/common.h"

typedef struct session_asking {
    uint64_t next_ns; ///< when it goes next
    uint32_t count;   ///< how often it went
} session_asking;

/// A new question, which goes now.
static inline void bksi_asking_begin(session_asking *asking, const session_common *common)
{
    *asking = (session_asking){.next_ns = common->now_ns};
}

static inline bool bksi_asking_is_due(const session_asking *asking, const session_common *common)
{
    return common->now_ns >= asking->next_ns;
}

/// It goes to a peer.
/// @param bytes  of its message
void bksi_asking_goes(session_asking *asking, const session_common *common, uint32_t peer,
                      size_t bytes);

#endif
