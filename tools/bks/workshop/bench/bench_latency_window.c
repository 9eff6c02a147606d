// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "workshop/bench/bench_latency_run.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include "backstitch/det.h"
#include "backstitch/match.h"
#include "base/tool.h"
#include "screen/window/frame_pace.h"
#include "screen/window/window.h"

#define SECOND_NS UINT64_C(1000000000)

enum {
    WIDTH = 640,
    HEIGHT = 360,
    GAP_LEAST_MS = 40, ///< shortest time from one key press to the next
    GAP_MOST_MS = 180,
    BEGIN_MS = 1000,    ///< time to wait until the window is shown
    PATIENCE_MS = 2000, ///< time after which a key press that no picture showed counts as lost
    KEYSYM_L = 'l',     ///< keysym of X11 for the right face button's key
    USUAL_HZ = 60,
};

/// Functions of X11. They are loaded at run time, because builds have no headers of X11.
typedef struct x_server {
    void *x11, *xtst;
    void *display;
    void *(*open)(const char *name);
    int (*close)(void *display);
    int (*flush)(void *display);
    int (*width)(void *display, int screen);
    int (*height)(void *display, int screen);
    int (*set_focus)(void *display, unsigned long window, int revert_to, unsigned long time);
    unsigned char (*keycode)(void *display, unsigned long keysym);
    int (*fake_key)(void *display, unsigned keycode, int is_press, unsigned long delay_ms);
    int (*fake_motion)(void *display, int screen, int x, int y, unsigned long delay_ms);
} x_server;

typedef struct latency_desk {
    x_server x;
    window *shown;
    window_screen screen;
    bks_match *match;
    frame_pace pace;
    uint32_t presses;
    pthread_t hand;
    _Atomic uint64_t pressed_ns; ///< time of the newest key press; 0: a picture has shown it
    _Atomic uint32_t is_down;    ///< true: the newest key was pressed, not released
    _Atomic bool is_over;
    uint32_t drawn; ///< true: the last picture showed the key as pressed
    uint32_t seen;
    uint64_t sum_ns;
    uint64_t worst_ns;
    uint64_t begun_ns;
} latency_desk;

static void find(void *library, const char *name, void *out)
{
    *(void **)out = library != NULL ? dlsym(library, name) : NULL;
}

static bool open_server(x_server *x)
{
    x->x11 = dlopen("libX11.so.6", RTLD_NOW);
    x->xtst = dlopen("libXtst.so.6", RTLD_NOW);
    find(x->x11, "XOpenDisplay", &x->open);
    find(x->x11, "XCloseDisplay", &x->close);
    find(x->x11, "XFlush", &x->flush);
    find(x->x11, "XDisplayWidth", &x->width);
    find(x->x11, "XDisplayHeight", &x->height);
    find(x->x11, "XSetInputFocus", &x->set_focus);
    find(x->x11, "XKeysymToKeycode", &x->keycode);
    find(x->xtst, "XTestFakeKeyEvent", &x->fake_key);
    find(x->xtst, "XTestFakeMotionEvent", &x->fake_motion);
    if (x->open == NULL || x->close == NULL || x->flush == NULL || x->width == NULL ||
        x->height == NULL || x->set_focus == NULL || x->keycode == NULL || x->fake_key == NULL ||
        x->fake_motion == NULL) {
        tool_complain("--window", "needs libX11 and libXtst, which are not here");
        return false;
    }
    x->display = x->open(NULL);
    if (x->display == NULL) {
        tool_complain("--window", "no X server answers");
    }
    return x->display != NULL;
}

static void close_server(x_server *x)
{
    if (x->display != NULL) {
        x->close(x->display);
    }
}

/// Give the window the keyboard: move the mouse to the middle of the screen, and focus the window
/// under it. This also works without a window manager.
static void take_focus(const x_server *x)
{
    enum { POINTER_ROOT = 1 };
    const int middle_x = x->width(x->display, 0) / 2;
    const int middle_y = x->height(x->display, 0) / 2;
    x->fake_motion(x->display, -1, middle_x, middle_y, 0);
    x->set_focus(x->display, POINTER_ROOT, POINTER_ROOT, 0);
    x->flush(x->display);
}

/// Press and release the key in turn, at random times. This is the function of a thread.
static void *press(void *context)
{
    latency_desk *d = context;
    bks_random random;
    bks_random_seed(&random, 1, 1);
    const unsigned code = d->x.keycode(d->x.display, KEYSYM_L);
    tool_sleep_ns((uint64_t)BEGIN_MS * 1000000);
    while (!atomic_load(&d->is_over)) {
        tool_sleep_ns(
            (uint64_t)bks_random_between(&random, GAP_LEAST_MS * 1000, GAP_MOST_MS * 1000) * 1000);
        if (atomic_load(&d->pressed_ns) != 0) {
            continue;
        }
        const uint32_t is_down = 1u - atomic_load(&d->is_down);
        atomic_store(&d->is_down, is_down);
        atomic_store(&d->pressed_ns, tool_clock_ns(NULL));
        d->x.fake_key(d->x.display, code, (int)is_down, 0);
        d->x.flush(d->x.display);
    }
    return NULL;
}

// ---- the frame loop ----

static uint64_t now(void *context)
{
    (void)context;
    return tool_clock_ns(NULL);
}

static void wait(void *context, uint64_t until_ns)
{
    latency_desk *d = context;
    (void)bks_match_wait_until(d->match, until_ns);
}

static bool sample(void *context)
{
    latency_desk *d = context;
    float controls[WINDOW_CONTROLS];
    if (window_poll(d->shown).quit) {
        return false;
    }
    window_controls(d->shown, 0, 1, controls);
    const int32_t is_down = controls[BKS_CONTROL_EAST] > 0.5F;
    return bks_match_input(d->match, 0, &is_down) == BKS_OK;
}

static bool step(void *context)
{
    latency_desk *d = context;
    return bks_match_update(d->match) == BKS_OK;
}

static void draw(void *context, uint64_t now_ns)
{
    latency_desk *d = context;
    bks_frame frame;
    if (bks_match_frame(d->match, now_ns, &frame) == BKS_OK) {
        d->drawn = latency_shown(&frame) != 0;
    }
    const bks_canvas canvas = window_canvas(d->shown);
    canvas.clear(canvas.context, d->drawn != 0 ? 0xFFFFFFFF : 0x202020FF);
}

static bool present(void *context)
{
    latency_desk *d = context;
    window_present(d->shown);
    const uint64_t pressed_ns = atomic_load(&d->pressed_ns);
    if (pressed_ns != 0 && d->drawn == atomic_load(&d->is_down)) {
        const uint64_t took_ns = tool_clock_ns(NULL) - pressed_ns;
        d->sum_ns += took_ns;
        d->worst_ns = took_ns > d->worst_ns ? took_ns : d->worst_ns;
        d->seen++;
        atomic_store(&d->pressed_ns, 0);
    }
    return d->screen.is_synced;
}

static bool is_patient(latency_desk *d)
{
    const uint64_t pressed_ns = atomic_load(&d->pressed_ns);
    const uint64_t now_ns = tool_clock_ns(NULL);
    return pressed_ns == 0 || now_ns < pressed_ns + (uint64_t)PATIENCE_MS * 1000000;
}

static uint32_t rate_of(const latency_desk *d)
{
    return d->screen.rate_hz > 0 ? d->screen.rate_hz : USUAL_HZ;
}

static void run(latency_desk *d)
{
    const frame_loop loop = {.context = d,
                             .now = now,
                             .wait = wait,
                             .sample = sample,
                             .step = step,
                             .draw = draw,
                             .present = present,
                             .every_ns = SECOND_NS / rate_of(d),
                             .pace = &d->pace};
    while (d->seen < d->presses && is_patient(d) && frame_loop_turn(&loop)) {
    }
    atomic_store(&d->is_over, true);
}

static bool open_match(latency_desk *d)
{
    bks_match_config config = bks_match_config_default();
    config.game = &latency_game;
    config.record = false;
    config.pictures = BKS_PICTURES_EXTRAPOLATE;
    bks_error error = {0};
    if (bks_match_open(&config, &d->match, &error) != BKS_OK) {
        tool_complain_error("latency", &error);
    }
    return d->match != NULL;
}

static int measure(latency_desk *d, latency_seen *out)
{
    take_focus(&d->x);
    if (pthread_create(&d->hand, NULL, press, d) != 0) {
        tool_complain("--window", "no thread can be made");
        return TOOL_NO;
    }
    run(d);
    (void)pthread_join(d->hand, NULL);
    if (d->seen < d->presses) {
        tool_complain("--window", "a key was not seen: has the window the keyboard?");
        return TOOL_NO;
    }
    *out = (latency_seen){.mean_ns = d->sum_ns / d->seen,
                          .worst_ns = d->worst_ns,
                          .pictures_hz = rate_of(d),
                          .is_synced = d->screen.is_synced};
    return TOOL_OK;
}

int latency_window(uint32_t presses, latency_seen *out)
{
    latency_desk d = {.presses = presses};
    int status = TOOL_NO;
    if (!window_can_open()) {
        tool_complain("--window", "there is no display");
        return TOOL_NO;
    }
    d.shown = window_open("latency", WIDTH, HEIGHT, true, NULL);
    if (d.shown != NULL && open_server(&d.x) && open_match(&d)) {
        d.screen = window_screen_of(d.shown);
        status = measure(&d, out);
    }
    bks_match_close(d.match);
    close_server(&d.x);
    window_close(d.shown);
    return status;
}
