// SPDX-License-Identifier: MIT

// Decides when and in which direction a pilot fires.

#include "duel/board.h"
#include "duel/sense.h"
#include "duel/weapon.h"

enum {
    LANE_HALF = 470,
    WIDE_HALF = 1500,
    FIRE_REACH = 13 * DUEL_TILE,
    NEAR_REACH = 7 * DUEL_TILE,
    PARRY_REACH = 5 * DUEL_TILE,
    CREATURE_WEIGHT = 8,       // weight of creatures that is worth a shot
    CREATURE_HUNT_WEIGHT = 3,  // weight that is worth a shot when few creatures are left
    CREATURE_WIDE_WEIGHT = 20, // weight of creatures that is worth a volley
    HOLD_MOST_TICKS = 110,
    TAP_TICKS = 11, // ticks until fire is released and pressed again
};

// Words of the pilot's memory: the direction held, since when, and when the next press is allowed.
enum {
    MEMORY_HELD = 0,
    MEMORY_SINCE = 1,
    MEMORY_NEXT = 2,
};

static int32_t size(int32_t value)
{
    return value < 0 ? -value : value;
}

// Return a point's distance ahead in a direction (x), and its distance from the lane (y).
static duel_vector in_lane(const duel_sense *sense, uint32_t direction, int32_t x, int32_t y)
{
    const duel_vector ahead = duel_step_of(direction);
    const int32_t dx = x - sense->me->x;
    const int32_t dy = y - sense->me->y;
    if (ahead.x != 0) {
        return (duel_vector){dx * ahead.x, y - duel_tile_middle(sense->tile_y)};
    }
    return (duel_vector){dy * ahead.y, x - duel_tile_middle(sense->tile_x)};
}

// Return the distance of a rival that a shot in a direction would hit, 0 if it would not hit.
static int32_t rival_in_lane(const duel_sense *sense, const duel_ship *rival, uint32_t direction,
                             int32_t half)
{
    const duel_vector now = in_lane(sense, direction, rival->x, rival->y);
    if (now.x < DUEL_TILE / 2 || now.x > FIRE_REACH) {
        return 0;
    }
    // Aim at the predicted position, but only part of the way, because the rival may turn.
    const int32_t flight = now.x / DUEL_SHOT_SPEED;
    const int32_t lead = flight < 14 ? flight : 14;
    const duel_vector then = in_lane(sense, direction, rival->x + rival->vx * lead * 3 / 4,
                                     rival->y + rival->vy * lead * 3 / 4);
    if (size(then.y) > half || rival->protect_ticks > flight) {
        return 0;
    }
    const duel_vector ahead = duel_step_of(direction);
    const int32_t tiles = now.x / DUEL_TILE;
    const bool is_clear =
        duel_sense_is_clear(sense->duel, sense->tile_x, sense->tile_y,
                            sense->tile_x + ahead.x * tiles, sense->tile_y + ahead.y * tiles);
    return is_clear ? now.x : 0;
}

// Return the direction of the nearest target, if any.
static uint32_t find_target(const duel_sense *sense, int32_t *out_distance)
{
    uint32_t choice = DUEL_NONE;
    *out_distance = INT32_MAX;
    for (uint32_t direction = DUEL_NORTH; direction <= DUEL_WEST; direction++) {
        for (uint32_t i = 0; i < sense->rival_count; i++) {
            const int32_t far = rival_in_lane(sense, sense->rival[i], direction, LANE_HALF);
            if (far > 0 && far < *out_distance) {
                *out_distance = far;
                choice = direction;
            }
        }
    }
    uint32_t most = sense->is_hunting ? CREATURE_HUNT_WEIGHT : CREATURE_WEIGHT;
    for (uint32_t direction = DUEL_NORTH; direction <= DUEL_WEST; direction++) {
        if (sense->weight[direction] >= most) {
            most = sense->weight[direction] + 1;
            *out_distance = NEAR_REACH / 2;
            choice = direction;
        }
    }
    return choice;
}

// Return the direction of a shot that comes along the ship's lane and can be shot down.
static uint32_t find_parry(const duel_sense *sense)
{
    for (uint32_t i = 0; i < sense->shot_count; i++) {
        const duel_shot *shot = sense->shot[i];
        const uint32_t back = (shot->direction + 1u) % 4u + 1u;
        const duel_vector at = in_lane(sense, back, shot->x, shot->y);
        if (at.x > DUEL_TILE && at.x < PARRY_REACH && size(at.y) < LANE_HALF) {
            return back;
        }
    }
    return DUEL_NONE;
}

static bool is_volley_worth_it(const duel_sense *sense, uint32_t direction)
{
    if (sense->wide_weight[direction] >= CREATURE_WIDE_WEIGHT) {
        return true;
    }
    for (uint32_t i = 0; i < sense->rival_count; i++) {
        if (rival_in_lane(sense, sense->rival[i], direction, WIDE_HALF) > 0) {
            return true;
        }
    }
    return false;
}

// Return the direction of the nearest rival or the crowd, to colour tiles and open a way.
static uint32_t find_ground(const duel_sense *sense)
{
    int32_t best = INT32_MAX;
    uint32_t choice = DUEL_NONE;
    for (uint32_t i = 0; i < sense->rival_count; i++) {
        const int32_t dx = sense->rival[i]->x - sense->me->x;
        const int32_t dy = sense->rival[i]->y - sense->me->y;
        if (size(dx) + size(dy) < best) {
            best = size(dx) + size(dy);
            choice = duel_main_direction(dx, dy);
        }
    }
    if (sense->duel->mode == DUEL_ARCADE) {
        const int32_t dx = sense->duel->width * (DUEL_TILE / 2) - sense->me->x;
        const int32_t dy = sense->duel->height * (DUEL_TILE / 2) - sense->me->y;
        choice = duel_main_direction(dx, dy);
        for (uint32_t direction = DUEL_NORTH; direction <= DUEL_WEST; direction++) {
            if (sense->wide_weight[direction] > sense->wide_weight[choice]) {
                choice = direction;
            }
        }
    }
    return choice;
}

static uint32_t press(const duel_sense *sense, uint64_t *memory, uint32_t direction)
{
    memory[MEMORY_HELD] = direction;
    memory[MEMORY_SINCE] = sense->duel->tick;
    memory[MEMORY_NEXT] = sense->duel->tick + 9u + sense->noise % 10u;
    return direction;
}

static uint32_t let_go(uint64_t *memory)
{
    memory[MEMORY_HELD] = DUEL_NONE;
    return DUEL_NONE;
}

static uint32_t hold_on(const duel_sense *sense, uint64_t *memory, uint32_t target, int32_t far)
{
    const uint32_t held = (uint32_t)memory[MEMORY_HELD];
    const uint64_t ticks = sense->duel->tick - memory[MEMORY_SINCE];
    const bool is_charged = sense->me->charge_ticks >= DUEL_CHARGE_TICKS;
    if (target != DUEL_NONE && target != held && sense->duel->tick >= memory[MEMORY_NEXT]) {
        return press(sense, memory, target);
    }
    if (is_charged && (is_volley_worth_it(sense, held) || ticks > HOLD_MOST_TICKS)) {
        return let_go(memory);
    }
    if (target == held && !is_charged && ticks >= TAP_TICKS && far < NEAR_REACH) {
        return let_go(memory);
    }
    if (sense->me->ammo == 0 || ticks > HOLD_MOST_TICKS) {
        return let_go(memory);
    }
    return held;
}

uint32_t duel_choose_fire(const duel_sense *sense, uint64_t *memory)
{
    int32_t far = 0;
    const uint32_t target = find_target(sense, &far);
    if (memory[MEMORY_HELD] > DUEL_WEST) {
        return let_go(memory); // only in a damaged state, as the lab makes it
    }
    if (memory[MEMORY_HELD] != DUEL_NONE) {
        return hold_on(sense, memory, target, far);
    }
    if (sense->duel->tick < memory[MEMORY_NEXT] || sense->me->ammo == 0) {
        return DUEL_NONE;
    }
    if (target != DUEL_NONE) {
        return press(sense, memory, target);
    }
    const uint32_t parry = find_parry(sense);
    if (parry != DUEL_NONE) {
        return press(sense, memory, parry);
    }
    const bool is_cornered = sense->reach_count < 8 || sense->me->is_trapped;
    const bool has_plenty = sense->me->ammo + 1u >= sense->me->ammo_max;
    const uint32_t ground = find_ground(sense);
    if ((is_cornered || has_plenty) && ground != DUEL_NONE && sense->me->protect_ticks == 0) {
        return press(sense, memory, ground);
    }
    return DUEL_NONE;
}
