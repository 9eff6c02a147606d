// SPDX-License-Identifier: MIT

// Reads any bytes as a table of votes, as a game may ship it. The table is accepted or refused, and
// guesses with an accepted one stay within the bits of their field.

#include <stdlib.h>
#include <string.h>

#include "input/votes.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static const bks_field fields[] = {
    {.name = "fire", .bits = 1, .predictor = BKS_PREDICT_VOTE},
    {.name = "x", .bits = 7, .is_signed = true, .kind = BKS_FIELD_STICK_X},
    {.name = "y", .bits = 7, .is_signed = true, .kind = BKS_FIELD_STICK_Y},
};

static void must(bool condition)
{
    if (!condition) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static bksi_layout layout;
    static bksi_votes votes;
    const bks_allocator libc = {0};
    if (votes.entries == NULL) {
        must(bksi_layout_init(&layout, fields, 3, NULL) == BKS_OK);
        must(bksi_votes_create(&votes, &layout, true, &libc) == BKS_OK);
    }
    bks_status status = bksi_votes_read(&votes, bytes, count, NULL);
    if (status == BKS_OK) {
        // Writing leaves out contexts that were seen once, so the table does not grow.
        must(bksi_votes_write(&votes, NULL, 0) <= count);
    } else {
        must(status == BKS_ERR_DAMAGED || status == BKS_ERR_UNSUPPORTED);
        must(bksi_votes_write(&votes, NULL, 0) == 20);
    }
    uint8_t packed[2] = {0};
    for (uint32_t i = 0; i < votes.unit_count; i++) {
        bksi_unit_past past = {0};
        for (uint32_t k = 0; k < 16; k++) {
            uint32_t value = bksi_votes_guess(&votes, i, &past);
            bksi_unit_write(&votes.units[i], value, packed);
            bksi_unit_past_push(&past, bksi_unit_read(&votes.units[i], packed));
            bksi_votes_learn(&votes, i, &past, count > k ? bytes[count - 1 - k] & 1u : 0);
        }
    }
    return 0;
}
