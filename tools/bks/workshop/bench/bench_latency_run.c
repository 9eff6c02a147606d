// SPDX-License-Identifier: MIT

#include "workshop/bench/bench_latency_run.h"

#include "backstitch/det.h"
#include "screen/window/frame_pace.h"
#include "workshop/bench/bench.h"

typedef struct key_state {
    int32_t pressed;
} key_state;

static void key_init(void *state, const bks_start *start)
{
    (void)state;
    (void)start;
}

static void key_step(void *state, const bks_step *step)
{
    ((key_state *)state)->pressed = step->inputs[0];
}

/// Leave the state unchanged. The game has this function so that its pictures are copies of states.
static void key_extrapolate(void *state, const bks_step *step, float share)
{
    (void)state;
    (void)step;
    (void)share;
}

static const bks_field fields[] = {{.name = "pressed", .bits = 16}};

const bks_game latency_game = {
    .name = "key",
    .version = 1,
    .tick_rate_hz = LATENCY_TICKS_HZ,
    .players_max = 1,
    .fields = fields,
    .field_count = 1,
    .state_bytes = sizeof(key_state),
    .init = key_init,
    .step = key_step,
    .extrapolate = key_extrapolate,
};

int32_t latency_shown(const bks_frame *frame)
{
    return ((const key_state *)frame->state)->pressed;
}

#define SECOND_NS UINT64_C(1000000000)

enum {
    BEGIN_TICKS = 30,
    GAP_LEAST_MS = 40, ///< shortest time from one key press to the next
    GAP_MOST_MS = 180,
    /// A picture takes 1/997 longer than its nominal time, so that the times of pictures shift
    /// slowly against those of ticks.
    DRIFT_PART = 997,
};

typedef struct latency_world {
    const latency_case *c;
    latency_found *out;
    bks_peer *peer;
    frame_pace pace;
    bks_random random;
    uint64_t now_ns;
    uint64_t every_ns;   ///< time from one picture to the next
    uint64_t pressed_ns; ///< time of the newest key press
    int32_t pressed;     ///< number of key presses so far
    int32_t sampled;
    bool is_running; ///< true: the match began some ticks ago
    bool is_seen;    ///< true: a picture has shown the newest key press
    int32_t drawn;
    uint64_t sum_ns;
} latency_world;

/// Advance the clock, and press keys at random times.
static void pass(latency_world *w, uint64_t until_ns)
{
    if (until_ns <= w->now_ns) {
        return;
    }
    w->now_ns = until_ns;
    if (w->is_running && w->is_seen) {
        const int64_t gap_us =
            bks_random_between(&w->random, GAP_LEAST_MS * 1000, GAP_MOST_MS * 1000);
        w->pressed_ns = w->now_ns + (uint64_t)gap_us * 1000;
        w->is_seen = false;
        w->pressed++;
    }
}

static int32_t key_at(const latency_world *w)
{
    return w->now_ns >= w->pressed_ns ? w->pressed : w->pressed - 1;
}

static uint64_t now(void *context)
{
    const latency_world *w = context;
    return w->now_ns;
}

static void wait(void *context, uint64_t until_ns)
{
    latency_world *w = context;
    if (w->c->samples_early) {
        w->sampled = key_at(w);
    }
    const uint64_t wake_ns = bks_peer_wake(w->peer);
    pass(w, wake_ns < until_ns ? wake_ns : until_ns);
}

static bool sample(void *context)
{
    latency_world *w = context;
    if (!w->c->samples_early) {
        w->sampled = key_at(w);
    }
    return bks_peer_input(w->peer, 0, &w->sampled, NULL) == BKS_OK;
}

static bool step(void *context)
{
    latency_world *w = context;
    return bks_peer_update(w->peer, w->now_ns) == BKS_OK;
}

static void draw(void *context, uint64_t now_ns)
{
    latency_world *w = context;
    bks_frame frame;
    if (bks_peer_frame(w->peer, now_ns, &frame) == BKS_OK) {
        w->drawn = latency_shown(&frame);
        w->is_running |= frame.tick >= BEGIN_TICKS;
    }
    pass(w, w->now_ns + w->c->draw_ns);
}

static uint64_t greater(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static bool present(void *context)
{
    latency_world *w = context;
    const uint64_t handed_ns = w->now_ns;
    if (w->c->is_synced) {
        pass(w, (w->now_ns / w->every_ns + 1) * w->every_ns);
        w->out->lead_ns = greater(w->out->lead_ns, w->now_ns - handed_ns);
    }
    if (!w->is_seen && w->drawn == w->pressed) {
        w->is_seen = true;
        w->sum_ns += handed_ns - w->pressed_ns;
        w->out->worst_ns = greater(w->out->worst_ns, handed_ns - w->pressed_ns);
        w->out->seen_ns = greater(w->out->seen_ns, w->now_ns - w->pressed_ns);
    }
    return w->c->is_synced;
}

static bks_peer *make_peer(void)
{
    const bench_match match = {.game = &latency_game, .seed = 1, .players = 1};
    bks_peer_config config = bench_match_config(&match, NULL);
    config.pictures = BKS_PICTURES_EXTRAPOLATE;
    bks_peer *peer = NULL;
    return bks_peer_create(&config, &peer, NULL) == BKS_OK ? peer : NULL;
}

bool latency_run(const latency_case *c, latency_found *out)
{
    *out = (latency_found){0};
    latency_world w = {.c = c, .out = out, .peer = make_peer(), .now_ns = SECOND_NS};
    if (w.peer == NULL) {
        return false;
    }
    bks_random_seed(&w.random, 1, c->pictures_hz);
    w.every_ns = SECOND_NS / c->pictures_hz + SECOND_NS / c->pictures_hz / DRIFT_PART;
    w.is_seen = true;
    const frame_loop loop = {.context = &w,
                             .now = now,
                             .wait = wait,
                             .sample = sample,
                             .step = step,
                             .draw = draw,
                             .present = present,
                             .every_ns = w.every_ns,
                             .pace = &w.pace};
    bool is_good = true;
    while (is_good && (w.pressed < (int32_t)c->presses || !w.is_seen)) {
        is_good = frame_loop_turn(&loop);
        // Do not count the first pictures, during which the pace adapts.
        out->lead_ns = w.is_running ? out->lead_ns : 0;
    }
    bks_peer_destroy(w.peer);
    out->mean_ns = w.sum_ns / c->presses;
    out->promise_ns = SECOND_NS / LATENCY_TICKS_HZ + w.every_ns + c->draw_ns;
    return is_good;
}
