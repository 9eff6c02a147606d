// SPDX-License-Identifier: MIT
// Tag on a line: `tag 600` hosts ten seconds and prints an invitation, `tag 600 INVITATION` joins.
#include <backstitch/backstitch.h>
#include <stdio.h>
#include <stdlib.h>
typedef struct tag_state {
    int32_t ticks, x[2], score[2], hunter; // all there is to the game
} tag_state;
static void tag_init(void *state, const bks_start *start)
{
    *(tag_state *)state = (tag_state){.x = {0, 300}, .hunter = (int32_t)(start->seed % 2)};
}

static void tag_step(void *state, const bks_step *step) // its rules for one tick
{
    tag_state *tag = state;
    tag->x[0] += step->inputs[0] * (0 == tag->hunter ? 4 : 3);
    tag->x[1] += step->inputs[1] * (1 == tag->hunter ? 4 : 3);
    if (abs(tag->x[0] - tag->x[1]) < 20) {
        tag->score[tag->hunter]++;
        tag->x[tag->hunter ^= 1] -= 300; // the caught player hunts, from behind
    }
    tag->ticks++;
}

int main(int argc, char **argv)
{
    const bks_game game = {.name = "tag",
                           .tick_rate_hz = 60,
                           .players_max = 2,
                           .fields = &(bks_field){.name = "run", .bits = 2, .is_signed = true},
                           .field_count = 1,
                           .state_bytes = sizeof(tag_state),
                           .init = tag_init,
                           .step = tag_step};
    bks_match_config config = bks_match_config_default();
    config.game = &game;
    config.ticks = argc > 1 ? atoi(argv[1]) : 600;
    config.invitation = argc > 2 ? argv[2] : NULL; // NULL hosts
    bks_match *match;
    bks_status status = bks_match_open(&config, &match, NULL); // a log line says what is wrong
    if (status == BKS_OK) {
        printf("%s\n", bks_match_invitation(match));
    }
    for (int32_t second = 0, me = config.invitation != NULL; status == BKS_OK; fflush(stdout)) {
        status = bks_match_update(match);
        for (bks_event event; bks_match_event(match, &event);) {
            printf("%s\n", event.text); // joins and leaves, and whether the states still agree
        }
        const tag_state *tag = bks_match_state(match);
        if (tag->ticks / 60 > second || status != BKS_OK) {
            printf("second %d: %d to %d\n", second = tag->ticks / 60, tag->score[0], tag->score[1]);
        }
        bks_match_wait(match); // then read the gamepad, as late as can be; here a robot plays
        int32_t run = me != tag->hunter ? tag->ticks / 40 % 2 : tag->x[!me] > tag->x[me] ? 1 : -1;
        status = status == BKS_OK ? bks_match_input(match, 0, &run) : status;
    }
    bks_match_close(match);
    return status == BKS_OVER ? 0 : (fprintf(stderr, "%s\n", bks_status_text(status)), 1);
}
