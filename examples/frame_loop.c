// SPDX-License-Identifier: MIT
// A ball at 60 ticks a second on a screen of 75 pictures: `frame_loop 150` draws 150 of them.
#define _POSIX_C_SOURCE 200809L // nanosleep
#include <backstitch/backstitch.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PICTURE_NS 13333333

typedef struct ball_state {
    float x, speed; // metres, metres a tick
} ball_state;

static void ball_init(void *state, const bks_start *start)
{
    (void)start;
    *(ball_state *)state = (ball_state){.speed = 0.5F};
}

static void ball_step(void *state, const bks_step *step)
{
    ball_state *ball = state;
    ball->speed += (float)step->inputs[0] * 0.01F;
    ball->x += ball->speed;
    if (ball->x > 40 || ball->x < 0) {
        ball->speed = -ball->speed;
    }
}

static void ball_extrapolate(void *state, const bks_step *step, float share)
{
    ball_state *ball = state; // move on what moves steadily; nothing begins or ends here
    (void)step;
    ball->x += ball->speed * share;
}

static const bks_field fields[] = {{.name = "push", .bits = 2, .is_signed = true}};
static const bks_game game = {.name = "ball",
                              .tick_rate_hz = 60,
                              .players_max = 1,
                              .fields = fields,
                              .field_count = 1,
                              .state_bytes = sizeof(ball_state),
                              .init = ball_init,
                              .step = ball_step,
                              .extrapolate = ball_extrapolate};

static void draw(const ball_state *ball)
{
    printf("\r%*s\x1b[K", 1 + (int)(ball->x < 0 ? 0 : ball->x), "o");
}

static void present(void) // stands for a screen: it returns when the next picture may be drawn
{
    fflush(stdout);
    nanosleep(&(struct timespec){.tv_nsec = PICTURE_NS}, NULL);
}

int main(int argc, char **argv)
{
    bks_match_config config = bks_match_config_default();
    config.game = &game;
    config.record = false;
    config.pictures = BKS_PICTURES_EXTRAPOLATE;
    bks_match *match = NULL;
    bks_error error;
    if (bks_match_open(&config, &match, &error) != BKS_OK) {
        return fprintf(stderr, "%s\n", error.text), 1;
    }
    bks_status status = BKS_OK;
    for (long left = argc > 1 ? strtol(argv[1], NULL, 10) : 600; left > 0; left--) {
        const int32_t push = left % 100 < 50; // the devices, as late as can be
        bks_frame frame;
        status = bks_match_input(match, 0, &push);
        status = status == BKS_OK ? bks_match_update(match) : status; // the ticks that are due
        if (status != BKS_OK || bks_match_frame(match, bks_match_now(), &frame) != BKS_OK) {
            break;
        }
        draw(frame.state);
        present(); // shows the picture and waits for the screen
    }
    printf("\n%s\n", bks_status_text(status));
    bks_match_close(match);
    return status == BKS_OK ? 0 : 1;
}
