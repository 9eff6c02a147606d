// SPDX-License-Identifier: MIT

#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "backstitch/toolkit/state_map.h"
#include "backstitch/toolkit/writer.h"
#include "bad_arguments.h"

/// A recording in memory.
static struct {
    uint8_t bytes[65536];
    size_t count;
} file;

static bks_status write_to_memory(void *context, uint64_t offset, const void *bytes, size_t count)
{
    (void)context;
    if (offset > sizeof(file.bytes) || count > sizeof(file.bytes) - offset) {
        return BKS_ERR_IO;
    }
    memcpy(file.bytes + offset, bytes, count);
    file.count = offset + count > file.count ? offset + count : file.count;
    return BKS_OK;
}

static bks_status write_nothing(void *context, uint64_t offset, const void *bytes, size_t count)
{
    (void)context;
    (void)offset;
    (void)bytes;
    (void)count;
    return BKS_ERR_IO;
}

static uint8_t first_state[64] = {1};

static bks_replay_config good_config(void)
{
    bks_replay_config config = {.game = &good_game,
                                .seed = 1,
                                .players = 2,
                                .tick_rate_hz = 60,
                                .unconfirmed_ticks_max = 8,
                                .state = first_state,
                                .state_bytes = sizeof(first_state),
                                .sink = {.write = write_to_memory}};
    bad_arguments_need(bks_option_values_default(&good_game, &config.options) == BKS_OK, "options");
    return config;
}

/// A config with one member changed must be refused by its name.
#define CONFIG_REFUSED(member, value, range)                                                \
    do {                                                                                    \
        bks_replay_config bad = good_config();                                              \
        bks_replay_writer *none = NULL;                                                     \
        bad.member = (value);                                                               \
        REFUSES(bks_replay_writer_create(&bad, &none, &wrong) < 0 && none == NULL, #member, \
                range);                                                                     \
    } while (false)

static void of_writer_config(void)
{
    const bks_replay_config config = good_config();
    bks_replay_writer *writer = NULL;
    char long_build[65];
    memset(long_build, 'b', sizeof(long_build));
    long_build[64] = '\0';
    writer = (void *)&wrong;
    REFUSES(bks_replay_writer_create(NULL, &writer, &wrong) == BKS_ERR_BAD_ARGUMENT &&
                writer == NULL,
            "config", NULL);
    REFUSES(bks_replay_writer_create(&config, NULL, &wrong) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    CONFIG_REFUSED(game, NULL, NULL);
    CONFIG_REFUSED(players, 0, "1..2");
    CONFIG_REFUSED(players, 3, "1..2");
    CONFIG_REFUSED(tick_rate_hz, 0, "1..1000");
    CONFIG_REFUSED(unconfirmed_ticks_max, 0, "1..512");
    CONFIG_REFUSED(unconfirmed_ticks_max, 513, "1..512");
    CONFIG_REFUSED(state, NULL, NULL);
    CONFIG_REFUSED(state_bytes, 0, "1..1073741824");
    CONFIG_REFUSED(build, long_build, "0..63");
    CONFIG_REFUSED(sink.write, NULL, NULL);
    CONFIG_REFUSED(sink.write, write_nothing, NULL);
    bks_replay_config half = config;
    half.allocator.release = (void (*)(void *, void *, size_t))1;
    REFUSES(bks_replay_writer_create(&half, &writer, &wrong) == BKS_ERR_BAD_CONFIG, "allocator",
            "neither");
    half = config;
    half.page_hashes = &(uint64_t){1};
    half.page_count = SIZE_MAX;
    REFUSES(bks_replay_writer_create(&half, &writer, &wrong) == BKS_ERR_BAD_CONFIG, "page_count",
            "0..262144");
}

static void of_writer(void)
{
    const bks_replay_config config = good_config();
    const int32_t inputs[18] = {0};
    const int32_t bad_inputs[2] = {0, 4};
    const uint64_t hash = 1;
    bks_replay_writer *writer = NULL;
    ALLOWS((bks_replay_writer_destroy(NULL), true));
    REFUSES(bks_replay_writer_use(NULL, 0, 1, inputs) == BKS_ERR_BAD_ARGUMENT, "writer", NULL);
    REFUSES(bks_replay_writer_confirm(NULL, 0, inputs, &hash) == BKS_ERR_BAD_ARGUMENT, "writer",
            NULL);
    REFUSES(bks_replay_writer_flush(NULL) == BKS_ERR_BAD_ARGUMENT, "writer", NULL);
    REFUSES(bks_replay_writer_finish(NULL, &hash) == BKS_ERR_BAD_ARGUMENT, "writer", NULL);

    memset(&file, 0, sizeof(file));
    bad_arguments_need(bks_replay_writer_create(&config, &writer, &wrong) == BKS_OK, "a writer");
    REFUSES(bks_replay_writer_use(writer, 1, 1, inputs) == BKS_ERR_BAD_ARGUMENT, "first",
            "must be 0");
    REFUSES(bks_replay_writer_use(writer, 0, 9, inputs) == BKS_ERR_BAD_ARGUMENT, "count", "0..8");
    REFUSES(bks_replay_writer_use(writer, 0, 1, NULL) == BKS_ERR_BAD_ARGUMENT, "inputs", NULL);
    REFUSES(bks_replay_writer_use(writer, 0, 1, bad_inputs) == BKS_ERR_BAD_ARGUMENT, "run", "0..3");
    REFUSES(bks_replay_writer_confirm(writer, 1, inputs, &hash) == BKS_ERR_BAD_ARGUMENT, "tick",
            "must be 0");
    REFUSES(bks_replay_writer_confirm(writer, 0, NULL, &hash) == BKS_ERR_BAD_ARGUMENT, "inputs",
            NULL);
    REFUSES(bks_replay_writer_confirm(writer, 0, bad_inputs, &hash) == BKS_ERR_BAD_ARGUMENT, "run",
            "0..3");
    ALLOWS(bks_replay_writer_confirm(writer, 0, inputs, &hash) == BKS_OK);
    ALLOWS(bks_replay_writer_confirm(writer, 1, inputs, NULL) == BKS_OK);
    ALLOWS(bks_replay_writer_finish(writer, NULL) == BKS_OK);
    REFUSES(bks_replay_writer_flush(writer) == BKS_ERR_BAD_ARGUMENT, "writer", "finished");
    REFUSES(bks_replay_writer_confirm(writer, 2, inputs, NULL) == BKS_ERR_BAD_ARGUMENT, "writer",
            "finished");
    bks_replay_writer_destroy(writer);
}

static void of_keyframes_and_events(void)
{
    bks_replay_config config = good_config();
    config.detail.keyframe_ticks = 1;
    config.detail.page_hashes = true;
    config.detail.keyframe_bytes = 1u << 30;
    bks_replay_writer *writer = NULL;
    bad_arguments_need(bks_replay_writer_create(&config, &writer, &wrong) == BKS_OK, "a writer");
    const int32_t inputs[2] = {0};
    bad_arguments_need(bks_replay_writer_confirm(writer, 0, inputs, NULL) == BKS_OK, "a tick");
    bks_replay_event event = {.tick = -1};
    ALLOWS(bks_replay_event_kind_name((bks_replay_event_kind)99)[0] == 'u');
    REFUSES(bks_replay_writer_event(NULL, &event) == BKS_ERR_BAD_ARGUMENT, "writer", NULL);
    REFUSES(bks_replay_writer_event(writer, NULL) == BKS_ERR_BAD_ARGUMENT, "event", NULL);
    REFUSES(bks_replay_writer_event(writer, &event) == BKS_ERR_BAD_ARGUMENT, "tick", "0 or above");
    event = (bks_replay_event){.kind = (bks_replay_event_kind)99};
    REFUSES(bks_replay_writer_event(writer, &event) == BKS_ERR_BAD_ARGUMENT, "kind", "0..5");
    event = (bks_replay_event){.text = "\n"};
    REFUSES(bks_replay_writer_event(writer, &event) == BKS_ERR_BAD_ARGUMENT, "text", "printable");
    REFUSES(bks_replay_writer_step_cost(NULL, 1) == BKS_ERR_BAD_ARGUMENT, "writer", NULL);
    const uint64_t hashes[2] = {0};
    REFUSES(bks_replay_writer_values(NULL, 1, first_state) == BKS_ERR_BAD_ARGUMENT, "writer", NULL);
    REFUSES(bks_replay_writer_values(writer, 1, NULL) == BKS_ERR_BAD_ARGUMENT, "values", NULL);
    REFUSES(bks_replay_writer_values(writer, 2, first_state) == BKS_ERR_BAD_ARGUMENT, "tick", "1");
    REFUSES(bks_replay_writer_pages(NULL, 1, hashes, 1) == BKS_ERR_BAD_ARGUMENT, "writer", NULL);
    REFUSES(bks_replay_writer_pages(writer, 1, NULL, 1) == BKS_ERR_BAD_ARGUMENT, "hashes", NULL);
    REFUSES(bks_replay_writer_pages(writer, 0, hashes, 1) == BKS_ERR_BAD_ARGUMENT, "tick", "1");
    REFUSES(bks_replay_writer_pages(writer, 1, hashes, 2) == BKS_ERR_BAD_ARGUMENT, "count", "0..1");
    REFUSES(bks_replay_writer_marks(NULL, 1, inputs, 1) == BKS_ERR_BAD_ARGUMENT, "writer", NULL);
    REFUSES(bks_replay_writer_marks(writer, 1, NULL, 1) == BKS_ERR_BAD_ARGUMENT, "row", NULL);
    REFUSES(bks_replay_writer_marks(writer, 0, inputs, 1) == BKS_ERR_BAD_ARGUMENT, "tick", "1");
    REFUSES(bks_replay_writer_marks(writer, 1, inputs, 1 << 21) == BKS_ERR_BAD_ARGUMENT, "count",
            "0..1048576");
    REFUSES(bks_replay_writer_rollback(NULL, 1, 0, inputs) == BKS_ERR_BAD_ARGUMENT, "writer", NULL);
    REFUSES(bks_replay_writer_rollback(writer, 1, 0, NULL) == BKS_ERR_BAD_ARGUMENT, "inputs", NULL);
    REFUSES(bks_replay_writer_rollback(writer, 1, 1, inputs) == BKS_ERR_BAD_ARGUMENT, "from",
            "1..8");
    const bks_replay_repair at_once = {.peer = 1, .since = 1, .tick = 1};
    const bks_replay_repair unsaid = {.since = 1, .tick = 2, .until = 2, .agreed_count = 1};
    REFUSES(bks_replay_writer_repair(NULL, &at_once, NULL) == BKS_ERR_BAD_ARGUMENT, "writer", NULL);
    REFUSES(bks_replay_writer_repair(writer, NULL, NULL) == BKS_ERR_BAD_ARGUMENT, "repair", NULL);
    REFUSES(bks_replay_writer_repair(writer, &at_once, NULL) == BKS_ERR_BAD_ARGUMENT, "repair",
            "tick above it");
    REFUSES(bks_replay_writer_repair(writer, &unsaid, NULL) == BKS_ERR_BAD_ARGUMENT, "agreed",
            NULL);
    REFUSES(bks_replay_writer_fact(NULL, 1, 2, "x", 1) == BKS_ERR_BAD_ARGUMENT, "writer", NULL);
    REFUSES(bks_replay_writer_fact(writer, 1, 2, NULL, 1) == BKS_ERR_BAD_ARGUMENT, "bytes", NULL);
    REFUSES(bks_replay_writer_fact(writer, 1, 2, "x", 0) == BKS_ERR_BAD_ARGUMENT, "count",
            "1..1024");
    REFUSES(bks_replay_writer_fact(writer, -1, 2, "x", 1) == BKS_ERR_BAD_ARGUMENT, "tick",
            "0 or more");
    REFUSES(bks_replay_writer_keyframe_due(NULL) == BKS_TICK_NONE, "writer", NULL);
    REFUSES(bks_replay_writer_step_cost(NULL, 1) == BKS_ERR_BAD_ARGUMENT, "writer", NULL);
    REFUSES(bks_replay_writer_keyframe(NULL, 1, first_state, 64) == BKS_ERR_BAD_ARGUMENT, "writer",
            NULL);
    REFUSES(bks_replay_writer_keyframe(writer, 1, NULL, 64) == BKS_ERR_BAD_ARGUMENT, "state", NULL);
    REFUSES(bks_replay_writer_keyframe(writer, 0, first_state, 64) == BKS_ERR_BAD_ARGUMENT, "tick",
            "1..1");
    REFUSES(bks_replay_writer_keyframe(writer, 2, first_state, 64) == BKS_ERR_BAD_ARGUMENT, "tick",
            "1..1");
    REFUSES(bks_replay_writer_keyframe(writer, 1, first_state, 65) == BKS_ERR_BAD_ARGUMENT,
            "state_bytes", "1..64");
    ALLOWS(bks_replay_writer_keyframe(writer, 1, first_state, 64) == BKS_OK);
    REFUSES(bks_replay_writer_keyframe(writer, 1, first_state, 64) == BKS_ERR_BAD_ARGUMENT, "tick",
            "no keyframe is due");
    bks_replay_writer_destroy(writer);
    file.count = 0;
    ALLOWS(bks_state_type_bytes((bks_state_type)99) == 0);
    char text[8];
    REFUSES(bks_state_type_text(BKS_STATE_U8, NULL, text, 8) == BKS_ERR_BAD_ARGUMENT, "at", NULL);
    REFUSES(bks_state_type_text(BKS_STATE_U8, "a", NULL, 8) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    REFUSES(bks_state_type_text(BKS_STATE_U8, "a", text, 0) == BKS_ERR_BAD_ARGUMENT, "capacity",
            "at least 1");
    REFUSES(bks_state_type_text((bks_state_type)99, "a", text, 8) == BKS_ERR_BAD_ARGUMENT, "type",
            "a bks_state_type");
    bks_state_place place;
    REFUSES(bks_state_find(first_state, 64, NULL, 0, 0, NULL) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    REFUSES(bks_state_find(NULL, 64, NULL, 0, 0, &place) == BKS_ERR_BAD_ARGUMENT, "state", NULL);
}

static void of_growing_replay(void)
{
    bks_replay *replay = NULL;
    bks_replay_range range;
    const bks_replay_piece no_bytes = {.count = 1};
    const bks_replay_piece behind = {.offset_bytes = 1, .bytes = "x", .count = 1};
    REFUSES(bks_replay_plan(NULL, 1, &range, &wrong) == BKS_ERR_BAD_ARGUMENT, "pieces", NULL);
    REFUSES(bks_replay_plan(&behind, 5, &range, &wrong) == BKS_ERR_BAD_ARGUMENT, "count", "0..4");
    REFUSES(bks_replay_plan(&behind, 1, NULL, &wrong) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    REFUSES(bks_replay_open_growing(NULL, 1, NULL, &replay, &wrong) == BKS_ERR_BAD_ARGUMENT,
            "pieces", NULL);
    REFUSES(bks_replay_open_growing(&behind, 0, NULL, &replay, &wrong) == BKS_ERR_BAD_ARGUMENT,
            "count", "1..4");
    REFUSES(bks_replay_open_growing(&behind, 1, NULL, &replay, &wrong) == BKS_ERR_BAD_ARGUMENT,
            "piece", "with the file");
    REFUSES(bks_replay_open_growing(&no_bytes, 1, NULL, &replay, &wrong) == BKS_ERR_BAD_ARGUMENT,
            "bytes", NULL);
    REFUSES(bks_replay_open_growing(&behind, 1, NULL, NULL, &wrong) == BKS_ERR_BAD_ARGUMENT, "out",
            NULL);
    REFUSES(bks_replay_refresh(NULL, &behind, 1, &wrong) == BKS_ERR_BAD_ARGUMENT, "replay", NULL);
}

static void of_no_replay(void)
{
    bks_replay *replay = NULL;
    const void *answer;
    size_t answer_bytes;
    REFUSES(bks_replay_fact(NULL, 0, 1, &answer, &answer_bytes) == BKS_ERR_BAD_ARGUMENT, "replay",
            NULL);
    int32_t values[2];
    uint64_t hash;
    uint32_t bits;
    const bks_allocator half = {.release = (void (*)(void *, void *, size_t))1};
    REFUSES(bks_replay_open(file.bytes, file.count, NULL, NULL, &wrong) == BKS_ERR_BAD_ARGUMENT,
            "out", NULL);
    REFUSES(bks_replay_open(NULL, 1, NULL, &replay, &wrong) == BKS_ERR_BAD_ARGUMENT, "bytes", NULL);
    REFUSES(bks_replay_open(file.bytes, file.count, &half, &replay, &wrong) == BKS_ERR_BAD_ARGUMENT,
            "allocator", NULL);
    REFUSES(bks_replay_open(NULL, 0, NULL, &replay, &wrong) == BKS_ERR_INCOMPLETE, "at byte 0",
            NULL);
    REFUSES(bks_replay_open("not a replay at all", 19, NULL, &replay, &wrong) ==
                BKS_ERR_UNSUPPORTED,
            "at byte 0", NULL);
    ALLOWS((bks_replay_close(NULL), true));
    REFUSES(bks_replay_info(NULL) == NULL, "replay", NULL);
    REFUSES(bks_replay_inputs(NULL, 0, values) == BKS_ERR_BAD_ARGUMENT, "replay", NULL);
    REFUSES(bks_replay_hash(NULL, 0, &hash, &bits) == BKS_ERR_BAD_ARGUMENT, "replay", NULL);
    REFUSES(bks_replay_hash_agrees(NULL, 0, 0), "replay", NULL);
    REFUSES(bks_replay_state(NULL, first_state, 64, &wrong) == BKS_ERR_BAD_ARGUMENT, "replay",
            NULL);
}

static bool see_note(void *context, uint32_t states_before, const char *text)
{
    (void)context;
    return states_before > 0 && text != NULL;
}

static bool see_mark(void *context, const char *mark, const void *state, size_t count)
{
    (void)context;
    return mark != NULL && state != NULL && count > 0;
}

static void of_replay(bks_replay *replay)
{
    uint8_t state[64];
    int32_t values[2];
    uint64_t hash;
    uint32_t bits;
    REFUSES(bks_replay_inputs(replay, 2, values) == BKS_ERR_BAD_ARGUMENT, "tick", "0..1");
    REFUSES(bks_replay_inputs(replay, -1, values) == BKS_ERR_BAD_ARGUMENT, "tick", "0..1");
    REFUSES(bks_replay_inputs(replay, 0, NULL) == BKS_ERR_BAD_ARGUMENT, "values", NULL);
    REFUSES(bks_replay_hash(replay, 3, &hash, &bits) == BKS_ERR_BAD_ARGUMENT, "tick", "0..2");
    REFUSES(bks_replay_hash(replay, 0, NULL, &bits) == BKS_ERR_BAD_ARGUMENT, "out_hash", NULL);
    REFUSES(bks_replay_hash(replay, 0, &hash, NULL) == BKS_ERR_BAD_ARGUMENT, "out_bits", NULL);
    REFUSES(bks_replay_hash_agrees(replay, -1, 0), "tick", "0..2");
    REFUSES(bks_replay_state(replay, NULL, 64, &wrong) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    REFUSES(bks_replay_state(replay, state, 63, &wrong) == BKS_ERR_TOO_SMALL, "capacity",
            "at least 64");

    REFUSES(bks_replay_check(NULL, &wrong) == BKS_ERR_BAD_ARGUMENT, "replay", NULL);
    const bks_replay_piece piece = {.bytes = file.bytes, .count = file.count};
    REFUSES(bks_replay_refresh(replay, &piece, 1, &wrong) == BKS_ERR_BAD_ARGUMENT, "pieces",
            "growing");
    bks_replay_lost lost;
    bks_replay_event event;
    bks_replay_keyframe key;
    REFUSES(bks_replay_lost_at(replay, 0, &lost) == BKS_ERR_BAD_ARGUMENT, "index", "below 0");
    REFUSES(bks_replay_event_at(replay, 0, &event) == BKS_ERR_BAD_ARGUMENT, "index", "below 0");
    REFUSES(bks_replay_keyframe_at(replay, 0, &key) == BKS_ERR_BAD_ARGUMENT, "index", "below 0");
    REFUSES(bks_replay_lost_at(NULL, 0, &lost) == BKS_ERR_BAD_ARGUMENT, "replay", NULL);
    REFUSES(bks_replay_event_at(replay, 0, NULL) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    REFUSES(bks_replay_keyframe_at(NULL, 0, &key) == BKS_ERR_BAD_ARGUMENT, "replay", NULL);
    REFUSES(bks_replay_keyframe_state(replay, 0, state, 64, &wrong) == BKS_ERR_BAD_ARGUMENT,
            "index", "below 0");
    uint32_t page_hash;
    size_t count;
    bks_replay_rollback rollback;
    REFUSES(bks_replay_values(NULL, 0, 0, state, 64) == BKS_ERR_BAD_ARGUMENT, "replay", NULL);
    REFUSES(bks_replay_values(replay, 0, 0, state, 64) == BKS_ERR_BAD_ARGUMENT, "range",
            "of the 0");
    REFUSES(bks_replay_page_hashes(replay, 0, NULL, 1, &count) == BKS_ERR_BAD_ARGUMENT, "out",
            NULL);
    REFUSES(bks_replay_page_hashes(replay, 0, &page_hash, 1, &count) == BKS_ERR_INCOMPLETE, "tick",
            "nothing is recorded");
    REFUSES(bks_replay_marks(NULL, 0, see_mark, NULL) == BKS_ERR_BAD_ARGUMENT, "replay", NULL);
    REFUSES(bks_replay_marks(replay, 0, NULL, NULL) == BKS_ERR_BAD_ARGUMENT, "visit", NULL);
    REFUSES(bks_replay_marks(replay, 0, see_mark, NULL) == BKS_ERR_INCOMPLETE, "tick",
            "not recorded");
    REFUSES(bks_replay_notes(NULL, 0, see_note, NULL) == BKS_ERR_BAD_ARGUMENT, "replay", NULL);
    REFUSES(bks_replay_notes(replay, 0, NULL, NULL) == BKS_ERR_BAD_ARGUMENT, "visit", NULL);
    REFUSES(bks_replay_notes(replay, 0, see_note, NULL) == BKS_ERR_INCOMPLETE, "tick",
            "not recorded");
    bks_replay_comparison comparison;
    REFUSES(bks_replay_compare(replay, NULL, &comparison, NULL) == BKS_ERR_BAD_ARGUMENT, "b", NULL);
    REFUSES(bks_replay_compare(replay, replay, NULL, NULL) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    REFUSES(bks_replay_state_at(replay, 0, NULL, 0, NULL, NULL) == BKS_ERR_BAD_ARGUMENT,
            "out_count", NULL);
    REFUSES(bks_replay_state_at(replay, 77, NULL, 0, &count, NULL) == BKS_ERR_INCOMPLETE, "tick",
            "no state of tick 77");
    REFUSES(bks_replay_rollback_at(replay, 0, &rollback) == BKS_ERR_BAD_ARGUMENT, "index",
            "below 0");
    bks_replay_repair repair;
    REFUSES(bks_replay_repair_at(replay, 0, &repair) == BKS_ERR_BAD_ARGUMENT, "index", "below 0");
    REFUSES(bks_replay_repair_at(NULL, 0, &repair) == BKS_ERR_BAD_ARGUMENT, "replay", NULL);
    REFUSES(!bks_replay_is_repaired(NULL, 0), "replay", NULL);
    REFUSES(bks_replay_agreed_hash(replay, 0, NULL) == BKS_ERR_BAD_ARGUMENT, "out_hash", NULL);
    REFUSES(bks_replay_rollback_inputs(NULL, 0, 0, values) == BKS_ERR_BAD_ARGUMENT, "replay", NULL);
    REFUSES(bks_replay_rollback_inputs(replay, 0, 0, NULL) == BKS_ERR_BAD_ARGUMENT, "values", NULL);
    bks_replay_player player;
    const bks_field other = {.name = "run", .bits = 3};
    const bks_field *fields = good_game.fields;
    REFUSES(bks_replay_player_init(NULL, replay, 0, fields, 1, &wrong) == BKS_ERR_BAD_ARGUMENT,
            "player", NULL);
    REFUSES(bks_replay_player_init(&player, NULL, 0, fields, 1, &wrong) == BKS_ERR_BAD_ARGUMENT,
            "replay", NULL);
    REFUSES(bks_replay_player_init(&player, replay, 2, fields, 1, &wrong) == BKS_ERR_BAD_ARGUMENT,
            "index", "0..1");
    REFUSES(bks_replay_player_init(&player, replay, 0, NULL, 1, &wrong) == BKS_ERR_BAD_ARGUMENT,
            "fields", NULL);
    REFUSES(bks_replay_player_init(&player, replay, 0, &other, 1, &wrong) == BKS_ERR_UNSUPPORTED,
            "run", NULL);
    bks_source source = {0};
    REFUSES((source = bks_replay_player_source(NULL)).sample != NULL, "player", NULL);
    const bks_sample sample = {.field_count = 1};
    values[0] = 0;
    source.sample(source.context, &sample, values); // stays neutral
    bad_arguments_need(values[0] == 0, "a player that is not there plays nothing");
}

static bool see_part(void *context, const bks_evidence_part *part)
{
    (void)context;
    (void)part;
    return false;
}

static bool see_entry(void *context, const bks_log_entry *entry)
{
    (void)context;
    (void)entry;
    return false;
}

static void of_evidence(bks_replay *replay)
{
    bks_replay_evidence evidence;
    REFUSES(bks_replay_evidence_at(NULL, 0, &evidence) == BKS_ERR_BAD_ARGUMENT, "replay", NULL);
    REFUSES(bks_replay_evidence_at(replay, 0, NULL) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    REFUSES(bks_replay_evidence_at(replay, 0, &evidence) == BKS_ERR_BAD_ARGUMENT, "index",
            "below 0");
    REFUSES(bks_replay_evidence_parts(NULL, 0, see_part, NULL) == BKS_ERR_BAD_ARGUMENT, "replay",
            NULL);
    REFUSES(bks_replay_evidence_parts(replay, 0, NULL, NULL) == BKS_ERR_BAD_ARGUMENT, "visit",
            NULL);
    REFUSES(bks_replay_evidence_parts(replay, 0, see_part, NULL) == BKS_ERR_BAD_ARGUMENT, "index",
            "below 0");
    REFUSES(bks_replay_log(NULL, see_entry, NULL) == BKS_ERR_BAD_ARGUMENT, "replay", NULL);
    REFUSES(bks_replay_log(replay, NULL, NULL) == BKS_ERR_BAD_ARGUMENT, "visit", NULL);
    ALLOWS(bks_replay_log(replay, see_entry, NULL) == BKS_OK);
    ALLOWS(bks_entry_kind_name((bks_entry_kind)99)[0] == 'u');
}

static void of_copy(bks_replay *replay)
{
    const bks_sink sink = {.write = write_nothing};
    bks_replay_copy_config config = {.sink = sink};
    REFUSES(bks_replay_copy(NULL, NULL, &wrong) == BKS_ERR_BAD_ARGUMENT, "config", NULL);
    REFUSES(bks_replay_copy(&config, NULL, &wrong) == BKS_ERR_BAD_CONFIG, "replay", NULL);
    config.replay = replay;
    config.sink.write = NULL;
    REFUSES(bks_replay_copy(&config, NULL, &wrong) == BKS_ERR_BAD_CONFIG, "sink.write", NULL);
    config.sink = sink;
    config.from = 2;
    REFUSES(bks_replay_copy(&config, NULL, &wrong) == BKS_ERR_BAD_CONFIG, "from", "0..1");
    config.from = 0;
    config.until = 3;
    REFUSES(bks_replay_copy(&config, NULL, &wrong) == BKS_ERR_BAD_CONFIG, "until", "1..2");
    config.until = 0;
    config.state = &config;
    REFUSES(bks_replay_copy(&config, NULL, &wrong) == BKS_ERR_BAD_CONFIG, "state_bytes",
            "1..1073741824");
    config.state = NULL;
    config.allocator.release = (void (*)(void *, void *, size_t))1;
    REFUSES(bks_replay_copy(&config, NULL, &wrong) == BKS_ERR_BAD_CONFIG, "allocator", NULL);
    config.allocator.release = NULL;
    REFUSES(bks_replay_copy(&config, NULL, &wrong) == BKS_ERR_IO, "sink.write", NULL);
}

static void of_ticks(bks_replay *replay)
{
    bks_replay_ticks ticks = {.first = 7};
    REFUSES(bks_replay_ticks_from(NULL, 0, &ticks) == BKS_ERR_BAD_ARGUMENT, "replay", NULL);
    REFUSES(bks_replay_ticks_from(replay, 0, NULL) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    REFUSES(bks_replay_ticks_from(replay, -1, &ticks) == BKS_ERR_BAD_ARGUMENT, "tick",
            "0 or above");
    ALLOWS(bks_replay_ticks_from(replay, 2, &ticks) == BKS_OVER && ticks.first == 7);
    ALLOWS(bks_replay_ticks_from(replay, INT32_MAX, &ticks) == BKS_OVER);
    ALLOWS(bks_replay_ticks_from(replay, 0, &ticks) == BKS_OK && ticks.end == 2);
}

static void of_playback(bks_replay *replay)
{
    bks_playback_config config = {.replay = replay, .game = &good_game};
    bks_playback *playback = NULL;
    playback = (void *)&wrong;
    REFUSES(bks_playback_create(NULL, &playback, &wrong) == BKS_ERR_BAD_ARGUMENT &&
                playback == NULL,
            "config", NULL);
    REFUSES(bks_playback_create(&config, NULL, &wrong) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    config.replay = NULL;
    REFUSES(bks_playback_create(&config, &playback, &wrong) < 0, "replay", NULL);
    config.replay = replay;
    config.game = NULL;
    REFUSES(bks_playback_create(&config, &playback, &wrong) < 0, "game", NULL);
    bks_game other = good_game;
    other.version = 2;
    config.game = &other;
    REFUSES(bks_playback_create(&config, &playback, &wrong) == BKS_ERR_UNSUPPORTED, "version",
            NULL);
    bks_option_values options;
    REFUSES(bks_playback_options(&config, &options, &wrong) == BKS_ERR_UNSUPPORTED, "version",
            NULL);
    REFUSES(bks_playback_options(NULL, &options, &wrong) == BKS_ERR_BAD_ARGUMENT, "config", NULL);
    REFUSES(bks_playback_options(&config, NULL, &wrong) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    config.game = NULL;
    REFUSES(bks_playback_options(&config, &options, &wrong) == BKS_ERR_BAD_ARGUMENT, "game", NULL);
    ALLOWS((bks_playback_destroy(NULL), true));
    REFUSES(bks_playback_step(NULL) == BKS_ERR_BAD_ARGUMENT, "playback", NULL);
    const int32_t inputs[2] = {0};
    REFUSES(bks_playback_step_with(NULL, inputs) == BKS_ERR_BAD_ARGUMENT, "playback", NULL);
    REFUSES(bks_playback_tick(NULL) == 0, "playback", NULL);
    REFUSES(bks_playback_confirmed(NULL) == 0, "playback", NULL);
    REFUSES(bks_playback_state(NULL) == NULL, "playback", NULL);
    bks_frame frame;
    REFUSES(bks_playback_frame(NULL, 0.5f, &frame) == BKS_ERR_BAD_ARGUMENT, "playback", NULL);
    REFUSES(bks_playback_hash(NULL) == 0, "playback", NULL);
    REFUSES(bks_playback_listen(NULL, NULL) == BKS_ERR_BAD_ARGUMENT, "playback", NULL);
    config.game = &good_game;
    bad_arguments_need(bks_playback_create(&config, &playback, &wrong) == BKS_OK, "a playback");
    REFUSES(bks_playback_step_with(playback, NULL) == BKS_ERR_BAD_ARGUMENT, "inputs", NULL);
    REFUSES(bks_playback_frame(playback, 0.5f, NULL) == BKS_ERR_BAD_ARGUMENT, "frame", NULL);
    REFUSES(bks_playback_frame(playback, -0.5f, &frame) == BKS_ERR_BAD_ARGUMENT, "share", NULL);
    REFUSES(bks_playback_frame(playback, 1.5f, &frame) == BKS_ERR_BAD_ARGUMENT, "share", NULL);
    ALLOWS(bks_playback_listen(playback, NULL) == BKS_OK);
    ALLOWS(bks_playback_step(playback) == BKS_OK && bks_playback_step(playback) == BKS_OK);
    ALLOWS(bks_playback_step(playback) == BKS_OVER);
    REFUSES(bks_playback_seek(playback, 3, &wrong) == BKS_ERR_BAD_ARGUMENT, "tick", "0..2");
    REFUSES(bks_playback_seek(playback, -1, &wrong) == BKS_ERR_BAD_ARGUMENT, "tick", "0..2");
    REFUSES(bks_playback_seek(NULL, 0, &wrong) == BKS_ERR_BAD_ARGUMENT, "playback", NULL);
    REFUSES(bks_playback_approach(playback, 0, 0, &wrong) == BKS_ERR_BAD_ARGUMENT, "ticks_most",
            "at least 1");
    REFUSES(bks_playback_export(NULL, NULL, 0) == 0, "playback", NULL);
    uint64_t hash = 0;
    REFUSES(bks_playback_confirmed_hash(NULL, 0, &hash) == BKS_ERR_BAD_ARGUMENT, "playback", NULL);
    REFUSES(bks_playback_confirmed_hash(playback, 2, NULL) == BKS_ERR_BAD_ARGUMENT, "out_hash",
            NULL);
    REFUSES(bks_playback_confirmed_hash(playback, -1, &hash) == BKS_ERR_BAD_ARGUMENT, "tick",
            "0..2");
    ALLOWS(bks_playback_confirmed_hash(playback, 2, &hash) == BKS_OK);
    bks_playback_counts costs;
    bks_cue_event cue;
    REFUSES(!bks_playback_cue(NULL, &cue), "playback", NULL);
    REFUSES(!bks_playback_cue(playback, NULL), "event", NULL);
    REFUSES(bks_playback_costs(NULL, &costs) == BKS_ERR_BAD_ARGUMENT, "playback", NULL);
    REFUSES(bks_playback_costs(playback, NULL) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    bks_playback_destroy(playback);

    bks_verify_result result;
    REFUSES(bks_replay_verify(NULL, NULL, &result, &wrong) == BKS_ERR_BAD_ARGUMENT, "config", NULL);
    REFUSES(bks_replay_verify(&config, NULL, NULL, &wrong) == BKS_ERR_BAD_ARGUMENT, "result", NULL);
    static const bks_verify_part parts[] = {
        {.from = 3}, {.from = -1}, {.from = 1, .until = 3}, {.from = 2, .until = 1}};
    static const char *const ranges[] = {"0..2", "0..2", "1..2", "2..2"};
    for (size_t i = 0; i < 4; i++) {
        REFUSES(bks_replay_verify(&config, &parts[i], &result, &wrong) == BKS_ERR_BAD_ARGUMENT,
                i < 2 ? "from" : "until", ranges[i]);
    }
    bks_tick untils[2];
    REFUSES(bks_replay_split(NULL, 2, untils) == 0, "config", NULL);
    REFUSES(bks_replay_split(&config, 2, NULL) == 0, "untils", NULL);
    config.from_recorded_state = true;
    REFUSES(bks_replay_verify(&config, NULL, &result, &wrong) == BKS_ERR_BAD_ARGUMENT,
            "from_recorded_state", "must be false");
}

void bad_arguments_of_replay(void)
{
    of_writer_config();
    of_keyframes_and_events();
    of_writer();
    of_growing_replay();
    of_no_replay();
    bks_replay *replay = NULL;
    bad_arguments_need(bks_replay_open(file.bytes, file.count, NULL, &replay, &wrong) == BKS_OK,
                       "a recording");
    of_replay(replay);
    of_ticks(replay);
    of_copy(replay);
    of_evidence(replay);
    of_playback(replay);
    bks_replay_close(replay);
}
