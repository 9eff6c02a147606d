// SPDX-License-Identifier: MIT
// A small strategy game in lockstep: a click selects a squad, a right click sends it. `orders`
// alone, or `orders host [SECONDS]` and `orders join INVITATION` on two machines.
#include <backstitch/backstitch.h>
#include <backstitch/sdl2.h>

enum { WIDTH = 960, HEIGHT = 540, HZ = 10, PLAYERS = 2, SQUADS = 3, SPEED = 8, SIZE = 14 };
enum { UNITS = 6 * SQUADS, ORDER_BYTES = 5 }; // an order: x and y in two bytes each, the squad
enum { MALFORMED = 1, TAKEN };                // reasons for which the step refuses an order
typedef struct unit {
    int16_t at[2], to[2]; // x and y, pixels; integers are the same on all machines
} unit;
typedef struct orders_state {
    unit units[PLAYERS * UNITS]; // player 0 has the first UNITS, player 1 the others
} orders_state;

static void orders_init(void *state, const bks_start *start)
{
    for (uint32_t i = 0; i < start->players * UNITS; i++) {
        unit *u = &((orders_state *)state)->units[i];
        u->at[0] = u->to[0] = (int16_t)(i / UNITS * 600 + 120 + i % 6 * 24);
        u->at[1] = u->to[1] = (int16_t)(220 + i % UNITS / 6 * 24);
    }
}

static int place_of(const uint8_t *order, int axis)
{
    return order[2 * axis] | order[2 * axis + 1] << 8;
}

static uint32_t carry_out(unit *units, const bks_step *step, const bks_command *order)
{
    const uint8_t *bytes = order->bytes; // of any number and value: check them
    if (order->count != ORDER_BYTES || bytes[4] >= SQUADS || place_of(bytes, 0) >= WIDTH ||
        place_of(bytes, 1) >= HEIGHT) {
        return MALFORMED;
    }
    const int x = place_of(bytes, 0), y = place_of(bytes, 1);
    for (uint32_t i = 0; i < step->players * UNITS; i++) {
        const int16_t *at = units[i].at;
        if (i / UNITS != order->player && SDL_abs(at[0] - x) < 60 && SDL_abs(at[1] - y) < 60) {
            return TAKEN;
        }
    }
    for (uint32_t i = 0; i < 6; i++) { // side by side
        unit *u = &units[order->player * UNITS + bytes[4] * 6 + i];
        u->to[0] = (int16_t)(x + (int)i * 24 - 60);
        u->to[1] = (int16_t)y;
    }
    return 0;
}

static void orders_step(void *state, const bks_step *step) // the rules, for one tick
{
    orders_state *orders = state;
    for (bks_command order = {0}; bks_step_command(step, &order);) {
        const uint32_t why = carry_out(orders->units, step, &order);
        if (why != 0) {
            bks_refuse(step, &order, why);
        }
    }
    for (uint32_t i = 0; i < 2 * step->players * UNITS; i++) {
        unit *u = &orders->units[i / 2];
        const int way = u->to[i % 2] - u->at[i % 2];
        u->at[i % 2] = (int16_t)(u->at[i % 2] + SDL_clamp(way, -SPEED, SPEED));
    }
}

static struct {             // for this player's eyes; no step reads it
    int selected, flash[2]; // a squad, a place
    uint32_t colour, flash_until_ms;
} view;

static void flash(const uint8_t *order, uint32_t colour)
{
    view.flash[0] = place_of(order, 0);
    view.flash[1] = place_of(order, 1);
    view.colour = colour;
    view.flash_until_ms = SDL_GetTicks() + 400;
}

static void orders_on_command(const void *state, const bks_command *order) // before any step
{
    (void)state;
    flash(order->bytes, 0x8CC84B);
}

static const bks_game game = {.name = "orders",
                              .tick_rate_hz = HZ,
                              .players_max = PLAYERS,
                              .fields = &(bks_field){.name = "unused", .bits = 1},
                              .field_count = 1, // a game needs one, also if it has commands
                              .command_bytes_max = ORDER_BYTES,
                              .on_command = orders_on_command,
                              .state_bytes = sizeof(orders_state),
                              .init = orders_init,
                              .step = orders_step};
BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &game};

static void select_squad(bks_match *match, int x, int y)
{
    if (!bks_match_started(match)) {
        return; // there is no seat yet
    }
    const orders_state *orders = bks_match_state(match);
    const unit *own = &orders->units[bks_match_seat(match, 0) * UNITS];
    for (int i = 0; i < UNITS; i++) {
        if (SDL_abs(own[i].at[0] - x) < SIZE && SDL_abs(own[i].at[1] - y) < SIZE) {
            view.selected = i / 6;
        }
    }
}

static bks_status mouse_button(bks_match *match, const SDL_MouseButtonEvent *mouse)
{
    const int x = SDL_clamp(mouse->x, 0, WIDTH - 1), y = SDL_clamp(mouse->y, 0, HEIGHT - 1);
    if (mouse->button != SDL_BUTTON_RIGHT) {
        select_squad(match, x, y);
        return BKS_OK;
    }
    const uint8_t order[ORDER_BYTES] = {(uint8_t)x, (uint8_t)(x >> 8), (uint8_t)y,
                                        (uint8_t)(y >> 8), (uint8_t)view.selected};
    const bks_status status = bks_match_command(match, 0, order, ORDER_BYTES);
    return status == BKS_ERR_FULL ? BKS_OK : status; // not taken, so nothing flashed
}

static void draw(SDL_Renderer *renderer, bks_match *match)
{
    char text[128];
    bks_frame frame;
    bks_match_frame(match, bks_match_now(), &frame);
    const orders_state *was = frame.before, *is = frame.state; // the two newest ticks
    bks_sdl2_fill(renderer, 0, 0, WIDTH, HEIGHT, 0x0B0E14);
    for (int i = 0; i < (int)bks_match_players(match) * UNITS; i++) {
        const bool is_mine = i / UNITS == bks_match_seat(match, 0);
        const bool is_selected = is_mine && view.selected == i % UNITS / 6;
        const uint32_t colour = is_selected ? 0xFFFFFF : is_mine ? 0x4DA3E8 : 0xE8A33D;
        const int16_t *from = was->units[i].at, *to = is->units[i].at;
        const float x = bks_blend(from[0], to[0], frame.share, 0);
        const float y = bks_blend(from[1], to[1], frame.share, 0);
        bks_sdl2_fill(renderer, x - SIZE / 2, y - SIZE / 2, SIZE, SIZE, colour);
    }
    if (SDL_GetTicks() < view.flash_until_ms) {
        const float x = (float)view.flash[0], y = (float)view.flash[1];
        bks_sdl2_fill(renderer, x - 5, y - 5, 10, 10, view.colour);
    }
    bks_match_numbers(match, text, sizeof(text)); // round trip, delay, waits
    bks_sdl2_text(renderer, 20, HEIGHT - 30, 2, 0xC0C8D8, text);
    SDL_RenderPresent(renderer); // waits for the screen
}

int main(int argc, char **argv)
{
    const bool is_guest = argc > 1 && SDL_strcmp(argv[1], "join") == 0;
    bks_match_config config = bks_match_config_default();
    config.game = &game;
    config.invitation = !is_guest ? NULL : argc > 2 ? argv[2] : ""; // "" is refused
    config.players = PLAYERS;
    config.local_players = argc > 1 ? 1 : PLAYERS;
    config.ticks = argc > 2 && !is_guest ? HZ * SDL_atoi(argv[2]) : 0;
    config.tuning.window_ticks = 0; // lockstep: nothing is guessed
    config.pictures = BKS_PICTURES_INTERPOLATE;
    config.cues_per_tick = 64; // with 0 no refusal is reported
    bks_error error = {0};
    bks_match *match;
    bks_status status = bks_match_open(&config, &match, &error);
    SDL_Renderer *renderer = bks_sdl2_open("orders", WIDTH, HEIGHT);
    puts(status == BKS_OK && argc > 1 && !is_guest ? bks_match_invitation(match) : "orders");
    for (bool is_open = true; status == BKS_OK && renderer != NULL && is_open; fflush(stdout)) {
        for (SDL_Event event; status == BKS_OK && SDL_PollEvent(&event);) {
            is_open = bks_sdl2_event(&event) && is_open;
            if (event.type == SDL_MOUSEBUTTONDOWN) {
                status = mouse_button(match, &event.button);
            }
        }
        status = status == BKS_OK ? bks_match_update(match) : status;
        for (bks_event event; bks_match_event(match, &event);) {
            puts(event.text);
        }
        for (bks_cue_event cue; bks_match_cue(match, &cue);) { // BKS_CUE_REFUSED alone
            puts((uint32_t)cue.key == TAKEN ? "the enemy is there" : "a malformed order");
            flash(cue.payload, 0xE06C75);
        }
        draw(renderer, match);
    }
    puts(renderer == NULL ? "no window" : *error.text ? error.text : bks_status_text(status));
    bks_match_close(match);
    bks_sdl2_close(renderer);
    return renderer != NULL && (status == BKS_OK || status == BKS_OVER) ? 0 : 1;
}
