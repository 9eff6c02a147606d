// SPDX-License-Identifier: MIT

#include "diagnose/variants/vary_build.h"

#include <stdio.h>
#include <string.h>

#include "base/tool.h"
#include "diagnose/processes/check_guest.h"
#include "diagnose/variants/build_layout.h"

static loaded_game plain; // the baseline's build

int vary_build_check(const char *path, const bks_game *game)
{
    loaded_game other;
    const int status = loader_open(path, &other);
    if (status == TOOL_OK && strcmp(other.game->name, game->name) != 0) {
        tool_complain(path, "is the game %s, expected another build of %s", other.game->name,
                      game->name);
        return TOOL_MISUSE;
    }
    return status;
}

void vary_build_prepare(check_guest *guest)
{
    guest->side.path = guest->side.options->value;
}

// What two builds must have in common to be stepped with the same inputs.
// @return whether they have
static bool is_same_game(const bks_game *a, const bks_game *b)
{
    bool is_same = a->field_count == b->field_count && a->players_min == b->players_min &&
                   a->players_max == b->players_max && a->tick_rate_hz == b->tick_rate_hz;
    for (uint32_t i = 0; is_same && i < a->field_count; i++) {
        is_same = strcmp(a->fields[i].name, b->fields[i].name) == 0 &&
                  a->fields[i].bits == b->fields[i].bits &&
                  a->fields[i].is_signed == b->fields[i].is_signed;
    }
    return is_same;
}

void vary_build_loaded(check_guest *guest)
{
    check_side *side = &guest->side;
    check_result *result = &guest->tape->result;
    if (side->path == NULL) {
        return;
    }
    if (loader_open(side->options->positionals.items[0], &plain) != TOOL_OK) {
        (void)snprintf(result->why, sizeof(result->why), "the baseline's build cannot be loaded");
        return;
    }
    char a[160];
    char b[160];
    if (!is_same_game(plain.game, side->game.game)) {
        (void)snprintf(a, sizeof(a), "the game %s", plain.game->name);
        (void)snprintf(b, sizeof(b), "a build of %s whose inputs, players or tick rate differ",
                       side->game.game->name);
        check_guest_find(guest, 0, CHECK_MARK_START, a, b);
    } else if (plain.game->hash == NULL &&
               build_layout_differs(&plain, &side->game, a, b, sizeof(a))) {
        check_guest_find(guest, 0, CHECK_MARK_START, a, b);
        (void)snprintf(result->found.note, sizeof(result->found.note),
                       "the builds lay out the state differently, so none of its bytes can be "
                       "compared");
    }
}

const char *vary_build_why_not(const check_guest *guest)
{
    if (guest->side.path == NULL) {
        return "no other build is given: --variants build=OTHER.so";
    }
    return strcmp(plain.build, guest->side.game.build) == 0 && plain.build[0] != '\0'
               ? "the other file is the same build"
               : NULL;
}
