// SPDX-License-Identifier: MIT

#include "feed/feed_opinions.h"

#include "base/mutant.h"

/// Time between two packets with a question, and time to wait for an answer.
#define REPEAT_NS   UINT64_C(500000000)
#define PATIENCE_NS UINT64_C(3000000000)

void bksi_feed_opinions_want(bksi_feed_opinions *opinions, bks_tick tick, uint64_t hash,
                             const bks_address *source, uint64_t due_ns)
{
    if (!opinions->is_open) {
        opinions->is_open = true;
        opinions->tick = tick;
        opinions->hash = hash;
        opinions->source = *source;
        opinions->due_ns = due_ns;
        opinions->next_ns = due_ns;
    }
}

static void drop(bksi_feed_opinions *opinions, bksi_guard *guard)
{
    bksi_guard_release(guard, opinions->channel);
    opinions->channel = 0;
    opinions->is_open = false;
}

void bksi_feed_opinions_leave(bksi_feed_opinions *opinions, bksi_guard *guard,
                              const bks_address *member)
{
    if (opinions->channel != 0 && bks_address_equal(&opinions->other, member)) {
        drop(opinions, guard);
    }
}

static bool names(const bksi_feed_members *members, const bks_address *address)
{
    uint32_t at = 0;
    while (at < members->count && !bks_address_equal(&members->addresses[at], address)) {
        at++;
    }
    return at < members->count;
}

static void choose(bksi_feed_opinions *opinions, bksi_guard *guard,
                   const bksi_feed_members *members, const bks_address *source, uint32_t first)
{
    bksi_feed_search_asked(&opinions->search, source);
    opinions->is_open = bksi_feed_search_next(&opinions->search, members, first + opinions->turns++,
                                              &opinions->other);
    bksi_feed_search_end(&opinions->search);
    if (opinions->is_open) {
        opinions->channel = bksi_guard_bind(guard, &opinions->other, NULL, true);
    }
}

/// Try another member next time. One that did not even answer our call is never asked again.
static void give_up(bksi_feed_opinions *opinions, bksi_guard *guard)
{
    if (bksi_guard_answered_ns(guard, opinions->channel) == 0) {
        bksi_feed_search_asked(&opinions->search, &opinions->other);
        bksi_feed_search_unanswered(&opinions->search, &opinions->other);
        bksi_feed_search_end(&opinions->search);
    }
    drop(opinions, guard);
}

void bksi_feed_opinions_update(bksi_feed_opinions *opinions, bksi_guard *guard,
                               const bksi_feed_members *members, const bks_address *source,
                               uint32_t first, uint64_t now_ns)
{
    if (opinions->channel != 0 && !names(members, &opinions->other)) {
        drop(opinions, guard); // after a split it goes on with other inputs
    }
    if (!opinions->is_open || now_ns < opinions->due_ns) {
        return;
    }
    if (now_ns - opinions->due_ns >= PATIENCE_NS) {
        give_up(opinions, guard);
    } else if (opinions->channel == 0) {
        choose(opinions, guard, members, source, first);
    }
}

size_t bksi_feed_opinions_send(bksi_feed_opinions *opinions, bksi_guard *guard, uint64_t seed,
                               bks_address *to, uint8_t *packet, uint64_t now_ns)
{
    if (!opinions->is_open || opinions->channel == 0 || now_ns < opinions->next_ns) {
        return 0;
    }
    uint8_t body[BKSI_FEED_QUESTION_BYTES];
    bksi_byte_writer writer = bksi_byte_writer_over(body, sizeof(body));
    bksi_write_u8(&writer, BKSI_FEED_VERSION);
    bksi_write_u64(&writer, seed);
    bksi_write_u32(&writer, (uint32_t)opinions->tick);
    const size_t count = bksi_feed_send(NULL, guard, opinions->channel, BKSI_FEED_HASH, body,
                                        writer.at, to, packet, now_ns);
    opinions->next_ns = count > 0 ? now_ns + REPEAT_NS : opinions->next_ns;
    return count;
}

void bksi_feed_opinions_take(bksi_feed_opinions *opinions, const bksi_guard_message *message)
{
    bksi_byte_reader reader = bksi_byte_reader_over(message->body, message->body_bytes);
    const uint32_t tick = bksi_read_u32(&reader);
    const uint64_t hash = bksi_read_u64(&reader);
    if (message->type != BKSI_FEED_HASH || message->body_bytes != BKSI_FEED_ANSWER_BYTES ||
        !opinions->is_open || tick != (uint32_t)opinions->tick) {
        return;
    }
    opinions->is_open = false;
    if (opinions->has_news && !opinions->news.agrees) {
        return; // a difference waits until it is taken
    }
    opinions->has_news = true;
    opinions->news = (bksi_feed_opinion){.tick = opinions->tick,
                                         .agrees = (hash == opinions->hash) !=
                                                   bksi_mutated(BKSI_MUTANT_FEED_MISHEARS),
                                         .source = opinions->source,
                                         .other = opinions->other};
}
