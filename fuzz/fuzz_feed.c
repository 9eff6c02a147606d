// SPDX-License-Identifier: MIT

// One end of a feed has the key and lies. The first byte of the input chooses the other end:
//   even: a watcher. The rest is what the source writes to its stream; then the recording that the
//         watcher made of it is opened as a growing one.
//   odd:  a source. The rest are messages: a type, a size, and so many bytes.
//   255:  a watcher that continues a recording. The rest are records: a type, a size, and so many
//         bytes.
// Whatever is said, the watcher's recording stays within its limit, and the source keeps no more
// watchers than it has places for.

#include <stdlib.h>
#include <string.h>

#include "backstitch/replay.h"
#include "base/memory.h"
#include "feed/feed_end.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

#define BYTES_MAX ((size_t)1 << 16)
#define MS        UINT64_C(1000000)

static const uint8_t key[BKS_KEY_BYTES] = {7};

static void must(bool condition)
{
    if (!condition) {
        abort();
    }
}

static void open_recording(const bksi_feed_receiver *receiver)
{
    const bks_replay_piece piece = {.bytes = receiver->bytes, .count = receiver->count};
    bks_replay *replay = NULL;
    if (receiver->count > 0) {
        (void)!bks_replay_open_growing(&piece, 1, NULL, &replay, NULL);
    }
    bks_replay_close(replay);
}

static void lie_to_watcher(const uint8_t *bytes, size_t count)
{
    static feed_end end;
    static bksi_feed_receiver receiver;
    bksi_feed_receiver_config config = {
        .source = feed_end_address(), .timeout_ns = 10000 * MS, .bytes_max = BYTES_MAX};
    memcpy(config.key, key, sizeof(key));
    memset(config.identity, 9, sizeof(config.identity));
    feed_end_open(&end, key, false);
    must(bksi_feed_receiver_create(&receiver, &config) == BKS_OK);
    feed_end_feed(&end, &receiver, 60);
    must(end.is_sealed);
    for (size_t at = 0; at < count && receiver.status == BKS_OK;) {
        at += bksi_bulk_write(&end.link.bulk, bytes + at, count - at);
        feed_end_feed(&end, &receiver, 20);
    }
    feed_end_feed(&end, &receiver, 100);
    must(receiver.count <= BYTES_MAX);
    must(receiver.capacity <= 4 * BYTES_MAX + ((size_t)1 << 18));
    open_recording(&receiver);
    bksi_feed_receiver_destroy(&receiver);
    feed_end_close(&end);
}

static void lie_to_source(const uint8_t *bytes, size_t count)
{
    static feed_end end;
    static bksi_feed_source source;
    bksi_feed_source_config config = {.watchers = 2, .bytes_per_s = 64000};
    uint8_t feed_key[BKS_KEY_BYTES];
    bksi_feed_key(key, feed_key);
    memcpy(config.key, feed_key, sizeof(feed_key));
    must(bksi_feed_source_create(&source, &config, key) == BKS_OK);
    feed_end_open(&end, feed_key, true);
    feed_end_call(&end, &source);
    must(end.is_sealed);
    for (size_t at = 0; at + 2 <= count;) {
        const uint32_t type = 1 + bytes[at] % (BKSI_PACKET_ADDRESS - 1);
        size_t size = bytes[at + 1] * 4u;
        at += 2;
        size = size < count - at ? size : count - at;
        end.now_ns += (uint64_t)(bytes[at - 1] % 8) * 100 * MS;
        feed_end_say(&end, NULL, &source, type, bytes + at, size);
        feed_end_call(&end, &source);
        must(bksi_feed_source_watchers(&source) <= 2);
        at += size;
    }
    bksi_feed_source_destroy(&source);
    feed_end_close(&end);
}

static void lie_to_follower(const uint8_t *bytes, size_t count)
{
    static const bks_field fields[] = {{.name = "x", .bits = 7, .is_signed = true},
                                       {.name = "y", .bits = 32, .is_signed = true}};
    bksi_feed_opinions opinions = {.is_open = true};
    static const uint32_t types[] = {BKSI_RECORD_TICKS, BKSI_RECORD_COMMANDS, BKSI_RECORD_EVENT,
                                     BKSI_RECORD_STATE};
    static bksi_feed_progress progress;
    const bks_allocator none = {0};
    progress = (bksi_feed_progress){.can_continue = true, .next = 40, .ahead_ticks = 6};
    must(bksi_layout_init(&progress.layout, fields, 2, NULL) == BKS_OK);
    progress.shape = (bksi_run_shape){
        .layout = &progress.layout, .players = 3, .hash_bits = 16, .full_hash_ticks = 60};
    for (size_t at = 0; at + 2 <= count;) {
        const uint32_t type = types[bytes[at] % 4];
        const size_t size = bytes[at + 1] < count - at - 2 ? bytes[at + 1] : count - at - 2;
        const uint8_t *payload = bytes + at + 2;
        const bks_tick before = progress.next;
        bks_tick first = 0;
        at += 2 + size;
        bksi_feed_opinions_take(
            &opinions,
            &(bksi_guard_message){.type = BKSI_FEED_HASH, .body = payload, .body_bytes = size});
        bks_tick tick;
        uint64_t hash;
        (void)bksi_feed_progress_checkpoint(&progress, payload, size, &tick, &hash, &none);
        if (bksi_feed_progress_take(&progress, type, payload, size, &first) ==
            BKSI_FEED_NEWS_PART) {
            uint8_t *part;
            size_t room;
            must(first == before);
            if (bksi_feed_progress_cut(&progress, first, payload, size, &part, &room, &none) > 0) {
                bksi_free(&none, part, room);
            }
        }
        must(progress.next >= before);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    if (count > 0 && bytes[0] == 255) {
        lie_to_follower(bytes + 1, count - 1);
    } else if (count > 0 && bytes[0] % 2 == 0) {
        lie_to_watcher(bytes + 1, count - 1);
    } else if (count > 0) {
        lie_to_source(bytes + 1, count - 1);
    }
    return 0;
}
