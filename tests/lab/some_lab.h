// SPDX-License-Identifier: MIT

/// @file some_lab.h
/// A lab with the game `pad` and a monkey on every seat.

#ifndef TEST_SOME_LAB_H
#define TEST_SOME_LAB_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/toolkit/lab.h"
#include "pad/pad.h"

#define SOME_SECOND_NS UINT64_C(1000000000)

static bks_monkey some_monkeys[BKS_PLAYERS_MAX];

/// Return a config of `peers` peers, with monkeys for one match.
static inline bks_lab_config some_lab_config(uint64_t seed, uint32_t peers, bks_tick ticks)
{
    bks_lab_config config = bks_lab_config_default();
    config.game = &pad_game;
    config.seed = seed;
    config.peers = peers;
    config.ticks = ticks;
    for (uint32_t i = 0; i < BKS_PLAYERS_MAX; i++) {
        assert_int_equal(bks_monkey_init(&some_monkeys[i], pad_game.fields, pad_game.field_count,
                                         seed, i, 5, 30, NULL),
                         BKS_OK);
        config.sources[i] = bks_monkey_source(&some_monkeys[i]);
    }
    return config;
}

/// Create a lab; `link` and `fault` may be NULL.
static inline bks_lab *some_lab(const bks_lab_config *config, const char *link, const char *fault)
{
    bks_error error = {0};
    bks_lab *lab = NULL;
    bks_status status = bks_lab_create(config, &lab, &error);
    if (status == BKS_OK && link != NULL) {
        status = bks_lab_link(lab, link, &error);
    }
    if (status == BKS_OK && fault != NULL) {
        status = bks_lab_fault(lab, fault, &error);
    }
    if (status != BKS_OK) {
        fail_msg("%s", error.text);
    }
    return lab;
}

/// Bytes of a recording.
typedef struct some_recording {
    uint8_t bytes[400000];
    size_t count;
} some_recording;

/// Write bytes to a some_recording, the context of a sink.
static inline bks_status some_record(void *context, uint64_t offset_bytes, const void *bytes,
                                     size_t count)
{
    some_recording *to = context;
    if (offset_bytes + count > sizeof(to->bytes)) {
        return BKS_ERR_IO;
    }
    const size_t at = (size_t)offset_bytes;
    memcpy(to->bytes + at, bytes, count);
    to->count = at + count > to->count ? at + count : to->count;
    return BKS_OK;
}

/// Return how often something happened.
static inline uint64_t some_moment(const bks_lab_result *result, const char *name)
{
    for (uint32_t i = 0; i < result->moment_count; i++) {
        if (strcmp(result->moments[i].name, name) == 0) {
            return result->moments[i].count;
        }
    }
    fail_msg("no moment is called %s", name);
    return 0;
}

/// Run a match to its end.
static inline bks_lab_result some_match(const bks_lab_config *config, const char *link,
                                        const char *fault)
{
    bks_lab *lab = some_lab(config, link, fault);
    while (bks_lab_advance(lab, bks_lab_now(lab) + SOME_SECOND_NS)) {
    }
    bks_lab_result result;
    assert_int_equal(bks_lab_outcome(lab, &result), BKS_OK);
    assert_true(result.is_over);
    bks_lab_destroy(lab);
    return result;
}

static inline void assert_agreed(const bks_lab_result *result, bks_tick ticks)
{
    if (!result->agreed) {
        fail_msg("not agreed: %s", result->reason);
    }
    assert_int_equal(result->compared, ticks);
    assert_true(result->has_final_hash);
    assert_int_equal(result->desync_tick, BKS_TICK_NONE);
    assert_string_equal(result->reason, "");
}

static inline uint64_t fault_count(const bks_lab_result *result, const char *name)
{
    for (uint32_t i = 0; i < result->fault_count; i++) {
        if (strcmp(result->faults[i].name, name) == 0) {
            return result->faults[i].count;
        }
    }
    fail_msg("no fault is called %s", name);
    return 0;
}

#endif
