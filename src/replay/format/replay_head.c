// SPDX-License-Identifier: MIT

#include "replay/format/replay_head.h"

#include <stdio.h>
#include <string.h>

#include "backstitch/toolkit/writer.h"
#include "base/bytes.h"
#include "base/report.h"
#include "replay/format/replay_state.h"
#include "replay/format/replay_tail.h"
#include "state/place.h"

#define FIELD_IS_SIGNED 1u

#define TEXT_OF(x)    TEXT_OF_AS(x)
#define TEXT_OF_AS(x) #x

#if defined(__clang__)
#define COMPILER \
    "clang " TEXT_OF(__clang_major__) "." TEXT_OF(__clang_minor__) "." TEXT_OF(__clang_patchlevel__)
#elif defined(__GNUC__)
#define COMPILER \
    "gcc " TEXT_OF(__GNUC__) "." TEXT_OF(__GNUC_MINOR__) "." TEXT_OF(__GNUC_PATCHLEVEL__)
#else
#define COMPILER "unknown"
#endif

#if defined(__x86_64__) || defined(_M_X64)
#define ARCHITECTURE "x86_64"
#elif defined(__i386__) || defined(_M_IX86)
#define ARCHITECTURE "i386"
#elif defined(__aarch64__) || defined(_M_ARM64)
#define ARCHITECTURE "aarch64"
#elif defined(__arm__)
#define ARCHITECTURE "arm"
#elif defined(__riscv)
#define ARCHITECTURE "riscv"
#elif defined(__s390x__)
#define ARCHITECTURE "s390x"
#elif defined(__powerpc64__)
#define ARCHITECTURE "ppc64"
#elif defined(__wasm__)
#define ARCHITECTURE "wasm"
#else
#define ARCHITECTURE "unknown"
#endif

#if defined(_WIN32)
#define SYSTEM "windows"
#elif defined(__EMSCRIPTEN__)
#define SYSTEM "emscripten"
#elif defined(__wasi__)
#define SYSTEM "wasi"
#elif defined(__APPLE__)
#define SYSTEM "apple"
#elif defined(__linux__)
#define SYSTEM "linux"
#else
#define SYSTEM "unknown"
#endif

static void add_environment(bksi_replay_head *head, const char *name, const char *value)
{
    bks_replay_pair *pair = &head->environment[head->environment_count++];
    (void)snprintf(pair->name, sizeof(pair->name), "%s", name);
    (void)snprintf(pair->value, sizeof(pair->value), "%s", value);
}

/// Describe what may make two builds of one game step differently. The description never names the
/// user or the location.
static void fill_environment(bksi_replay_head *head)
{
    const uint16_t one = 1;
    uint8_t first_byte = 0;
    memcpy(&first_byte, &one, 1);
    char version[32];
    (void)snprintf(version, sizeof(version), "%d.%d.%d", BKS_VERSION / 10000,
                   BKS_VERSION / 100 % 100, BKS_VERSION % 100);
    add_environment(head, "library", version);
    add_environment(head, "compiler", COMPILER);
    add_environment(head, "architecture", ARCHITECTURE);
    add_environment(head, "pointer_bits", sizeof(void *) == 8 ? "64" : "32");
    add_environment(head, "byte_order", first_byte == 1 ? "little" : "big");
    add_environment(head, "system", SYSTEM);
}

/// Copy a text. It must be printable ASCII and fit with its terminating zero.
static bks_status copy_text(char *out, size_t capacity, const char *text, const char *field,
                            bks_error *error)
{
    size_t length = 0;
    for (; length < capacity && text[length] != '\0'; length++) {
        if (text[length] < 0x20 || text[length] > 0x7e) {
            return bksi_fail(error, BKS_ERR_BAD_CONFIG, "replay.config", field,
                             "%s has the byte 0x%02x at %zu, must be printable ASCII", field,
                             (unsigned)(uint8_t)text[length], length);
        }
    }
    if (length == capacity) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, "replay.config", field,
                         "%s is longer than %zu bytes, must be 0..%zu", field, capacity - 1,
                         capacity - 1);
    }
    memcpy(out, text, length);
    memset(out + length, 0, capacity - length);
    return BKS_OK;
}

static bks_status fill_ranges(bksi_replay_head *head, const bks_replay_config *config,
                              bks_error *error)
{
    const bks_game *game = config->game;
    const bks_status status =
        bksi_ranges_check(game->ranges, game->range_count, "replay.config", error);
    if (status != BKS_OK) {
        return status;
    }
    for (uint32_t i = 0; i < game->range_count; i++) {
        (void)copy_text(head->range_names[i], sizeof(head->range_names[i]), game->ranges[i].name,
                        "ranges", NULL);
        head->ranges[i] = game->ranges[i];
        head->ranges[i].name = head->range_names[i];
        head->ranges[i].is_recorded = game->ranges[i].is_recorded && config->detail.values;
    }
    head->range_count = game->range_count;
    return BKS_OK;
}

static bks_status take_environment(bksi_replay_head *head, const bks_replay_config *config,
                                   bks_error *error)
{
    if (config->environment == NULL) {
        fill_environment(head);
        return BKS_OK;
    }
    if (config->environment_count > BKS_REPLAY_ENVIRONMENT_MAX) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, "replay.config", "environment_count",
                         "environment_count is %u, must be 0..%d", config->environment_count,
                         BKS_REPLAY_ENVIRONMENT_MAX);
    }
    head->environment_count = config->environment_count;
    bks_status status = BKS_OK;
    for (uint32_t i = 0; i < config->environment_count && status == BKS_OK; i++) {
        bks_replay_pair *pair = &head->environment[i];
        status = copy_text(pair->name, sizeof(pair->name), config->environment[i].name,
                           "environment", error);
        if (status == BKS_OK) {
            status = copy_text(pair->value, sizeof(pair->value), config->environment[i].value,
                               "environment", error);
        }
    }
    return status;
}

bks_status bksi_replay_head_fill(bksi_replay_head *head, const bks_replay_config *config,
                                 uint32_t slot_blocks, bks_error *error)
{
    const bks_game *game = config->game;
    memset(head, 0, sizeof(*head));
    head->version = game->version;
    head->tick_rate_hz = config->tick_rate_hz;
    head->players = config->players;
    head->seed = config->seed;
    head->slot_blocks = slot_blocks;
    head->first_tick = config->first_tick;
    head->hash_bits = config->detail.hash_bits;
    head->full_hash_ticks = config->detail.full_hash_ticks;
    head->field_count = game->field_count;
    bks_status status = copy_text(head->game, sizeof(head->game), game->name, "game", error);
    if (status == BKS_OK && config->build != NULL) {
        status = copy_text(head->build, sizeof(head->build), config->build, "build", error);
    }
    for (uint32_t i = 0; i < game->field_count; i++) {
        (void)snprintf(head->field_names[i], sizeof(head->field_names[i]), "%s",
                       game->fields[i].name);
        head->fields[i] = game->fields[i];
        head->fields[i].name = head->field_names[i];
    }
    head->option_count = game->option_count;
    for (uint32_t i = 0; i < game->option_count && status == BKS_OK; i++) {
        bks_replay_pair *pair = &head->options[i];
        status = copy_text(pair->name, sizeof(pair->name), game->options[i].name, "options", error);
        if (status == BKS_OK) {
            status = copy_text(pair->value, sizeof(pair->value), config->options.text[i], "options",
                               error);
        }
    }
    status = status == BKS_OK ? take_environment(head, config, error) : status;
    return status == BKS_OK ? fill_ranges(head, config, error) : status;
}

static void write_pairs(bksi_byte_writer *writer, const bks_replay_pair *pairs, uint32_t count)
{
    bksi_write_u8(writer, (uint8_t)count);
    for (uint32_t i = 0; i < count; i++) {
        bksi_write_text(writer, pairs[i].name);
        bksi_write_text(writer, pairs[i].value);
    }
}

static void write_ranges(bksi_byte_writer *writer, const bksi_replay_head *head)
{
    bksi_write_u16(writer, (uint16_t)head->range_count);
    for (uint32_t i = 0; i < head->range_count; i++) {
        const bks_state_range *range = &head->ranges[i];
        bksi_write_text(writer, range->name);
        bksi_write_u64(writer, range->offset_bytes);
        bksi_write_u32(writer, range->count);
        bksi_write_u8(writer, (uint8_t)range->type);
        bksi_write_u8(writer, range->is_recorded);
    }
}

size_t bksi_replay_head_write(const bksi_replay_head *head, uint8_t *out, size_t capacity)
{
    bksi_byte_writer writer = bksi_byte_writer_over(out, capacity);
    bksi_write_text(&writer, head->game);
    bksi_write_u32(&writer, head->version);
    bksi_write_text(&writer, head->build);
    bksi_write_u32(&writer, head->tick_rate_hz);
    bksi_write_u32(&writer, head->players);
    bksi_write_u64(&writer, head->seed);
    bksi_write_u32(&writer, head->slot_blocks);
    bksi_write_u64(&writer, head->tail_offset);
    bksi_write_u32(&writer, (uint32_t)head->first_tick);
    bksi_write_u8(&writer, (uint8_t)head->hash_bits);
    bksi_write_u32(&writer, head->full_hash_ticks);
    bksi_write_u8(&writer, (uint8_t)head->field_count);
    for (uint32_t i = 0; i < head->field_count; i++) {
        const bks_field *field = &head->fields[i];
        bksi_write_text(&writer, field->name);
        bksi_write_u8(&writer, (uint8_t)field->bits);
        bksi_write_u8(&writer, field->is_signed ? FIELD_IS_SIGNED : 0);
        bksi_write_u8(&writer, (uint8_t)field->group);
        bksi_write_u32(&writer, (uint32_t)field->neutral);
    }
    write_pairs(&writer, head->options, head->option_count);
    write_pairs(&writer, head->environment, head->environment_count);
    write_ranges(&writer, head);
    return writer.failed ? 0 : writer.at;
}

static uint32_t read_pairs(bksi_byte_reader *reader, bks_replay_pair *pairs, uint32_t capacity)
{
    const uint32_t count = bksi_read_u8(reader);
    if (count > capacity) {
        reader->failed = true;
        return 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        bksi_read_text(reader, pairs[i].name, sizeof(pairs[i].name));
        bksi_read_text(reader, pairs[i].value, sizeof(pairs[i].value));
    }
    return count;
}

static void read_fields(bksi_byte_reader *reader, bksi_replay_head *head)
{
    head->field_count = bksi_read_u8(reader);
    if (head->field_count > BKS_FIELDS_MAX) {
        reader->failed = true;
        head->field_count = 0;
    }
    for (uint32_t i = 0; i < head->field_count; i++) {
        bks_field *field = &head->fields[i];
        bksi_read_text(reader, head->field_names[i], sizeof(head->field_names[i]));
        field->name = head->field_names[i];
        field->bits = bksi_read_u8(reader);
        const uint8_t flags = bksi_read_u8(reader);
        field->is_signed = (flags & FIELD_IS_SIGNED) != 0;
        field->group = bksi_read_u8(reader);
        field->neutral = (int32_t)bksi_read_u32(reader);
        reader->failed = reader->failed || (flags & ~FIELD_IS_SIGNED) != 0;
    }
}

static void read_ranges(bksi_byte_reader *reader, bksi_replay_head *head)
{
    head->range_count = bksi_read_u16(reader);
    if (head->range_count > BKS_STATE_RANGES_MAX) {
        reader->failed = true;
        head->range_count = 0;
    }
    for (uint32_t i = 0; i < head->range_count; i++) {
        bks_state_range *range = &head->ranges[i];
        bksi_read_text(reader, head->range_names[i], sizeof(head->range_names[i]));
        range->name = head->range_names[i];
        range->offset_bytes = bksi_read_u64(reader);
        range->count = bksi_read_u32(reader);
        range->type = (bks_state_type)bksi_read_u8(reader);
        const uint8_t recorded = bksi_read_u8(reader);
        range->is_recorded = recorded == 1;
        reader->failed =
            reader->failed || recorded > 1 || range->name[0] == '\0' || !bksi_range_is_sound(range);
    }
}

static bks_status check_tail(const bksi_replay_head *head, uint32_t format, uint64_t offset,
                             bks_error *error)
{
    static const char id[] = "replay.head";
    const uint32_t least = format > 1 ? BKSI_SLOT_BLOCKS_MIN : BKSI_SLOT_BLOCKS_MIN_1;
    if (head->slot_blocks < least || head->slot_blocks > BKSI_SLOT_BLOCKS_MAX) {
        return bksi_fail_at(error, BKS_ERR_DAMAGED, id, offset, "slot_blocks is %u, must be %u..%u",
                            head->slot_blocks, least, BKSI_SLOT_BLOCKS_MAX);
    }
    if (format > 1 && (head->tail_offset % BKSI_BLOCK_BYTES != 0 || head->tail_offset < offset ||
                       head->tail_offset > BKSI_TAIL_OFFSET_MAX)) {
        return bksi_fail_at(error, BKS_ERR_DAMAGED, id, offset,
                            "the slots are at %llu, where they cannot be",
                            (unsigned long long)head->tail_offset);
    }
    return BKS_OK;
}

static bks_status check_numbers(const bksi_replay_head *head, uint64_t offset, bks_error *error)
{
    static const char id[] = "replay.head";
    if (head->game[0] == '\0') {
        return bksi_fail_at(error, BKS_ERR_DAMAGED, id, offset, "the game has no name");
    }
    if (head->players < 1 || head->players > BKS_PLAYERS_MAX) {
        return bksi_fail_at(error, BKS_ERR_DAMAGED, id, offset, "players is %u, must be 1..%d",
                            head->players, BKS_PLAYERS_MAX);
    }
    if (head->tick_rate_hz < 1 || head->tick_rate_hz > 1000) {
        return bksi_fail_at(error, BKS_ERR_DAMAGED, id, offset,
                            "tick_rate_hz is %u, must be 1..1000", head->tick_rate_hz);
    }
    if (head->hash_bits < 1 || head->hash_bits > 64 || head->full_hash_ticks < 1 ||
        head->full_hash_ticks > INT32_MAX) {
        return bksi_fail_at(error, BKS_ERR_DAMAGED, id, offset,
                            "hashes have %u bits and all 64 every %u ticks, must be 1..64 and "
                            "1..2147483647",
                            head->hash_bits, head->full_hash_ticks);
    }
    bks_error why;
    if (bks_fields_check(head->fields, head->field_count, &why) != BKS_OK) {
        return bksi_fail_at(error, BKS_ERR_DAMAGED, id, offset, "the layout is not valid: %s",
                            why.text);
    }
    return BKS_OK;
}

bks_status bksi_replay_head_read(bksi_replay_head *head, uint32_t format, const uint8_t *bytes,
                                 size_t count, uint64_t offset, bks_error *error)
{
    memset(head, 0, sizeof(*head));
    bksi_byte_reader reader = bksi_byte_reader_over(bytes, count);
    bksi_read_text(&reader, head->game, sizeof(head->game));
    head->version = bksi_read_u32(&reader);
    bksi_read_text(&reader, head->build, sizeof(head->build));
    head->tick_rate_hz = bksi_read_u32(&reader);
    head->players = bksi_read_u32(&reader);
    head->seed = bksi_read_u64(&reader);
    head->slot_blocks = bksi_read_u32(&reader);
    head->tail_offset = format > 1 ? bksi_read_u64(&reader) : 0;
    const uint32_t first_tick = format > 1 ? bksi_read_u32(&reader) : 0;
    head->first_tick = (bks_tick)(first_tick & INT32_MAX);
    reader.failed = reader.failed || first_tick > INT32_MAX;
    head->hash_bits = format > 1 ? bksi_read_u8(&reader) : 16;
    head->full_hash_ticks = format > 1 ? bksi_read_u32(&reader) : head->tick_rate_hz;
    read_fields(&reader, head);
    head->option_count = read_pairs(&reader, head->options, BKS_OPTIONS_MAX);
    head->environment_count = read_pairs(&reader, head->environment, BKS_REPLAY_ENVIRONMENT_MAX);
    if (format > 1) {
        read_ranges(&reader, head);
    }
    if (reader.failed) {
        return bksi_fail_at(error, BKS_ERR_DAMAGED, "replay.head", offset,
                            "the HEAD record has invalid contents");
    }
    if (bksi_byte_reader_left(&reader) != 0) {
        return bksi_fail_at(error, BKS_ERR_DAMAGED, "replay.head", offset,
                            "the HEAD record has %zu bytes too many",
                            bksi_byte_reader_left(&reader));
    }
    const bks_status status = check_tail(head, format, offset, error);
    return status == BKS_OK ? check_numbers(head, offset, error) : status;
}
