// SPDX-License-Identifier: MIT

#include "backstitch/toolkit/state_map.h"
#include "base/report.h"

static const char call[] = "bks_type_entries_check";

enum { NAME_BYTES_MAX = 127 };

static bool is_name(const char *text)
{
    uint32_t length = 0;
    for (; text != NULL && text[length] != '\0'; length++) {
        if (length == NAME_BYTES_MAX || text[length] < 0x20 || text[length] > 0x7E) {
            return false;
        }
    }
    return length > 0;
}

/// Check an entry of a table of types.
/// @return NULL if the entry is right, otherwise what is wrong with it
static const char *fault_of(const bks_type_entry *entry)
{
    const bool has_member = entry->kind == BKS_TYPE_IS_REF || entry->kind == BKS_TYPE_IS_ID ||
                            entry->kind == BKS_TYPE_IS_ENUM || entry->kind == BKS_TYPE_IS_CASE;
    if (entry->kind < BKS_TYPE_IS_ROOT || entry->kind > BKS_TYPE_IS_REST) {
        return "is of no kind";
    }
    if (!is_name(entry->owner) || !is_name(entry->of) || (has_member && !is_name(entry->member))) {
        return "must have names of 1..127 bytes of printable ASCII";
    }
    if (entry->kind != BKS_TYPE_IS_ID && entry->of_bytes == 0) {
        return "has a type of 0 bytes";
    }
    if (!has_member) {
        return NULL;
    }
    if (entry->member_bytes == 0 || entry->member_bytes > entry->owner_bytes) {
        return "has a member that is larger than its struct";
    }
    if (entry->kind == BKS_TYPE_IS_REF && entry->member_bytes % sizeof(bks_ref) != 0) {
        return "has a member that is no bks_ref";
    }
    if (entry->kind == BKS_TYPE_IS_ID && entry->member_bytes % sizeof(bks_id) != 0) {
        return "has a member that is no bks_id";
    }
    return NULL;
}

bks_status bks_type_entries_check(const bks_type_entry *entries, uint32_t count, bks_error *error)
{
    if (count > BKS_TYPE_ENTRIES_MAX || (count > 0 && entries == NULL)) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "type_count",
                         "types is %s with type_count %u, must be 0..%d of them",
                         entries == NULL ? "NULL" : "given", count, BKS_TYPE_ENTRIES_MAX);
    }
    uint32_t roots = 0;
    uint32_t rests = 0;
    for (uint32_t i = 0; i < count; i++) {
        const char *fault = fault_of(&entries[i]);
        roots += entries[i].kind == BKS_TYPE_IS_ROOT;
        rests += entries[i].kind == BKS_TYPE_IS_REST;
        if (fault == NULL && (roots > 1 || rests > 1)) {
            fault = "is a second root or rest, must be one at most";
        }
        if (fault != NULL) {
            const char *owner = is_name(entries[i].owner) ? entries[i].owner : "no name";
            return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "types", "types[%u] (%.63s) %s", i,
                             owner, fault);
        }
    }
    return BKS_OK;
}
