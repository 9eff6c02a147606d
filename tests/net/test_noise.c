// SPDX-License-Identifier: MIT

// The handshake against an independent implementation's messages (noise_vectors.py), and what must
// not get through it.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/noise.h"
#include "support/seed.h"

#define KEY_BYTES    BKSI_NOISE_KEY_BYTES
#define MESSAGE_MAX  1300u
#define LINE_MAX     4096
#define FIELD_MAX    2600
#define MESSAGES     3
#define VECTORS_PATH BKS_TEST_SOURCE_DIR "/tests/data/noise_vectors.txt"

typedef struct bytes {
    uint8_t at[FIELD_MAX / 2];
    size_t count;
} bytes;

/// One handshake of the file.
typedef struct vector {
    bytes prologue, psk, statics[2], ephemerals[2], payloads[MESSAGES], messages[MESSAGES], keys[2];
} vector;

static void read_field(FILE *file, const char *name, bytes *out)
{
    static char line[LINE_MAX];
    static char value[LINE_MAX];
    char found[64];
    assert_non_null(fgets(line, sizeof(line), file));
    assert_int_equal(sscanf(line, "%63s %4095s", found, value), 2);
    assert_string_equal(found, name);
    out->count = strcmp(value, "-") == 0 ? 0 : strlen(value) / 2;
    for (size_t i = 0; i < out->count; i++) {
        unsigned byte = 0;
        assert_int_equal(sscanf(value + 2 * i, "%2x", &byte), 1);
        out->at[i] = (uint8_t)byte;
    }
}

/// The next handshake of the file, false when there is none.
static bool read_vector(FILE *file, vector *out)
{
    char line[64];
    if (fgets(line, sizeof(line), file) == NULL) {
        return false;
    }
    assert_memory_equal(line, "case ", 5);
    read_field(file, "prologue", &out->prologue);
    read_field(file, "psk", &out->psk);
    read_field(file, "initiator_static", &out->statics[0]);
    read_field(file, "initiator_ephemeral", &out->ephemerals[0]);
    read_field(file, "responder_static", &out->statics[1]);
    read_field(file, "responder_ephemeral", &out->ephemerals[1]);
    for (int i = 0; i < MESSAGES; i++) {
        char name[32];
        (void)snprintf(name, sizeof(name), "payload_%d", i + 1);
        read_field(file, name, &out->payloads[i]);
        (void)snprintf(name, sizeof(name), "message_%d", i + 1);
        read_field(file, name, &out->messages[i]);
    }
    read_field(file, "initiator_sends_with", &out->keys[0]);
    read_field(file, "responder_sends_with", &out->keys[1]);
    return true;
}

/// Both sides of a handshake.
typedef struct pair {
    bksi_noise noise[2];
    bksi_noise_pair statics[2];
    uint8_t ephemerals[2][KEY_BYTES];
} pair;

static void begin(pair *p, const vector *from)
{
    for (int side = 0; side < 2; side++) {
        bksi_noise_begin(&p->noise[side], from->prologue.at, from->prologue.count, from->psk.at);
        bksi_noise_make_pair(&p->statics[side], from->statics[side].at);
        memcpy(p->ephemerals[side], from->ephemerals[side].at, KEY_BYTES);
    }
}

static size_t write_next(pair *p, int message, const bytes *payload, uint8_t *out)
{
    int side = message % 2;
    return bksi_noise_write(&p->noise[side], &p->statics[side],
                            message < 2 ? p->ephemerals[side] : NULL, payload->at, payload->count,
                            out);
}

static vector first_vector(void)
{
    FILE *file = fopen(VECTORS_PATH, "r");
    assert_non_null(file);
    char line[128];
    assert_non_null(fgets(line, sizeof(line), file));
    vector found;
    assert_true(read_vector(file, &found));
    assert_true(read_vector(file, &found)); // the second has payloads
    assert_int_equal(fclose(file), 0);
    return found;
}

static void every_message_is_that_of_the_other_implementation(void **context)
{
    (void)context;
    FILE *file = fopen(VECTORS_PATH, "r");
    assert_non_null(file);
    char line[128];
    assert_non_null(fgets(line, sizeof(line), file));
    static vector v;
    int handshakes = 0;
    while (read_vector(file, &v)) {
        pair p;
        begin(&p, &v);
        for (int m = 0; m < MESSAGES; m++) {
            uint8_t message[MESSAGE_MAX];
            uint8_t payload[MESSAGE_MAX];
            size_t count = 0;
            assert_int_equal(write_next(&p, m, &v.payloads[m], message), v.messages[m].count);
            assert_memory_equal(message, v.messages[m].at, v.messages[m].count);
            assert_true(bksi_noise_read(&p.noise[1 - m % 2], v.messages[m].at, v.messages[m].count,
                                        payload, &count));
            assert_int_equal(count, v.payloads[m].count);
            assert_memory_equal(payload, v.payloads[m].at, count);
        }
        for (int side = 0; side < 2; side++) {
            uint8_t send[KEY_BYTES];
            uint8_t receive[KEY_BYTES];
            bksi_noise_split(&p.noise[side], send, receive);
            assert_memory_equal(send, v.keys[side].at, KEY_BYTES);
            assert_memory_equal(receive, v.keys[1 - side].at, KEY_BYTES);
            assert_memory_equal(p.noise[side].remote_static, p.statics[1 - side].open, KEY_BYTES);
        }
        handshakes++;
    }
    assert_int_equal(handshakes, 4);
    assert_int_equal(fclose(file), 0);
}

/// Damaged, cut or lengthened, a message is refused and nothing changes; the right one then goes.
static void a_message_that_was_touched_is_refused_and_changes_nothing(void **context)
{
    (void)context;
    vector v = first_vector();
    pair p;
    begin(&p, &v);
    for (int m = 0; m < MESSAGES; m++) {
        bksi_noise *reader = &p.noise[1 - m % 2];
        uint8_t message[MESSAGE_MAX] = {0};
        uint8_t payload[MESSAGE_MAX];
        size_t bytes_out = 0;
        size_t count = write_next(&p, m, &v.payloads[m], message);
        bksi_noise before = *reader;
        for (size_t bit = 0; bit < count * 8; bit++) {
            message[bit / 8] ^= (uint8_t)(1u << bit % 8);
            bool is_taken = bksi_noise_read(reader, message, count, payload, &bytes_out);
            assert_false(is_taken);
            message[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        for (size_t cut = 0; cut < count; cut++) {
            assert_false(bksi_noise_read(reader, message, cut, payload, &bytes_out));
        }
        assert_false(bksi_noise_read(reader, message, count + 1, payload, &bytes_out));
        assert_memory_equal(reader, &before, sizeof(before));
        assert_true(bksi_noise_read(reader, message, count, payload, &bytes_out));
    }
}

static void another_key_or_prologue_opens_nothing(void **context)
{
    (void)context;
    vector v = first_vector();
    pair p;
    uint8_t message[MESSAGE_MAX];
    uint8_t payload[MESSAGE_MAX];
    size_t count = 0;
    begin(&p, &v);
    size_t bytes_out = write_next(&p, 0, &v.payloads[0], message);
    for (int round = 0; round < 2; round++) {
        vector other = v;
        if (round == 0) {
            other.psk.at[31] ^= 1;
        } else {
            other.prologue.at[0] ^= 1;
        }
        pair q;
        begin(&q, &other);
        assert_false(bksi_noise_read(&q.noise[1], message, bytes_out, payload, &count));
    }
    assert_true(bksi_noise_read(&p.noise[1], message, bytes_out, payload, &count));
}

static void a_message_of_another_handshake_is_refused(void **context)
{
    (void)context;
    vector v = first_vector();
    pair a;
    pair b;
    begin(&a, &v);
    begin(&b, &v);
    b.ephemerals[0][3] ^= 1; // the same two, another time
    uint8_t message[2][MESSAGE_MAX];
    uint8_t payload[MESSAGE_MAX];
    size_t count = 0;
    size_t bytes_out[2] = {write_next(&a, 0, &v.payloads[0], message[0]),
                           write_next(&b, 0, &v.payloads[0], message[1])};
    assert_true(bksi_noise_read(&a.noise[1], message[0], bytes_out[0], payload, &count));
    assert_true(bksi_noise_read(&b.noise[1], message[1], bytes_out[1], payload, &count));
    bytes_out[0] = write_next(&a, 1, &v.payloads[1], message[0]);
    bytes_out[1] = write_next(&b, 1, &v.payloads[1], message[1]);
    assert_false(bksi_noise_read(&a.noise[0], message[1], bytes_out[1], payload, &count));
    assert_true(bksi_noise_read(&a.noise[0], message[0], bytes_out[0], payload, &count));
    assert_true(bksi_noise_read(&b.noise[0], message[1], bytes_out[1], payload, &count));
    bytes_out[1] = write_next(&b, 2, &v.payloads[2], message[1]);
    assert_false(bksi_noise_read(&a.noise[1], message[1], bytes_out[1], payload, &count));
}

/// Keys whose product with any secret is zero would make the product known to all.
static void a_key_of_small_order_is_no_key(void **context)
{
    (void)context;
    vector v = first_vector();
    uint8_t message[MESSAGE_MAX];
    uint8_t payload[MESSAGE_MAX];
    size_t count = 0;
    pair p;
    begin(&p, &v);
    size_t bytes_out = write_next(&p, 0, &v.payloads[0], message);
    assert_true(bksi_noise_read(&p.noise[1], message, bytes_out, payload, &count));
    memset(p.noise[1].remote_ephemeral, 0, KEY_BYTES);
    assert_int_equal(write_next(&p, 1, &v.payloads[1], message), 0);
}

static void the_early_key_is_the_same_on_both_sides_and_no_other_key(void **context)
{
    (void)context;
    vector v = first_vector();
    pair p;
    begin(&p, &v);
    uint8_t message[MESSAGE_MAX];
    uint8_t payload[MESSAGE_MAX];
    size_t count = 0;
    for (int m = 0; m < 2; m++) {
        size_t bytes_out = write_next(&p, m, &v.payloads[m], message);
        assert_true(bksi_noise_read(&p.noise[1 - m], message, bytes_out, payload, &count));
    }
    uint8_t early[2][KEY_BYTES];
    bksi_noise_early(&p.noise[0], early[0]);
    bksi_noise_early(&p.noise[1], early[1]);
    assert_memory_equal(early[0], early[1], KEY_BYTES);
    assert_memory_not_equal(early[0], p.noise[0].key, KEY_BYTES);
    assert_memory_not_equal(early[0], v.keys[0].at, KEY_BYTES);
    assert_memory_not_equal(early[0], v.keys[1].at, KEY_BYTES);
}

static void random_messages_are_refused(void **context)
{
    (void)context;
    vector v = first_vector();
    pair p;
    begin(&p, &v);
    for (int round = 0; round < 20000; round++) {
        size_t count = seed_below(200);
        uint8_t *message = malloc(count > 0 ? count : 1);
        assert_non_null(message);
        for (size_t i = 0; i < count; i++) {
            message[i] = (uint8_t)seed_next();
        }
        uint8_t payload[MESSAGE_MAX];
        size_t payload_bytes = 0;
        assert_false(bksi_noise_read(&p.noise[1], message, count, payload, &payload_bytes));
        free(message);
    }
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_message_is_that_of_the_other_implementation),
        cmocka_unit_test(a_message_that_was_touched_is_refused_and_changes_nothing),
        cmocka_unit_test(another_key_or_prologue_opens_nothing),
        cmocka_unit_test(a_message_of_another_handshake_is_refused),
        cmocka_unit_test(a_key_of_small_order_is_no_key),
        cmocka_unit_test(the_early_key_is_the_same_on_both_sides_and_no_other_key),
        cmocka_unit_test(random_messages_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
