// SPDX-License-Identifier: MIT

// Default sink of the log, so that no failure is silent. Lines that a stranger or a loop can cause
// repeatedly must not fill a terminal or a disk: each id prints some lines at once, then one a
// minute.

#include "base/log_stderr.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"

/// Number of lines of one id that are printed without a limit.
#define LINES_AT_ONCE 10u

/// Least time between two printed lines of one id after the first LINES_AT_ONCE, in s.
#define GAP_SECONDS 60

/// Size of the table of counts. Ids with the same index in the table share one limit.
#define PLACES 256u

/// Count of the lines of one id. The fields are atomic, because any thread may log.
typedef struct flood {
    atomic_uint_least32_t lines;
    atomic_uint_least32_t left_out; ///< number of lines left out since the last printed line
    atomic_int_least64_t next_s;    ///< earliest time at which a line may be printed, in s
} flood;

static flood floods[PLACES];

/// Return true if the next line of an id may be printed; otherwise count it as left out.
/// @param left_out  receives the number of lines left out before this one
static bool may_print(flood *f, uint32_t *left_out)
{
    *left_out = 0;
    if (atomic_load(&f->lines) < LINES_AT_ONCE && atomic_fetch_add(&f->lines, 1) < LINES_AT_ONCE) {
        return true;
    }
    int_least64_t now_s = (int_least64_t)time(NULL);
    int_least64_t next_s = atomic_load(&f->next_s);
    if (now_s < next_s ||
        !atomic_compare_exchange_strong(&f->next_s, &next_s, now_s + GAP_SECONDS)) {
        (void)atomic_fetch_add(&f->left_out, 1);
        return false;
    }
    *left_out = atomic_exchange(&f->left_out, 0);
    return true;
}

void bksi_log_stderr(void *context, bks_log_level level, const char *id, const char *text)
{
    (void)context;
    if (level < BKS_LOG_WARNING) {
        return;
    }
    uint32_t left_out = 0;
    if (!may_print(&floods[bksi_hash64(id, strlen(id), 0) % PLACES], &left_out)) {
        return;
    }
    const char *name = level == BKS_LOG_WARNING ? "warning" : "error";
    if (left_out > 0) {
        (void)fprintf(stderr, "backstitch: %s: %s (%s; %" PRIu32 " more of these were left out)\n",
                      name, text, id, left_out);
    } else {
        (void)fprintf(stderr, "backstitch: %s: %s (%s)\n", name, text, id);
    }
}
