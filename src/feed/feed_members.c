// SPDX-License-Identifier: MIT

#include "feed/feed_members.h"

#include <string.h>

#include "base/bytes.h"

size_t bksi_feed_members_write(const bksi_feed_members *members, uint8_t *out)
{
    bksi_byte_writer writer = bksi_byte_writer_over(out, BKSI_FEED_MEMBERS_BYTES_MAX);
    bksi_write_u8(&writer, (uint8_t)members->hops);
    bksi_write_u32(&writer, (uint32_t)members->newest);
    for (uint32_t i = 0; i < members->count; i++) {
        const bks_address *address = &members->addresses[i];
        bksi_write_u8(&writer, (uint8_t)address->length);
        bksi_write_bytes(&writer, address->bytes, address->length);
    }
    return writer.at;
}

bool bksi_feed_members_read(bksi_feed_members *members, const uint8_t *bytes, size_t count)
{
    bksi_feed_members read = {0};
    bksi_byte_reader reader = bksi_byte_reader_over(bytes, count);
    read.hops = bksi_read_u8(&reader);
    read.newest = (bks_tick)(bksi_read_u32(&reader) & INT32_MAX);
    while (bksi_byte_reader_left(&reader) > 0 && read.count < BKSI_FEED_MEMBERS_MAX) {
        bks_address *address = &read.addresses[read.count++];
        const uint32_t length = bksi_read_u8(&reader);
        const uint8_t *at = bksi_read_bytes(&reader, length);
        if (at == NULL || length == 0 || length > sizeof(address->bytes)) {
            return false;
        }
        address->length = (uint8_t)length;
        memcpy(address->bytes, at, length);
    }
    if (reader.failed || bksi_byte_reader_left(&reader) > 0) {
        return false;
    }
    *members = read;
    return true;
}

static bool has_member(const bksi_feed_members *members, const bks_address *address)
{
    for (uint32_t i = 0; i < members->count; i++) {
        if (bks_address_equal(&members->addresses[i], address)) {
            return true;
        }
    }
    return false;
}

void bksi_feed_members_add(bksi_feed_members *members, const bksi_feed_members *more)
{
    for (uint32_t i = 0; i < more->count && members->count < BKSI_FEED_MEMBERS_MAX; i++) {
        if (!has_member(members, &more->addresses[i])) {
            members->addresses[members->count++] = more->addresses[i];
        }
    }
}

bool bksi_feed_members_equal(const bksi_feed_members *a, const bksi_feed_members *b)
{
    bool is_same = a->hops == b->hops && a->count == b->count;
    for (uint32_t i = 0; i < a->count && is_same; i++) {
        is_same = bks_address_equal(&a->addresses[i], &b->addresses[i]);
    }
    return is_same;
}

static bool has_asked(const bksi_feed_search *search, const bks_address *address)
{
    for (uint32_t i = 0; i < search->count; i++) {
        if (bks_address_equal(&search->asked[i], address)) {
            return true;
        }
    }
    return false;
}

bool bksi_feed_search_next(bksi_feed_search *search, const bksi_feed_members *members,
                           uint32_t first, bks_address *out)
{
    for (uint32_t i = 0; i < members->count && search->count < BKSI_FEED_ASKED_MAX; i++) {
        const bks_address *address = &members->addresses[(first + i) % members->count];
        if (!has_asked(search, address)) {
            *out = *address;
            bksi_feed_search_asked(search, address);
            return true;
        }
    }
    return false;
}

void bksi_feed_search_asked(bksi_feed_search *search, const bks_address *address)
{
    if (search->count < BKSI_FEED_ASKED_MAX && !has_asked(search, address)) {
        search->asked[search->count++] = *address;
    }
}

void bksi_feed_search_unanswered(bksi_feed_search *search, const bks_address *address)
{
    for (uint32_t i = search->silent; i < search->count; i++) {
        if (bks_address_equal(&search->asked[i], address)) {
            search->asked[i] = search->asked[search->silent];
            search->asked[search->silent++] = *address;
            return;
        }
    }
}

void bksi_feed_search_end(bksi_feed_search *search)
{
    search->is_on = false;
    search->count = search->silent;
}
