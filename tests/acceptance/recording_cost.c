// SPDX-License-Identifier: MIT

// Plays a match of `pad` in the lab, for recording_cost.py to count the instructions of
// bks_peer_update():
//
//     recording_cost INPUT_LOG PEERS LINK TICKS played      no recording
//     recording_cost INPUT_LOG PEERS LINK TICKS recorded    peer 0 records into memory
//
// INPUT_LOG holds lines `tick,player,buttons,x,y` of inputs; with "monkey" monkeys play, which hold
// each of 22 fields for 15 to 90 ticks.
//
// It prints the ticks, the writes and bytes that the recording took once it had begun, and the
// ticks that peer 0 stepped again.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/toolkit/lab.h"
#include "pad/pad.h"

enum { TICKS_MAX = 3600, PLAYERS_MAX = 4 };

typedef struct memory {
    uint8_t bytes[1 << 22];
    size_t writes;
    size_t written;
} memory;

static void need(bool is_so, const char *what)
{
    if (!is_so) {
        (void)fprintf(stderr, "recording_cost: %s\n", what);
        exit(1);
    }
}

static bks_status write_memory(void *context, uint64_t offset_bytes, const void *bytes,
                               size_t count)
{
    memory *file = context;
    need(offset_bytes + count <= sizeof(file->bytes), "the recording is larger than expected");
    memcpy(file->bytes + offset_bytes, bytes, count);
    if (offset_bytes > 0) {
        file->writes++;
        file->written += count;
    }
    return BKS_OK;
}

static int32_t input_log[TICKS_MAX][PLAYERS_MAX][3];

static void read_input_log(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[64];
    need(file != NULL && fgets(line, sizeof(line), file) != NULL, "no trace");
    while (fgets(line, sizeof(line), file) != NULL) {
        int32_t row[5];
        char *at = line;
        for (uint32_t i = 0; i < 5; i++) {
            row[i] = (int32_t)strtol(at, &at, 10);
            at += *at == ',';
        }
        if (row[0] >= 0 && row[0] < TICKS_MAX && row[1] >= 0 && row[1] < PLAYERS_MAX) {
            memcpy(input_log[row[0]][row[1]], &row[2], sizeof(input_log[0][0]));
        }
    }
    (void)fclose(file);
}

static void sample_input_log(void *context, const bks_sample *wanted, int32_t *input)
{
    (void)context;
    const int32_t *now =
        input_log[wanted->tick < TICKS_MAX ? wanted->tick : TICKS_MAX - 1][wanted->player];
    for (uint32_t i = 0; i < 16; i++) {
        input[i] = now[0] >> i & 1;
    }
    input[16] = now[1];
    input[17] = now[2];
}

int main(int argc, char **argv)
{
    need(argc == 6, "usage: recording_cost INPUT_LOG PEERS LINK TICKS played|recorded");
    static memory file;
    static bks_monkey monkeys[BKS_PLAYERS_MAX];
    const bool has_input_log = strcmp(argv[1], "monkey") != 0;
    if (has_input_log) {
        read_input_log(argv[1]);
    }
    bks_lab_config config = bks_lab_config_default();
    config.game = &pad_game;
    config.peers = (uint32_t)strtoul(argv[2], NULL, 10);
    config.ticks = (bks_tick)strtol(argv[4], NULL, 10);
    if (strcmp(argv[5], "recorded") == 0) {
        config.records[0] = (bks_sink){.write = write_memory, .context = &file};
    }
    for (uint32_t i = 0; i < config.peers; i++) {
        need(bks_monkey_init(&monkeys[i], pad_game.fields, pad_game.field_count, 1, i, 15, 90,
                             NULL) == BKS_OK,
             "no monkey");
        config.sources[i] = has_input_log ? (bks_source){.sample = sample_input_log}
                                          : bks_monkey_source(&monkeys[i]);
    }
    bks_lab *lab = NULL;
    need(bks_lab_create(&config, &lab, NULL) == BKS_OK, "no lab");
    need(bks_lab_link(lab, argv[3], NULL) == BKS_OK, "no such link");
    while (bks_lab_advance(lab, bks_lab_now(lab) + UINT64_C(1000000000))) {
    }
    static bks_lab_result result;
    need(bks_lab_outcome(lab, &result) == BKS_OK && result.agreed, "the peers do not agree");
    (void)printf("%d %zu %zu %llu\n", (int)config.ticks, file.writes, file.written,
                 (unsigned long long)result.peers[0].stats.resimulated);
    bks_lab_destroy(lab);
    return 0;
}
