// SPDX-License-Identifier: MIT

#include "match/entry.h"

#include "base/report.h"
#include "match/system.h"

bks_status bksi_entry_begin(bksi_entry *entry, const char *call)
{
    const intmax_t own = bksi_thread_number();
    intmax_t other = 0;
    if (atomic_compare_exchange_strong(&entry->thread, &other, own)) {
        entry->call = call;
        return BKS_OK;
    }
    if (other == own) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "match",
                         "%s is called within %s of the same match, by its game, a source or its "
                         "transport: call it once that has returned",
                         call, entry->call);
    }
    return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "match",
                     "two threads: thread %jd calls the match while thread %jd is in a call of it; "
                     "it belongs to the thread that opened it",
                     own, other);
}

void bksi_entry_end(bksi_entry *entry)
{
    atomic_store(&entry->thread, 0);
}
