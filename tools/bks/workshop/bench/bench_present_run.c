// SPDX-License-Identifier: MIT

#define _POSIX_C_SOURCE 200809L

#include "workshop/bench/bench_present_run.h"

#include <time.h>

#include "backstitch/peer.h"
#include "base/tool.h"
#include "screen/player/view_pictures.h"
#include "screen/window/canvas_dry.h"

#define SECOND_NS UINT64_C(1000000000)

static const float WIDTH = 1280.0F;
static const float HEIGHT = 720.0F;

/// One match of one way.
typedef struct presented {
    const present_bench *bench;
    present_way way;
    source_set *sources;
    bks_peer *peer;
    view_pictures pictures;
    canvas_dry dry;
    uint64_t now_ns;
    uint64_t hash;
    uint64_t taken;
} presented;

static double cpu_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int open_match(presented *p)
{
    const present_bench *bench = p->bench;
    const source_env env = {.game = bench->game, .players = bench->players, .seed = bench->seed};
    const int status = source_set_open(bench->inputs, bench->game->bot != NULL ? "bot" : "monkey",
                                       &env, &p->sources);
    if (status != TOOL_OK) {
        return status;
    }
    bks_peer_config config = bks_peer_config_default();
    config.game = bench->game;
    config.options = bench->options;
    config.has_options = true;
    config.pictures =
        p->way != PRESENT_PLAYED ? view_pictures_kind(bench->plugin) : BKS_PICTURES_NONE;
    config.session.is_host = true;
    config.session.players = config.session.local_players = bench->players;
    config.session.seed = bench->seed;
    config.session.key[0] = config.session.identity[0] = config.session.entropy[0] = 1;
    for (uint32_t i = 0; i < bench->players; i++) {
        config.sources[i] = source_set_source(p->sources);
    }
    bks_error error = {0};
    if (bks_peer_create(&config, &p->peer, &error) != BKS_OK) {
        tool_complain_error(bench->game->name, &error);
        return TOOL_MISUSE;
    }
    if (!view_pictures_open(&p->pictures, bench->plugin)) {
        tool_complain("present", "out of memory");
        return TOOL_DAMAGED;
    }
    return TOOL_OK;
}

static void close_match(presented *p)
{
    view_pictures_close(&p->pictures);
    bks_peer_destroy(p->peer);
    source_set_close(p->sources);
}

/// All updates that are due until a time.
static bool update_until(presented *p, uint64_t until_ns)
{
    for (;;) {
        const uint64_t wake_ns = bks_peer_wake(p->peer);
        if (wake_ns > until_ns) {
            p->now_ns = until_ns;
            return true;
        }
        p->now_ns = wake_ns > p->now_ns ? wake_ns : p->now_ns + 1;
        if (bks_peer_update(p->peer, p->now_ns) != BKS_OK) {
            return false;
        }
    }
}

static void take_picture(presented *p, const bks_canvas *canvas)
{
    bks_frame frame;
    if (p->way == PRESENT_PLAYED || bks_peer_frame(p->peer, p->now_ns, &frame) != BKS_OK) {
        return;
    }
    p->taken++;
    if (p->way == PRESENT_DRAWN) {
        const bks_picture picture = view_pictures_of(&p->pictures, &frame, p->now_ns);
        p->bench->plugin->draw(&picture, canvas);
    }
}

static bool play(presented *p)
{
    const present_bench *bench = p->bench;
    const bks_canvas canvas = canvas_dry_canvas(&p->dry, WIDTH, HEIGHT);
    const uint64_t pictures = (uint64_t)bench->seconds * bench->pictures_hz;
    bool is_good = true;
    p->now_ns = SECOND_NS;
    for (uint64_t i = 1; is_good && i <= pictures; i++) {
        is_good = update_until(p, SECOND_NS + i * SECOND_NS / bench->pictures_hz);
        if (is_good && bks_peer_started(p->peer)) {
            take_picture(p, &canvas);
        }
    }
    const bks_session *session = bks_peer_session(p->peer);
    const bks_tick tick = bks_session_published(session);
    return is_good && tick != BKS_TICK_NONE && bks_session_hash(session, tick, &p->hash) == BKS_OK;
}

static int run_pass(const present_bench *bench, uint32_t pass, present_result *result)
{
    uint64_t hashes[PRESENT_WAYS] = {0};
    for (present_way way = 0; way < PRESENT_WAYS; way++) {
        presented p = {.bench = bench, .way = way};
        int status = open_match(&p);
        if (status == TOOL_OK) {
            const double begun_ns = cpu_ns();
            const bool is_good = play(&p);
            result->ns[way][pass] = cpu_ns() - begun_ns;
            result->pictures = p.taken;
            hashes[way] = p.hash;
            if (!is_good) {
                tool_complain(bench->game->name, "the match failed");
                status = TOOL_NO;
            }
        }
        close_match(&p);
        if (status != TOOL_OK) {
            return status;
        }
    }
    for (present_way way = 1; way < PRESENT_WAYS; way++) {
        result->is_same &= hashes[way] == hashes[PRESENT_PLAYED];
    }
    return TOOL_OK;
}

int present_bench_run(const present_bench *bench, present_result *result)
{
    int status = TOOL_OK;
    result->is_same = true;
    for (uint32_t i = 0; status == TOOL_OK && i < bench->passes; i++) {
        status = run_pass(bench, i, result);
    }
    return status;
}
