// SPDX-License-Identifier: MIT
// Boxes push each other off a platform. `arena`: two players on this machine, W A S D and arrows,
// or gamepads. `arena host [PLAYERS [SECONDS]]` and `arena join INVITATION`: one on each machine.
#include <backstitch/backstitch.h>
#include <backstitch/sdl2.h>

enum { WIDTH = 960, HEIGHT = 540, EDGE = 230, SIZE = 44, PLAYERS_MAX = 4, TONE_FRAMES = 12000 };
enum { BUMP, FALL, CUES }; // sounds: a cue and its sound have the same number
typedef struct box {
    float at[2], speed[2]; // x and y from the middle of the platform; units and units a tick
    int32_t falls;
} box;

static void arena_init(void *state, const bks_start *start)
{
    box *boxes = state;
    for (uint32_t i = 0; i < start->players; i++) {
        boxes[i] = (box){.at = {i % 2 == 0 ? -150 : 150, i < 2 ? -150 : 150}};
    }
}

static void bump(box *a, box *b, const bks_step *step, uint32_t key)
{
    const float gap[2] = {b->at[0] - a->at[0], b->at[1] - a->at[1]};
    const int way = SDL_fabsf(gap[0]) > SDL_fabsf(gap[1]) ? 0 : 1; // side by side, or above
    const float speed = a->speed[way];
    if (SDL_fabsf(gap[way]) < SIZE && gap[way] * (speed - b->speed[way]) > 0) { // they come nearer
        a->speed[way] = b->speed[way];
        b->speed[way] = speed;
        bks_cue(step, BUMP, key, NULL, 0);
    }
}

static void arena_step(void *state, const bks_step *step) // the rules, for one tick
{
    box *boxes = state;
    for (uint32_t i = 0; i < step->players; i++) {
        box *b = &boxes[i];
        for (uint32_t way = 0; way < 2; way++) { // the stick says -63 to 63
            b->speed[way] = b->speed[way] * 0.97f + (float)step->inputs[2 * i + way] * 0.004f;
            b->at[way] += b->speed[way];
        }
        for (uint32_t j = 0; j < i; j++) {
            bump(b, &boxes[j], step, i * PLAYERS_MAX + j);
        }
        if (SDL_fabsf(b->at[0]) > EDGE || SDL_fabsf(b->at[1]) > EDGE) {
            bks_cue(step, FALL, i, NULL, 0);
            *b = (box){.falls = b->falls + 1};
        }
    }
}

static void arena_extrapolate(void *state, const bks_step *step, float share) // for one picture
{
    for (uint32_t i = 0; i < 2 * step->players; i++) {
        box *b = (box *)state + i / 2;
        b->at[i % 2] += b->speed[i % 2] * share;
    }
}

static const bks_field fields[] = {
    {.name = "x", .bits = 7, .is_signed = true, .kind = BKS_FIELD_STICK_X, .dead_zone = 0.2f},
    {.name = "y", .bits = 7, .is_signed = true, .kind = BKS_FIELD_STICK_Y}};
static const bks_cue_type cues[] = {{.name = "bump"}, {.name = "fall", .when = BKS_CUE_CONFIRMED}};
static const bks_game game = {.name = "arena",
                              .tick_rate_hz = 60,
                              .players_max = PLAYERS_MAX,
                              .fields = fields,
                              .field_count = 2,
                              .cues = cues,
                              .cue_count = CUES,
                              .state_bytes = PLAYERS_MAX * sizeof(box),
                              .init = arena_init,
                              .step = arena_step,
                              .extrapolate = arena_extrapolate};

static bks_mixer *open_sound(void)
{
    static float samples[CUES][TONE_FRAMES];
    const bks_sound sounds[CUES] = {bks_tone(samples[BUMP], TONE_FRAMES, 220, 70),
                                    bks_tone(samples[FALL], TONE_FRAMES, 700, 100)};
    const bks_mixer_config config = {.sounds = sounds, .sound_count = CUES, .tick_rate_hz = 60};
    bks_mixer *mixer = NULL;
    if (bks_mixer_create(&config, &mixer, NULL) == BKS_OK) {
        bks_sdl2_sound(mixer);
    }
    return mixer;
}

static void draw(SDL_Renderer *renderer, bks_match *match)
{
    static const uint32_t colours[PLAYERS_MAX] = {0xE8A33D, 0x4DA3E8, 0x8CC84B, 0xE06C75};
    char text[128];
    bks_frame frame;
    bks_match_frame(match, bks_match_now(), &frame); // also between two ticks
    bks_sdl2_fill(renderer, 0, 0, WIDTH, HEIGHT, 0x0B0E14);
    bks_sdl2_fill(renderer, WIDTH / 2 - EDGE, HEIGHT / 2 - EDGE, 2 * EDGE, 2 * EDGE, 0x2A3342);
    for (uint32_t i = 0; i < bks_match_players(match); i++) {
        const box *b = (const box *)frame.state + i;
        bks_sdl2_fill(renderer, WIDTH / 2 + b->at[0] - SIZE / 2, HEIGHT / 2 + b->at[1] - SIZE / 2,
                      SIZE, SIZE, colours[i]);
        SDL_snprintf(text, sizeof(text), "%d falls", b->falls);
        bks_sdl2_text(renderer, 20, 20 + 30 * (float)i, 2, colours[i], text);
    }
    bks_match_numbers(match, text, sizeof(text)); // round trip, delay, rollbacks
    bks_sdl2_text(renderer, 20, HEIGHT - 30, 2, 0xC0C8D8, text);
    SDL_RenderPresent(renderer); // waits for the screen
}

int main(int argc, char **argv)
{
    const bool is_guest = argc > 1 && SDL_strcmp(argv[1], "join") == 0;
    bks_match_config config = bks_match_config_default();
    config.game = &game;
    config.invitation = !is_guest ? NULL : argc > 2 ? argv[2] : ""; // "" is refused
    config.players = argc > 2 && !is_guest ? (uint32_t)SDL_atoi(argv[2]) : 2;
    config.local_players = argc > 1 ? 1 : 2;
    config.ticks = argc > 3 ? 60 * SDL_atoi(argv[3]) : 0;
    config.pictures = BKS_PICTURES_EXTRAPOLATE;
    config.cues_per_tick = 16;
    bks_error error = {0};
    bks_match *match;
    bks_status status = bks_match_open(&config, &match, &error);
    SDL_Renderer *renderer = bks_sdl2_open("arena", WIDTH, HEIGHT);
    bks_mixer *mixer = open_sound();
    puts(status == BKS_OK && argc > 1 && !is_guest ? bks_match_invitation(match) : "arena");
    for (; status == BKS_OK && renderer != NULL && bks_sdl2_poll(); fflush(stdout)) {
        for (uint32_t i = 0; i < config.local_players && status == BKS_OK; i++) {
            float raw[2];
            int32_t input[2];
            bks_sdl2_stick((int)i, raw);
            bks_input_quantise(fields, 2, raw, input);
            status = bks_match_input(match, i, input);
        }
        status = status == BKS_OK ? bks_match_update(match) : status;
        for (bks_event event; bks_match_event(match, &event);) {
            puts(event.text);
        }
        for (bks_cue_event cue; bks_match_cue(match, &cue);) {
            bks_mixer_cue(mixer, &cue, &(bks_cue_sound){.sound = cue.id, .volume = 1});
        }
        draw(renderer, match);
    }
    puts(renderer == NULL ? "no window" : *error.text ? error.text : bks_status_text(status));
    bks_match_close(match);
    bks_sdl2_close(renderer); // the sound card asks no more
    bks_mixer_destroy(mixer);
    return renderer != NULL && (status == BKS_OK || status == BKS_OVER) ? 0 : 1;
}
