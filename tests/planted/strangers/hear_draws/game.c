// SPDX-License-Identifier: MIT

// Pinball for two. Bumps make cues; hear() varies the pitch with the game's own generator.
#include <backstitch/backstitch.h>
#include <stdlib.h>
enum { BUMPERS = 10, SOUND_POP = 0, SOUND_FLIP = 1, SOUNDS = 2 };
typedef struct ball { int32_t x, y, vx, vy; int32_t score, lost; } ball;
typedef struct bumper { int32_t x, y; int16_t lit, value; } bumper;
typedef struct pinball_state {
    ball balls[2];
    bumper bumpers[BUMPERS];
    bks_random random;
    int32_t jackpot, tilt[2], pops;
} pinball_state;
static void pinball_init(void *state, const bks_start *start)
{
    pinball_state *s = state;
    bks_random_seed(&s->random, start->seed, 17);
    for (int i = 0; i < BUMPERS; i++) {
        s->bumpers[i] = (bumper){.x = (int32_t)bks_random_between(&s->random, 50, 450) * 16, .y = (int32_t)bks_random_between(&s->random, 100, 500) * 16, .value = (int16_t)(10 + i)};
    }
    for (int i = 0; i < 2; i++) {
        s->balls[i] = (ball){.x = (100 + 300 * i) * 16, .y = 0, .vx = 20 - 40 * i};
    }
}
static void flippers(pinball_state *s, const bks_step *step)
{
    for (uint32_t p = 0; p < step->players; p++) {
        const int32_t *in = bks_step_input(step, p); // flip, nudge
        ball *b = &s->balls[p];
        if (in[0] && b->y > 560 * 16) {
            b->vy = -200;
            b->vx += 30 * (b->x > 250 * 16 ? -1 : 1);
            bks_cue(step, SOUND_FLIP, p, NULL, 0);
        }
        if (in[1] != 0) {
            b->vx += in[1] * 2;
            s->tilt[p]++;
        }
    }
}
static void roll(pinball_state *s)
{
    for (int i = 0; i < 2; i++) {
        ball *b = &s->balls[i];
        b->vy += 3;
        b->x += b->vx;
        b->y += b->vy;
        if (b->x < 0 || b->x > 500 * 16) {
            b->vx = -b->vx;
            b->x = b->x < 0 ? 0 : 500 * 16;
        }
        if (b->y < 0) {
            b->y = 0;
            b->vy = -b->vy / 2;
        }
        if (b->y > 620 * 16) {
            b->lost++;
            b->y = 0;
            b->vy = 0;
            b->vx = bks_random_between(&s->random, -40, 40); // a new ball
        }
    }
}
static void pop(pinball_state *s, const bks_step *step)
{
    for (int i = 0; i < 2; i++) {
        ball *b = &s->balls[i];
        for (int k = 0; k < BUMPERS; k++) {
            bumper *u = &s->bumpers[k];
            u->lit = (int16_t)(u->lit - (u->lit > 0));
            if (abs(u->x - b->x) < 320 && abs(u->y - b->y) < 320) {
                b->vx = b->x > u->x ? 90 : -90;
                b->vy = b->y > u->y ? 60 : -120;
                b->score += u->value;
                u->lit = 20;
                s->pops++;
                s->jackpot += 5;
                bks_cue(step, SOUND_POP, (uint64_t)k, &u->value, sizeof(u->value));
            }
        }
    }
}
static void pinball_step(void *state, const bks_step *step)
{
    pinball_state *s = state;
    flippers(s, step);
    bks_mark(step, "flippers");
    roll(s);
    bks_mark(step, "roll");
    pop(s, step);
    bks_mark(step, "pop");
}
static bool pinball_hear(const void *state, const bks_cue_event *event, bks_cue_sound *out)
{
    pinball_state *s = (pinball_state *)state;
    *out = (bks_cue_sound){.sound = event->id, .volume = 1};
    out->pan = (float)bks_random_between(&s->random, -50, 50) / 50; // a little different each time
    return event->kind == BKS_CUE_STARTED;
}
static const uint32_t frames[SOUNDS] = {4000, 2400};
static void make_sound(uint32_t sound, float *samples)
{
    bks_tone(samples, frames[sound], sound ? 120.0f : 440.0f, 60.0f);
}
static const bks_cue_type cues[SOUNDS] = {{.name = "pop"}, {.name = "flip"}};
static const bks_field fields[] = {{.name = "flip", .bits = 1}, {.name = "nudge", .bits = 2, .is_signed = true}};
static const bks_game game = {.name = "pinball", .tick_rate_hz = 60, .players_max = 2, .fields = fields, .field_count = 2, .cues = cues, .cue_count = SOUNDS,
    .state_bytes = sizeof(pinball_state), .init = pinball_init, .step = pinball_step};
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game, .sound_frames = frames, .sound_count = SOUNDS, .make_sound = make_sound, .hear = pinball_hear};
