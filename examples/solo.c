// SPDX-License-Identifier: MIT
// Hop over stones, alone: `solo` plays (Enter hops, Ctrl-D ends), `solo monkey 5000` lets a monkey
// play 5000 ticks, `solo FILE.bks` plays a recording again and compares every tick.
#include <backstitch/backstitch.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct hop_state {
    bks_random random;
    int32_t hour, ticks, score;
    int32_t height, rise, stone; // um, um/ms; mm ahead
} hop_state;

static void hop_init(void *state, const bks_start *start)
{
    *(hop_state *)state = (hop_state){.hour = -1, .stone = 50000};
    bks_random_seed(&((hop_state *)state)->random, start->seed, 0);
}

static void hop_step(void *state, const bks_step *step)
{
    hop_state *hop = state;
    const int32_t jumps = step->inputs[0], ms = step->inputs[1];
    hop->ticks++;
    if (hop->hour < 0) { // a fact from outside: asked once, then recorded
        bks_ask(step, 0, &hop->hour, sizeof(hop->hour));
    }
    if (jumps && hop->height == 0) {
        hop->rise = 5000;
    }
    hop->height = hop->height + hop->rise * ms > 0 ? hop->height + hop->rise * ms : 0;
    hop->rise = hop->height > 0 ? hop->rise - 16 * ms : 0;
    hop->stone -= (20 + hop->score) * ms;
    if (hop->stone <=
        0) { // the stone passes under the runner or trips him; by night stones stand closer
        hop->score = hop->height > 0 ? hop->score + 1 : 0;
        hop->stone = (hop->hour < 6 ? 20000 : 30000) + bks_random_between(&hop->random, 0, 30000);
    }
}

static bool is_closed; // no more keys will come

static void keys(void *context, const bks_sample *sample, int32_t *values) // a source of input
{
    static struct timespec before;
    struct timespec now;
    struct pollfd terminal = {.fd = STDIN_FILENO, .events = POLLIN};
    char line[64];
    values[0] = poll(&terminal, 1, 16) > 0; // waits until the next picture is due or a key comes
    is_closed = values[0] && read(STDIN_FILENO, line, sizeof(line)) <= 0;
    timespec_get(&now, TIME_UTC);
    const int64_t ns =
        (now.tv_sec - before.tv_sec) * INT64_C(1000000000) + now.tv_nsec - before.tv_nsec;
    values[1] = (int32_t)(ns < 255000000 ? ns / 1000000 : 255);
    before = now;
    (void)context, (void)sample;
}

static size_t what_hour(void *context, bks_tick tick, uint32_t question, void *out)
{
    time_t now = time(NULL);
    (void)context, (void)tick, (void)question;
    memcpy(out, &localtime(&now)->tm_hour, sizeof(int32_t));
    return sizeof(int32_t);
}

static const bks_field fields[] = {
    {.name = "hop", .bits = 1},
    {.name = "frame_ms", .bits = 8}, // the frame time varies, so it is input like any other
};
static const bks_game game = {.name = "solo",
                              .tick_rate_hz = 60,
                              .players_max = 1,
                              .fields = fields,
                              .field_count = 2,
                              .state_bytes = sizeof(hop_state),
                              .init = hop_init,
                              .step = hop_step};

static void hop_draw(const bks_picture *picture, const bks_canvas *canvas) // for bks
{
    const hop_state *hop = picture->frame.state;
    void *context = canvas->context;
    const float mm = canvas->width / 60000, ground = canvas->height * 0.7F;
    const float stone = 4000 * mm + (float)hop->stone * mm, height = (float)hop->height / 50 * mm;
    canvas->clear(context, hop->hour < 6 ? 0x101828FF : 0x9CC4E4FF);
    canvas->rectangle(context, 0, ground, canvas->width, canvas->height - ground, 0x3E6B3AFF);
    canvas->circle(context, 4000 * mm, ground - height - 1000 * mm, 1000 * mm, 0xFFB454FF);
    canvas->rectangle(context, stone, ground - 1500 * mm, 1000 * mm, 1500 * mm, 0x555A66FF);
}
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {
    .abi = BKS_PLUGIN_ABI, .game = &game, .draw = hop_draw};

static void draw(const hop_state *hop)
{
    char line[] = "   o                                                  ";
    line[3] = hop->height > 0 ? '\'' : 'o';
    if (hop->stone < 50000) {
        line[4 + hop->stone / 1000] = '#';
    }
    printf("\r%s tick %d, score %d ", line, hop->ticks, hop->score);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const bool is_monkey = argc > 2 && strcmp(argv[1], "monkey") == 0;
    bks_match_config config = bks_match_config_default();
    config.game = &game;
    config.answer = what_hour;
    config.tick_per_update = true; // one tick for each picture, however long that took
    config.play_path = argc == 2 ? argv[1] : NULL;
    config.sources[0].sample = keys;
    bks_error error;
    bks_monkey monkey;
    bks_match *match;
    bks_status status = bks_monkey_init(&monkey, fields, 2, 1, 0, 5, 30, &error);
    if (is_monkey) {
        config.sources[0] = bks_monkey_source(&monkey);
        config.ticks = atoi(argv[2]);
    }
    if (status != BKS_OK || bks_match_open(&config, &match, &error) != BKS_OK) {
        return fprintf(stderr, "%s\n", error.text), 1;
    }
    while (!is_closed && (status = bks_match_update(match)) == BKS_OK) {
        draw(bks_match_state(match));
    }
    printf("\n%s\n", status == BKS_ERR_DESYNC ? "not as recorded" : bks_match_record_path(match));
    bks_match_close(match);
    return status == BKS_ERR_DESYNC;
}
