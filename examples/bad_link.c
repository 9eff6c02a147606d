// SPDX-License-Identifier: MIT
// A match over an emulated bad link, to try a game on: `bad_link delay=50ms,loss=2%`. Two matches
// run in this process, on one thread, and the link affects the guest's packets in both directions.
// A second argument `vsync` emulates a loop that waits for a screen of 60 pictures a second.
// `early` emulates a loop that waits in the match until shortly before the next picture.
#define _POSIX_C_SOURCE 200809L // nanosleep
#include <backstitch/backstitch.h>
#include <backstitch/toolkit/links.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PICTURE_NS UINT64_C(16666667)
#define DRAW_NS    UINT64_C(2000000)

typedef struct race_state {
    int32_t presses[2];
} race_state;

static void race_init(void *state, const bks_start *start)
{
    (void)start;
    memset(state, 0, sizeof(race_state));
}

static void race_step(void *state, const bks_step *step)
{
    race_state *race = state;
    for (uint32_t player = 0; player < step->players; player++) {
        race->presses[player] += step->inputs[player];
    }
}

static const bks_field fields[] = {{.name = "button", .bits = 1}};
static const bks_game game = {.name = "race",
                              .tick_rate_hz = 60,
                              .players_min = 2,
                              .players_max = 2,
                              .fields = fields,
                              .field_count = 1,
                              .state_bytes = sizeof(race_state),
                              .init = race_init,
                              .step = race_step};

typedef struct side {
    bks_udp *udp;
    bks_bad_transport *bad;
    bks_match *match;
} side;

static uint64_t clock_ns(void *context)
{
    (void)context;
    return bks_match_now();
}

/// Open a match over UDP whose packets, outgoing and incoming, take the link of the SPEC `link`.
/// @param host  NULL: this side is the host
static bks_status open_over(side *s, const char *link, const bks_address *host, bks_error *error)
{
    bks_bad_transport_config bad = {.clock_ns = clock_ns, .seed = 7};
    bks_status status = bks_lab_link_spec_parse(link, &bad.send, error);
    bad.receive = bad.send;
    status = status == BKS_OK ? bks_udp_open("127.0.0.1:0", &s->udp, error) : status;
    if (status == BKS_OK) {
        bad.inner = bks_udp_transport(s->udp);
        status = bks_bad_transport_create(&bad, &s->bad, error);
    }
    if (status != BKS_OK) {
        return status;
    }
    const bks_transport transport = bks_bad_transport_transport(s->bad);
    bks_match_config config = bks_match_config_default();
    config.game = &game;
    config.record = false;
    config.transport = &transport; // with a custom transport no invitation carries the key, so both
                                   // sides must know it
    memset(config.key, 42, sizeof(config.key));
    config.host_address = host != NULL ? *host : (bks_address){0};
    return bks_match_open(&config, &s->match, error);
}

static void close_side(side *s)
{
    bks_match_close(s->match);
    bks_bad_transport_destroy(s->bad); // after the match that uses it
    bks_udp_close(s->udp);
}

static void sleep_until(uint64_t until_ns)
{
    const uint64_t now_ns = bks_match_now();
    const uint64_t left_ns = until_ns > now_ns ? until_ns - now_ns : 0;
    nanosleep(&(struct timespec){.tv_nsec = (long)left_ns}, NULL);
}

static bks_status step_both(side sides[2])
{
    bks_status status = BKS_OK;
    for (int i = 0; i < 2 && status == BKS_OK; i++) {
        const int32_t press = rand() % 2;
        status = bks_match_input(sides[i].match, 0, &press);
        status = status == BKS_OK ? bks_match_update(sides[i].match) : status;
    }
    return status;
}

/// Run one turn of a frame loop, from one picture to the next.
static bks_status turn(side sides[2], const char *how, uint64_t picture_ns)
{
    if (strcmp(how, "wait") == 0) {
        (void)bks_match_wait(sides[0].match);
        return step_both(sides);
    }
    // Two matches share this thread, so each waits briefly. A game with one match waits once.
    while (strcmp(how, "early") == 0 && bks_match_now() + DRAW_NS < picture_ns) {
        for (int i = 0; i < 2; i++) {
            (void)bks_match_wait_until(sides[i].match, bks_match_now() + UINT64_C(500000));
        }
    }
    const bks_status status = step_both(sides);
    sleep_until(picture_ns); // stands for drawing and waiting for the screen
    return status;
}

int main(int argc, char **argv)
{
    const char *link = argc > 1 ? argv[1] : "delay=50ms";
    const char *how = argc > 2 ? argv[2] : "wait";
    const uint64_t seconds = argc > 3 ? strtoull(argv[3], NULL, 10) : 4;
    side sides[2] = {{0}};
    bks_address host = {0};
    bks_error error = {0};
    bks_status status = open_over(&sides[0], "perfect", NULL, &error);
    status = status == BKS_OK ? bks_udp_local_address(sides[0].udp, &host) : status;
    status = status == BKS_OK ? open_over(&sides[1], link, &host, &error) : status;
    if (status != BKS_OK) {
        fprintf(stderr, "%s\n", error.text);
    }
    uint64_t picture_ns = bks_match_now();
    const uint64_t end_ns = picture_ns + seconds * UINT64_C(1000000000);
    while (status == BKS_OK && picture_ns < end_ns) {
        picture_ns = strcmp(how, "wait") == 0 ? bks_match_now() : picture_ns + PICTURE_NS;
        status = turn(sides, how, picture_ns);
    }
    char numbers[128] = "";
    (void)bks_match_numbers(sides[1].match, numbers, sizeof(numbers));
    printf("%s: %s\n", how, status == BKS_OK ? numbers : bks_status_text(status));
    close_side(&sides[1]);
    close_side(&sides[0]);
    return status == BKS_OK ? 0 : 1;
}
