// SPDX-License-Identifier: MIT

#include "duel/bot.h"

#include <string.h>

#include "duel/board.h"
#include "duel/sense.h"
#include "duel/ships.h"

enum {
    GOAL_TICKS = 14, ///< ticks that a goal is kept, unless it becomes unreachable
    NEAR_ENOUGH = 160,
    MEMORY_GOAL = 0, ///< the goal: its tile plus one
    MEMORY_GOAL_UNTIL = 1,
    MEMORY_GUN = 2, ///< first of three words for the gun
    COURSES = 17,   ///< sixteen directions and staying
};

static uint32_t keep_goal(const duel_sense *sense, uint64_t memory[8])
{
    const uint32_t goal = (uint32_t)memory[MEMORY_GOAL] - 1u;
    const bool is_known = memory[MEMORY_GOAL] > 0 && goal < duel_board_tiles(sense->duel) &&
                          sense->reach[goal] != DUEL_FAR;
    if (is_known && sense->duel->tick < memory[MEMORY_GOAL_UNTIL] && sense->reach[goal] > 0) {
        return goal;
    }
    const uint32_t chosen = duel_choose_goal(sense);
    memory[MEMORY_GOAL] = chosen + 1u;
    memory[MEMORY_GOAL_UNTIL] = sense->duel->tick + GOAL_TICKS;
    return chosen;
}

// Return the vector to a tile some steps along the path, so that the course is smooth.
static duel_vector way_to(const duel_sense *sense, uint32_t goal)
{
    uint32_t tile = goal;
    while (sense->reach[tile] > 1) {
        tile = sense->from[tile];
    }
    const int32_t x = (int32_t)(tile % sense->duel->width);
    const int32_t y = (int32_t)(tile / sense->duel->width);
    const int32_t dx = duel_tile_middle(x) - sense->me->x;
    const int32_t dy = duel_tile_middle(y) - sense->me->y;
    const int32_t length = duel_length(dx, dy);
    if (length < NEAR_ENOUGH) {
        return (duel_vector){0, 0};
    }
    return (duel_vector){dx * 256 / length, dy * 256 / length};
}

// Return the safest course, and among equally safe ones the one that best follows the pilot's wish.
static duel_vector steer(const duel_sense *sense, duel_vector wish)
{
    duel_vector best = wish;
    uint32_t least =
        duel_sense_danger(sense, wish.x * DUEL_SHIP_SPEED / 256, wish.y * DUEL_SHIP_SPEED / 256);
    int32_t most = INT32_MIN;
    if (least == 0) {
        return wish;
    }
    for (uint32_t i = 0; i < COURSES; i++) {
        const duel_vector turn = i < 16 ? duel_turn(i * 2u) : (duel_vector){0, 0};
        const uint32_t danger = duel_sense_danger(sense, turn.x * DUEL_SHIP_SPEED / 256,
                                                  turn.y * DUEL_SHIP_SPEED / 256);
        const int32_t along = turn.x * wish.x + turn.y * wish.y;
        if (danger < least || (danger == least && along > most)) {
            least = danger;
            most = along;
            best = turn;
        }
    }
    return best;
}

void duel_bot_think(const duel_state *duel, uint32_t seat, uint64_t memory[8], duel_input *out)
{
    memset(out, 0, sizeof(*out));
    if (seat >= duel->ship_count || !duel_ship_of(duel, seat)->is_alive) {
        memory[MEMORY_GOAL] = 0;
        memory[MEMORY_GUN] = DUEL_NONE;
        return;
    }
    duel_sense sense;
    duel_sense_gather(&sense, duel, seat);
    const duel_vector course = steer(&sense, way_to(&sense, keep_goal(&sense, memory)));
    out->move_x = course.x * DUEL_STICK_FULL / 256;
    out->move_y = course.y * DUEL_STICK_FULL / 256;
    out->fire = (int32_t)duel_choose_fire(&sense, &memory[MEMORY_GUN]);
}
