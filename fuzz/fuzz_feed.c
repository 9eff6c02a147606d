// SPDX-License-Identifier: MIT

// One end of a feed has the key and lies. The first byte of the input chooses the other end:
//   even: a watcher. The rest is what the source writes to its stream; then the recording that the
//         watcher made of it is opened as a growing one.
//   odd:  a source. The rest are messages: a type, a size, and so many bytes.
//   253:  a source of a relay, and a watcher of it. The rest are steps: a record, raw or well
//   formed,
//         a message to either, time, or an honest watcher that comes. What such a watcher has can
//         be read, and leads to the state that the relay has.
//   255:  a watcher that continues a recording. The rest are records: a type, a size, and so many
//         bytes.
// Whatever is said, the watcher's recording stays within its limit, and the source keeps no more
// watchers than it has places for.

#include <stdlib.h>
#include <string.h>

#include "backstitch/replay.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "feed/feed_end.h"
#include "match/relay.h"
#include "replay/format/replay_format.h"
#include "replay/play/playback_parts.h"

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

// ---- a relay ----

#define HONEST 2u

static void toy_init(void *state, const bks_start *start)
{
    memcpy(state, &start->seed, sizeof(start->seed));
}

static void toy_step(void *state, const bks_step *step)
{
    uint64_t mixed;
    memcpy(&mixed, state, sizeof(mixed));
    for (uint32_t p = 0; p < step->players; p++) {
        const int32_t *x = bks_step_input(step, p);
        mixed = (mixed ^ (uint32_t)*x) * UINT64_C(0x9e3779b97f4a7c15);
    }
    memcpy(state, &mixed, sizeof(mixed));
}

static const bks_field toy_fields[] = {{.name = "x", .bits = 8}};
static const bks_game toy_game = {.name = "toy",
                                  .version = 1,
                                  .tick_rate_hz = 10,
                                  .players_max = 2,
                                  .fields = toy_fields,
                                  .field_count = 1,
                                  .state_bytes = 8,
                                  .command_bytes_max = 16,
                                  .init = toy_init,
                                  .step = toy_step};

/// Liar, relay, lying watcher and honest watchers, in memory.
typedef struct company {
    feed_end liar;
    feed_end lying_watcher;
    bksi_feed_receiver up;
    bksi_relay relay;
    bksi_feed_source source;
    bksi_feed_receiver honest[HONEST];
    uint32_t honest_count;
    bksi_layout layout;
    bksi_run_shape shape;
} company;

static company all;

static bks_status pass_to_watchers(void *context, const bks_address *to, const void *bytes,
                                   size_t count)
{
    company *c = context;
    const bks_address relay = {.length = 2, .bytes = {5, 5}};
    if (to->bytes[0] == 77 && to->bytes[1] < c->honest_count) {
        bksi_feed_receiver_receive(&c->honest[to->bytes[1]], c->liar.now_ns, &relay, bytes, count);
    }
    return BKS_OK;
}

static size_t nothing_comes(void *context, bks_address *from, void *bytes, size_t capacity)
{
    (void)context;
    (void)from;
    (void)bytes;
    (void)capacity;
    return 0;
}

static void honest_turn(company *c)
{
    uint8_t packet[BKS_PACKET_BYTES_MAX];
    bks_address to;
    size_t count;
    for (uint32_t i = 0; i < c->honest_count; i++) {
        const bks_address from = {.length = 2, .bytes = {77, (uint8_t)i}};
        (void)!bksi_feed_receiver_update(&c->honest[i], c->liar.now_ns);
        while ((count = bksi_feed_receiver_send(&c->honest[i], &to, packet, c->liar.now_ns)) > 0) {
            if (to.bytes[0] == 5) { // else it looks for another source
                bksi_feed_source_receive(&c->source, c->liar.now_ns, &from, packet, count);
            }
        }
    }
}

static void pass_time(company *c, uint32_t ms)
{
    uint8_t packet[BKS_PACKET_BYTES_MAX];
    const uint8_t none = 0;
    for (uint32_t i = 0; i < ms; i += 20) {
        if (i % 500 == 0) {
            feed_end_say(&c->liar, &c->up, NULL, BKSI_FEED_ALIVE, &none, 1);
        }
        feed_end_feed(&c->liar, &c->up, 20);
        bksi_relay_update(&c->relay, &c->up, packet, c->liar.now_ns);
        must(bksi_feed_source_watchers(&c->source) <= 4);
        honest_turn(c);
    }
}

static void honest_comes(company *c)
{
    if (c->honest_count < HONEST) {
        const uint8_t number = (uint8_t)(40 + 2 * c->honest_count);
        bksi_feed_receiver_config config = {.source = {.length = 2, .bytes = {5, 5}},
                                            .timeout_ns = 10000 * MS,
                                            .bytes_max = BYTES_MAX};
        memcpy(config.key, key, sizeof(key));
        memset(config.identity, number, sizeof(config.identity));
        memset(config.entropy, number + 1, sizeof(config.entropy));
        must(bksi_feed_receiver_create(&c->honest[c->honest_count], &config) == BKS_OK);
        c->honest_count++;
    }
}

static void write_stream(company *c, const uint8_t *bytes, size_t count)
{
    for (size_t at = 0; at < count && c->up.status == BKS_OK;) {
        at += bksi_bulk_write(&c->liar.link.bulk, bytes + at, count - at);
        if (at < count) {
            pass_time(c, 20);
        }
    }
}

/// Write the beginning of a recording at tick 100, or near the last tick there is.
static void write_beginning(company *c, uint8_t choice)
{
    static const bks_option_values options;
    const bks_start start = {
        .game = &toy_game, .seed = 3, .players = 2, .tick_rate_hz = 10, .options = &options};
    const bks_tick tick = choice % 8 == 7 ? INT32_MAX - 80 : 100;
    const bksi_feed_tape_config config = {0};
    bksi_feed_tape tape;
    uint8_t number[BKSI_FEED_COUNT_BYTES];
    must(bksi_feed_tape_create_still(&tape, &start, tick, &key, 8, &config) == BKS_OK);
    must(bksi_layout_init(&c->layout, toy_fields, 1, NULL) == BKS_OK);
    c->shape = (bksi_run_shape){.layout = &c->layout,
                                .players = 2,
                                .hash_bits = tape.beginning.head.hash_bits,
                                .full_hash_ticks = tape.beginning.head.full_hash_ticks};
    bksi_put_u64(number, tape.beginning.count);
    write_stream(c, number, sizeof(number));
    write_stream(c, tape.beginning.bytes, tape.beginning.count);
    bksi_feed_tape_destroy(&tape);
    pass_time(c, 100);
}

/// Write a TICK record of up to 8 ticks that begins near the end of the recording.
static size_t make_ticks(company *c, uint8_t *out, const uint8_t *bytes, size_t count)
{
    static const uint64_t hashes[8];
    static const bool is_hashed[8];
    uint8_t inputs[128];
    bksi_bit_writer bits = bksi_bit_writer_over(inputs, sizeof(inputs));
    const uint32_t ticks = count > 0 ? 1u + bytes[0] % 8u : 5u;
    const bks_tick back = count > 1 && bytes[1] > 200 ? bytes[1] % 8 : 0;
    const bks_tick next = c->up.progress.next - back;
    uint8_t packed[9][2] = {{0}};
    for (uint32_t i = 0; i < ticks; i++) {
        packed[i + 1][0] = count > 2 + i ? bytes[2 + i] : 0;
        bksi_run_write_inputs(&bits, &c->shape, i > 0 ? packed[i] : NULL, packed[i + 1]);
    }
    const bksi_chunk chunk = {.first = next > 0 ? next : 0,
                              .ticks = ticks,
                              .is_restart = true,
                              .inputs = inputs,
                              .input_bytes = bksi_bit_writer_bytes(&bits)};
    return bksi_chunk_write(out, 512, &c->shape, &chunk, hashes, is_hashed);
}

static void write_record(company *c, uint8_t choice, const uint8_t *bytes, size_t count)
{
    static const uint32_t types[] = {BKSI_RECORD_TICKS, BKSI_RECORD_COMMANDS, BKSI_RECORD_EVENT,
                                     BKSI_RECORD_DONE,  BKSI_RECORD_STATE,    BKSI_RECORD_KEYFRAME,
                                     BKSI_RECORD_INDEX, BKSI_RECORD_HEAD};
    uint8_t record[BKSI_RECORD_EXTRA_BYTES + 1024];
    const uint32_t type = types[choice % 8];
    size_t size = count;
    memcpy(record + BKSI_RECORD_HEAD_BYTES, bytes, count);
    if (type == BKSI_RECORD_TICKS && choice < 128) {
        size = make_ticks(c, record + BKSI_RECORD_HEAD_BYTES, bytes, count);
    } else if ((type == BKSI_RECORD_COMMANDS || type == BKSI_RECORD_DONE) && choice < 128 &&
               count >= 4) {
        bksi_put_u32(record + BKSI_RECORD_HEAD_BYTES, (uint32_t)c->up.progress.next);
    }
    write_stream(c, record, bksi_record_finish(record, type, size, 0));
}

/// Check that a watcher of the relay can read what it has, and comes to the relay's state.
static void check_honest(const company *c, const bksi_feed_receiver *honest)
{
    if (c->relay.is_over || c->relay.replay == NULL || honest->begun == 0) {
        return;
    }
    const bks_replay_piece piece = {.bytes = honest->bytes,
                                    .count = bksi_feed_receiver_bytes(honest)};
    bks_replay *replay = NULL;
    bks_playback *playback = NULL;
    must(bks_replay_open_growing(&piece, 1, NULL, &replay, NULL) == BKS_OK);
    const bks_playback_config config = {.replay = replay, .game = &toy_game};
    must(bks_playback_create(&config, &playback, NULL) == BKS_OK);
    const bks_tick end = bks_replay_info(replay)->end;
    must(bks_playback_seek(playback, end, NULL) == BKS_OK);
    if (end == bks_playback_tick(c->relay.playback)) {
        must(bks_playback_hash(playback) == bks_playback_hash(c->relay.playback));
    }
    bks_playback_destroy(playback);
    bks_replay_close(replay);
}

static void open_company(company *c)
{
    bksi_feed_source_config source = {.watchers = 4, .bytes_per_s = 250000};
    bksi_feed_receiver_config config = {
        .source = feed_end_address(), .timeout_ns = 10000 * MS, .bytes_max = BYTES_MAX};
    memset(c, 0, sizeof(*c));
    memcpy(config.key, key, sizeof(key));
    memset(config.identity, 9, sizeof(config.identity));
    memcpy(source.key, key, sizeof(key));
    feed_end_open(&c->liar, key, false);
    must(bksi_feed_receiver_create(&c->up, &config) == BKS_OK);
    must(bksi_feed_source_create(&c->source, &source, key) == BKS_OK);
    c->relay = (bksi_relay){.game = &toy_game,
                            .wanted = BKS_TICK_NONE,
                            .source = &c->source,
                            .transport = {pass_to_watchers, nothing_comes, c}};
    feed_end_feed(&c->liar, &c->up, 60);
    must(c->liar.is_sealed);
    feed_end_open(&c->lying_watcher, key, true);
}

static void lie_to_relay(const uint8_t *bytes, size_t count)
{
    company *c = &all;
    open_company(c);
    write_beginning(c, count > 0 ? bytes[0] : 0);
    for (size_t at = 1; at + 3 <= count && c->liar.now_ns < 60000 * MS;) {
        const uint8_t what = bytes[at];
        const uint8_t choice = bytes[at + 1];
        size_t size = bytes[at + 2];
        at += 3;
        size = size < count - at ? size : count - at;
        const uint32_t type = 1 + choice % (BKSI_PACKET_ADDRESS - 1);
        switch (what % 8) {
        case 0:
        case 1:
        case 2:
            write_record(c, choice, bytes + at, size);
            break;
        case 3:
            feed_end_say(&c->liar, &c->up, NULL, type, bytes + at, size);
            break;
        case 4:
            c->lying_watcher.now_ns = c->liar.now_ns;
            feed_end_call_with(&c->lying_watcher, &c->source, bytes + at, size);
            feed_end_say(&c->lying_watcher, NULL, &c->source, type, bytes + at, size);
            break;
        case 5:
            honest_comes(c);
            break;
        default:
            pass_time(c, 20u * choice);
            break;
        }
        pass_time(c, 20);
        at += size;
    }
    pass_time(c, 3000);
    for (uint32_t i = 0; i < c->honest_count; i++) {
        check_honest(c, &c->honest[i]);
        bksi_feed_receiver_destroy(&c->honest[i]);
    }
    bks_playback_destroy(c->relay.playback);
    bks_replay_close(c->relay.replay);
    bksi_feed_source_destroy(&c->source);
    bksi_feed_receiver_destroy(&c->up);
    feed_end_close(&c->lying_watcher);
    feed_end_close(&c->liar);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    if (count > 0 && bytes[0] == 255) {
        lie_to_follower(bytes + 1, count - 1);
    } else if (count > 0 && bytes[0] == 253) {
        lie_to_relay(bytes + 1, count - 1);
    } else if (count > 0 && bytes[0] % 2 == 0) {
        lie_to_watcher(bytes + 1, count - 1);
    } else if (count > 0) {
        lie_to_source(bytes + 1, count - 1);
    }
    return 0;
}
