// SPDX-License-Identifier: MIT

#define _POSIX_C_SOURCE 200809L // mkdtemp

#include "web_recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backstitch/match.h"
#include "backstitch/plugin.h"

uint8_t *web_bytes;
size_t web_count;

static double now_ms = 1000.0;

static int play(const char *path)
{
    const bks_game *game = bks_plugin_main.game;
    bks_monkey monkey;
    bks_match *match = NULL;
    bks_match_config config = bks_match_config_default();
    bks_status status =
        bks_monkey_init(&monkey, game->fields, game->field_count, 7, 0, 4, 40, NULL);
    config.game = game;
    config.players = 1;
    config.seed = 7;
    config.ticks = TICKS;
    config.tick_per_update = true;
    config.record_path = path;
    config.sources[0] = bks_monkey_source(&monkey);
    status = status == BKS_OK ? bks_match_open(&config, &match, NULL) : status;
    while (status == BKS_OK) {
        status = bks_match_update(match);
    }
    bks_match_close(match);
    return status == BKS_OVER ? 0 : -1;
}

static int read_whole(const char *path)
{
    enum { BYTES_MAX = 1 << 20 };
    web_bytes = malloc(BYTES_MAX);
    FILE *file = fopen(path, "rb");
    if (web_bytes == NULL || file == NULL) {
        return -1;
    }
    web_count = fread(web_bytes, 1, BYTES_MAX, file);
    return fclose(file);
}

int web_record(void **state)
{
    (void)state;
    char folder[] = "/tmp/bks-web-XXXXXX";
    char path[64];
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    snprintf(path, sizeof(path), "%s/match.bks", folder);
    const int status = play(path) != 0 ? -1 : read_whole(path);
    return unlink(path) | rmdir(folder) | status;
}

int web_forget(void **state)
{
    (void)state;
    free(web_bytes);
    return 0;
}

void web_append(size_t from, size_t until)
{
    uint8_t *room = page_room(until - from);
    assert_non_null(room);
    memcpy(room, web_bytes + from, until - from);
    page_append(until - from);
}

int32_t web_number(page_number number)
{
    return page_numbers()[number];
}

void web_pass(double seconds)
{
    for (double passed = 0.0; passed < seconds; passed += 1.0 / RATE_HZ) {
        now_ms += 1000.0 / RATE_HZ;
        page_advance(now_ms);
        assert_non_null(page_draw(1280.0F, 800.0F));
        assert_true(page_words() > 0);
    }
}

void web_arrive(void)
{
    for (int i = 0; i < 1000 && web_number(PAGE_NUMBER_TARGET) != BKS_TICK_NONE; i++) {
        web_pass(1.0 / RATE_HZ);
    }
    assert_int_equal(web_number(PAGE_NUMBER_TARGET), BKS_TICK_NONE);
}
