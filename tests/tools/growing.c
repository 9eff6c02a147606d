// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "growing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/tool.h"
#include "cli.h"

enum { BYTES_MAX = 1 << 20 };

static uint8_t bytes[BYTES_MAX];
const uint8_t *growing_bytes = bytes;
size_t growing_count;
loaded_game growing_game;

static watch_news poll_given(watch_feed *feed, uint64_t now_ns)
{
    (void)now_ns;
    growing_feed *f = (growing_feed *)feed;
    if (f->wanted == f->given) {
        return WATCH_NEWS_NONE;
    }
    f->given = f->wanted;
    const bks_replay_piece piece = {.bytes = bytes, .count = f->given};
    assert_int_equal(bks_replay_refresh(feed->replay, &piece, 1, NULL), BKS_OK);
    feed->is_growing = f->given < growing_count;
    return WATCH_NEWS_MORE;
}

void growing_open(growing_feed *f, size_t count)
{
    *f = (growing_feed){.feed = {.poll = poll_given, .fetch_ns = WATCH_FEED_FETCH_NS},
                        .given = count,
                        .wanted = count};
    const bks_replay_piece piece = {.bytes = bytes, .count = count};
    assert_int_equal(bks_replay_open_growing(&piece, 1, NULL, &f->feed.replay, NULL), BKS_OK);
    f->feed.is_growing = count < growing_count;
}

int growing_record(void **state)
{
    if (cli_setup(state) != 0 || setenv("BKS_GAME_PATH", BKS_TEST_BINARY_DIR, 1) != 0 ||
        loader_open("duel", &growing_game) != TOOL_OK ||
        cli("monkey duel --ticks 600 --record whole.bks")->status != TOOL_OK) {
        return -1;
    }
    FILE *file = fopen("whole.bks", "rb");
    growing_count = file != NULL ? fread(bytes, 1, sizeof(bytes), file) : 0;
    return file != NULL ? fclose(file) : -1;
}

void growing_play(watch_player *player, growing_feed *feed, uint64_t *now_ns)
{
    assert_int_equal(watch_player_open(player, &feed->feed, growing_game.game, "test", NULL, true),
                     TOOL_OK);
    *now_ns = SECOND_NS;
    watch_player_advance(player, *now_ns);
}

void growing_close(watch_player *player, growing_feed *feed)
{
    watch_player_close(player);
    bks_replay_close(feed->feed.replay);
}

size_t growing_part(bks_tick least)
{
    for (size_t count = 1000; count < growing_count; count += 20) {
        const bks_replay_piece piece = {.bytes = bytes, .count = count};
        bks_replay *replay = NULL;
        const bks_status status = bks_replay_open_growing(&piece, 1, NULL, &replay, NULL);
        const bks_tick end = status == BKS_OK ? bks_replay_info(replay)->end : BKS_TICK_NONE;
        bks_replay_close(replay);
        if (end >= least) {
            return count;
        }
    }
    return growing_count;
}

void growing_pass(watch_player *player, uint64_t *now_ns, uint64_t duration_ns)
{
    const uint64_t part_ns = SECOND_NS / 100;
    for (uint64_t passed = 0; passed < duration_ns; passed += part_ns) {
        *now_ns += part_ns;
        watch_player_advance(player, *now_ns);
    }
}
