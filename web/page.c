// SPDX-License-Identifier: MIT

#include "page.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/plugin.h"
#include "base/tool.h"
#include "page_canvas.h"
#include "page_host.h"
#include "watch/watch_player.h"

enum { STRIDE_TICKS = 512, REMARK_BYTES = 400, ABOUT_BYTES = 8192 };

static const uint64_t GO_NS_MAX = UINT64_C(50000000); // longest part of a seek, after which a
                                                      // picture shows its progress

typedef struct page {
    watch_feed feed; // first member: a pointer to it leads to the page
    bks_replay_piece piece;
    uint8_t *lent; ///< bytes that the replay borrows, perhaps those of before the last page_room()
    size_t capacity;
    bool has_news;
    watch_player player;
    bks_tick target; // tick that the user wants, BKS_TICK_NONE: it is reached
    bks_tick base;   // tick of the newest state in the file up to `target`
    bool then_follows;
    uint64_t asked_ns; // time of the last wish, by the page's clock
    uint64_t now_ns;   // time for the player, without the time spent on seeks
    page_canvas canvas;
    int32_t numbers[PAGE_NUMBERS];
    char problem[512];
    char remark[REMARK_BYTES];
    char about[ABOUT_BYTES];
} page;

static page the_page = {.target = BKS_TICK_NONE};

// ---- the recording ----

// Lend the received bytes to the replay, which reads them until it gets others. Then release the
// bytes lent before.
static void lend(page *p)
{
    if (p->lent != p->piece.bytes) {
        free(p->lent);
    }
    p->lent = (uint8_t *)(uintptr_t)p->piece.bytes;
}

uint8_t *page_room(size_t count)
{
    page *p = &the_page;
    uint8_t *bytes = (uint8_t *)(uintptr_t)p->piece.bytes;
    if (count > p->capacity - p->piece.count) {
        const size_t more = p->capacity / 2 + 65536;
        const size_t capacity = p->piece.count + count + more;
        uint8_t *larger = count < SIZE_MAX - p->piece.count - more ? malloc(capacity) : NULL;
        if (larger == NULL) {
            return NULL;
        }
        if (p->piece.count > 0) {
            memcpy(larger, bytes, p->piece.count);
        }
        if (bytes != p->lent) {
            free(bytes);
        }
        p->piece.bytes = bytes = larger;
        p->capacity = capacity;
    }
    return bytes + p->piece.count;
}

void page_append(size_t count)
{
    the_page.piece.count += count;
}

static watch_news poll_page(watch_feed *feed, uint64_t now_ns)
{
    (void)now_ns;
    page *p = (page *)feed; // `feed` is the first member of page
    const bool has_news = p->has_news;
    p->has_news = false;
    return has_news ? WATCH_NEWS_MORE : WATCH_NEWS_NONE;
}

static int open_whole(page *p, bks_error *error)
{
    p->feed.is_growing = false;
    const bks_status status =
        bks_replay_open(p->piece.bytes, p->piece.count, NULL, &p->feed.replay, error);
    if (p->feed.replay == NULL) {
        return status == BKS_ERR_INCOMPLETE ? PAGE_TOO_FEW : PAGE_REFUSED;
    }
    if (status != BKS_OK) {
        p->feed.status = TOOL_DAMAGED;
        snprintf(p->feed.why, sizeof(p->feed.why), "%s", error->text);
    }
    return PAGE_OPENED;
}

// Open the recording as one that is still being written, if possible.
static void open_growing(page *p)
{
    bks_replay *growing = NULL;
    if (bks_replay_open_growing(&p->piece, 1, NULL, &growing, NULL) != BKS_OK) {
        bks_replay_close(growing);
        return;
    }
    bks_replay_close(p->feed.replay);
    p->feed.replay = growing;
    p->feed.is_growing = true;
    p->feed.status = TOOL_OK;
    p->feed.why[0] = '\0';
}

static void go_to(page *p, int64_t tick);

static int open_player(page *p)
{
    const bks_plugin *plugin = &bks_plugin_main;
    const bool interpolates = plugin->is_blended && plugin->draw != NULL &&
                              plugin->game->create == NULL && !plugin->game->pointers;
    const int status =
        watch_player_open(&p->player, &p->feed, plugin->game, "this", NULL, interpolates);
    if (status != TOOL_OK) {
        snprintf(p->problem, sizeof(p->problem), "%s", page_host_complaint());
        bks_replay_close(p->feed.replay);
        p->feed.replay = NULL;
        return PAGE_REFUSED;
    }
    snprintf(p->player.message, sizeof(p->player.message), "%s", p->feed.why);
    if (p->feed.is_growing) {
        go_to(p, watch_player_live_tick(&p->player, p->now_ns));
        p->then_follows = true;
    }
    return PAGE_OPENED;
}

int page_open(int is_fresh)
{
    page *p = &the_page;
    page_host_open();
    lend(p);
    p->feed.poll = poll_page;
    bks_error error = {0};
    const int status = open_whole(p, &error);
    if (status != PAGE_OPENED) {
        snprintf(p->problem, sizeof(p->problem), "%s", error.text);
        return status;
    }
    if (is_fresh && !bks_replay_info(p->feed.replay)->is_complete) {
        open_growing(p);
    }
    tool_log_drop(); // the page shows the error
    return open_player(p);
}

void page_refresh(void)
{
    page *p = &the_page;
    bks_error error = {0};
    const bks_status status = bks_replay_refresh(p->feed.replay, &p->piece, 1, &error);
    lend(p);
    p->has_news = true;
    if (status != BKS_OK) {
        p->feed.status = TOOL_DAMAGED;
        snprintf(p->feed.why, sizeof(p->feed.why), "%s", error.text);
    }
    p->feed.is_growing = status == BKS_OK && !bks_replay_info(p->feed.replay)->is_complete;
}

void page_finish(void)
{
    the_page.feed.is_growing = false;
    the_page.has_news = true;
}

// ---- going to a tick ----

// Find the newest state in the file up to a tick.
static bks_tick base_of(const page *p, bks_tick tick)
{
    const bks_recording *info = p->player.info;
    for (uint32_t i = info->keyframes; i > 0; i--) {
        bks_replay_keyframe key;
        if (bks_replay_keyframe_at(p->feed.replay, i - 1, &key) == BKS_OK && key.tick <= tick &&
            key.is_usable && !key.is_wrong) {
            return key.tick;
        }
    }
    return info->first;
}

static void go_to(page *p, int64_t tick)
{
    const bks_tick first = p->player.info->first;
    const bks_tick end = watch_player_end(&p->player);
    p->target = tick < first ? first : tick > end ? end : (bks_tick)tick;
    p->base = base_of(p, p->target);
    p->then_follows = false;
}

// Return the tick at which the next part of a seek ends. A long recording may hold no states, so it
// is stepped from its beginning, in parts short enough for a picture to wait.
static bks_tick next_stop(const page *p)
{
    const bks_tick here = bks_playback_tick(p->player.playback);
    if (here > p->target && here - p->target <= STRIDE_TICKS) {
        return p->target; // the player has kept states of earlier ticks
    }
    const bks_tick from = here >= p->base && here <= p->target ? here : p->base;
    return p->target - from > STRIDE_TICKS ? from + STRIDE_TICKS : p->target;
}

static void go_on(page *p)
{
    const uint64_t begun_ns = tool_clock_ns(NULL);
    do {
        const bks_tick stop = next_stop(p);
        watch_player_seek(&p->player, stop);
        if (stop == p->target || bks_playback_tick(p->player.playback) != stop) {
            p->target = BKS_TICK_NONE;
        }
    } while (p->target != BKS_TICK_NONE && tool_clock_ns(NULL) - begun_ns < GO_NS_MAX);
    if (p->target == BKS_TICK_NONE && p->then_follows) {
        p->then_follows = false;
        watch_player_follow(&p->player, p->now_ns);
    }
}

// ---- calls of the page ----

static void set_speed(watch_player *player, int64_t speed)
{
    player->speed = speed < WATCH_SPEED_MIN   ? WATCH_SPEED_MIN
                    : speed > WATCH_SPEED_MAX ? WATCH_SPEED_MAX
                                              : (int32_t)speed;
}

// Return the tick that relative wishes start from: a seek's target, so that several quick wishes
// add up.
static bks_tick wished_tick(const page *p)
{
    return p->target != BKS_TICK_NONE ? p->target : bks_playback_tick(p->player.playback);
}

static void toggle(page *p)
{
    const bool is_over = !p->feed.is_growing && wished_tick(p) >= watch_player_end(&p->player);
    p->player.is_paused = !is_over && !p->player.is_paused;
    if (is_over) {
        go_to(p, p->player.info->first);
    }
}

void page_wish(int wish, int32_t amount)
{
    page *p = &the_page;
    watch_player *player = &p->player;
    const int64_t rate_hz = player->info->tick_rate_hz;
    switch (wish) {
    case PAGE_WISH_PAUSE:
        player->is_paused = amount != 0;
        break;
    case PAGE_WISH_STEP:
        player->is_paused = true;
        go_to(p, (int64_t)wished_tick(p) + amount);
        break;
    case PAGE_WISH_SKIP:
        go_to(p, wished_tick(p) + amount * rate_hz);
        break;
    case PAGE_WISH_GO:
        go_to(p, amount);
        break;
    case PAGE_WISH_LIVE:
        if (!p->feed.is_growing) {
            break; // nothing more will come
        }
        player->is_paused = false;
        go_to(p, watch_player_live_tick(player, p->now_ns));
        p->then_follows = true;
        break;
    case PAGE_WISH_SPEED:
        set_speed(player, amount);
        break;
    case PAGE_WISH_FASTER:
        set_speed(player, (int64_t)player->speed + amount);
        break;
    case PAGE_WISH_TOGGLE:
        toggle(p);
        break;
    default:
        break;
    }
}

void page_advance(double now_ms)
{
    page *p = &the_page;
    const uint64_t now_ns = (uint64_t)(now_ms * 1e6) + 1;
    if (p->target != BKS_TICK_NONE) {
        go_on(p);
    } else {
        p->now_ns += p->asked_ns > 0 && now_ns > p->asked_ns ? now_ns - p->asked_ns : 1;
        watch_player_advance(&p->player, p->now_ns);
    }
    p->asked_ns = now_ns;
}

const uint32_t *page_draw(float width, float height)
{
    page *p = &the_page;
    const bks_canvas canvas = page_canvas_begin(&p->canvas, width, height);
    canvas.clear(canvas.context, 0x0B0D12FFU);
    if (bks_plugin_main.draw != NULL) {
        // The states of a recording are never corrected, so nothing is eased.
        const bks_picture picture = {.frame = watch_player_frame(&p->player)};
        bks_plugin_main.draw(&picture, &canvas);
    } else {
        canvas.text(canvas.context, 16.0F, 16.0F, 20.0F, 0xEEF1F6FFU, "this game draws nothing");
    }
    return p->canvas.words;
}

uint32_t page_words(void)
{
    return (uint32_t)the_page.canvas.count;
}

float *page_advances(void)
{
    return the_page.canvas.advances;
}

static int32_t flags_of(const page *p)
{
    const watch_player *player = &p->player;
    const bks_recording *info = player->info;
    const bks_tick tick = bks_playback_tick(player->playback);
    return (player->is_paused ? PAGE_FLAG_PAUSED : 0) |
           (player->is_waiting ? PAGE_FLAG_WAITING : 0) |
           (p->feed.is_growing ? PAGE_FLAG_GROWING : 0) |
           (watch_player_has_ended(player) ? PAGE_FLAG_ENDED : 0) |
           (player->is_following ? PAGE_FLAG_FOLLOWING : 0) |
           (info->is_damaged ? PAGE_FLAG_DAMAGED : 0) |
           (tick > info->confirmed && tick <= info->ticks ? PAGE_FLAG_GUESSED : 0);
}

const int32_t *page_numbers(void)
{
    page *p = &the_page;
    const watch_player *player = &p->player;
    int32_t *out = p->numbers;
    out[PAGE_NUMBER_TICK] = bks_playback_tick(player->playback);
    out[PAGE_NUMBER_FIRST] = player->info->first;
    out[PAGE_NUMBER_END] = watch_player_end(player);
    out[PAGE_NUMBER_RATE] = (int32_t)player->info->tick_rate_hz;
    out[PAGE_NUMBER_COMPARED] = player->compared;
    out[PAGE_NUMBER_DIFFERENT] = player->first_different;
    out[PAGE_NUMBER_FLAGS] = flags_of(p);
    out[PAGE_NUMBER_SPEED] = player->speed;
    out[PAGE_NUMBER_TARGET] = p->target;
    out[PAGE_NUMBER_MISSES] = (int32_t)player->playout.misses;
    return out;
}

// ---- texts ----

// Add a line "name TAB value".
static void add_line(page *p, const char *name, const char *value)
{
    const size_t used = strlen(p->about);
    snprintf(p->about + used, sizeof(p->about) - used, "%s\t%s\n", name, value);
}

static const char *about(page *p)
{
    static const char *const endings[] = {
        [BKS_REPLAY_CUT_OFF] = "cut off; the program that wrote it was ended, or still writes",
        [BKS_REPLAY_LEFT_EARLY] = "closed in order, before the end of the match",
        [BKS_REPLAY_COMPLETE] = "closed at the end of the match",
        [BKS_REPLAY_UNKNOWN] = "how is not known, since a part is damaged",
    };
    const bks_recording *info = p->player.info;
    char text[96];
    p->about[0] = '\0';
    add_line(p, "game", info->game);
    snprintf(text, sizeof(text), "%" PRIu32, info->version);
    add_line(p, "version", text);
    snprintf(text, sizeof(text), "%" PRIu32, info->players);
    add_line(p, "players", text);
    snprintf(text, sizeof(text), "%" PRIu32, info->tick_rate_hz);
    add_line(p, "ticks a second", text);
    snprintf(text, sizeof(text), "%" PRIu64, info->seed);
    add_line(p, "seed", text);
    snprintf(text, sizeof(text), "%" PRIu64, info->bytes);
    add_line(p, "bytes", text);
    add_line(p, "ends", endings[info->ending]);
    for (uint32_t i = 0; i < info->option_count; i++) { // data named by the recording comes last
        add_line(p, info->options[i].name, info->options[i].value);
    }
    for (uint32_t i = 0; i < info->environment_count; i++) {
        add_line(p, info->environment[i].name, info->environment[i].value);
    }
    return p->about;
}

// Return the remark about the current tick. If the game could not continue, only the log says so.
static const char *remark(page *p)
{
    const char *said = watch_words_remark(&p->player, p->remark, sizeof(p->remark));
    return said != NULL ? said : p->player.limit != INT32_MAX ? page_host_logged() : "";
}

const char *page_text(int which)
{
    page *p = &the_page;
    return which == PAGE_SAID_PROBLEM  ? p->problem
           : which == PAGE_SAID_REMARK ? remark(p)
                                       : about(p);
}
