// SPDX-License-Identifier: MIT

// Public calls of the streams of bytes that run beside the match.

#include "base/report.h"
#include "session/session_internal.h"

/// Find the first argument that is NULL but must not be.
/// @return its name; NULL: all arguments are fine
static const char *missing(const bks_session *session, const void *bytes, size_t count,
                           const size_t *out_count)
{
    return session == NULL               ? "session"
           : bytes == NULL && count != 0 ? "bytes"
           : out_count == NULL           ? "out_count"
                                         : NULL;
}

bks_status bks_session_bulk_write(bks_session *session, uint32_t peer, const void *bytes,
                                  size_t count, size_t *out_count)
{
    const char *null = missing(session, bytes, count, out_count);
    if (null != NULL) {
        return bksi_fail_null(NULL, "bks_session_bulk_write", null);
    }
    return bksi_bulk_streams_append(&session->bulk, &session->common, peer, bytes, count,
                                    out_count);
}

bks_status bks_session_bulk_read(bks_session *session, uint32_t peer, void *bytes, size_t capacity,
                                 size_t *out_count)
{
    const char *null = missing(session, bytes, capacity, out_count);
    if (null != NULL) {
        return bksi_fail_null(NULL, "bks_session_bulk_read", null);
    }
    return bksi_bulk_streams_take(&session->bulk, &session->common, peer, bytes, capacity,
                                  out_count);
}

uint64_t bks_session_bulk_pending(const bks_session *session, uint32_t peer)
{
    BKSI_REFUSE_NULL_OR(0, session);
    return bksi_bulk_streams_pending(&session->bulk, &session->common, peer);
}
