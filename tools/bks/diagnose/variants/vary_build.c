// SPDX-License-Identifier: MIT

#include "diagnose/variants/variants.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/tool.h"
#include "diagnose/processes/check_imports.h"
#include "diagnose/processes/variant_process.h"
#include "game/loader.h"
#include "map/game_map.h"

typedef struct comparison {
    const bks_state_map *a;
    const bks_state_map *b;
    char *out_a;
    char *out_b;
    size_t capacity;
} comparison;

static const bks_map_type *find_type(const bks_state_map *map, const bks_map_type *like)
{
    for (uint32_t i = 0; i < map->type_count; i++) {
        if (map->types[i].kind == like->kind && strcmp(map->types[i].name, like->name) == 0) {
            return &map->types[i];
        }
    }
    return NULL;
}

static const bks_map_member *find_member(const bks_map_type *type, const char *name)
{
    for (uint32_t i = 0; i < type->member_count; i++) {
        if (strcmp(type->members[i].name, name) == 0) {
            return &type->members[i];
        }
    }
    return NULL;
}

static void say_member(const bks_map_type *type, const bks_map_member *member, const char *name,
                       char *out, size_t capacity)
{
    if (member == NULL) {
        (void)snprintf(out, capacity, "%.60s has no %.60s", type->name, name);
    } else {
        (void)snprintf(out, capacity, "%.60s.%.60s begins at byte %" PRIu64, type->name, name,
                       member->offset_bytes);
    }
}

// Compare the members of type `a` with the members of the same names of type `b`.
static bool members_differ(const bks_map_type *a, const bks_map_type *b, char *out_a, char *out_b,
                           size_t capacity)
{
    for (uint32_t i = 0; i < a->member_count; i++) {
        const bks_map_member *member = &a->members[i];
        const bks_map_member *other = find_member(b, member->name);
        if (member->name[0] != '\0' &&
            (other == NULL || other->offset_bytes != member->offset_bytes)) {
            say_member(a, member, member->name, out_a, capacity);
            say_member(b, other, member->name, out_b, capacity);
            return true;
        }
    }
    return false;
}

static bool type_differs(const comparison *c, const bks_map_type *type)
{
    const bool has_members = type->kind == BKS_MAP_STRUCT || type->kind == BKS_MAP_UNION;
    const bks_map_type *other = has_members && type->name[0] != '\0' ? find_type(c->b, type) : NULL;
    if (other == NULL) {
        return false;
    }
    if (members_differ(type, other, c->out_a, c->out_b, c->capacity) ||
        members_differ(other, type, c->out_b, c->out_a, c->capacity)) {
        return true;
    }
    if (type->bytes != other->bytes) {
        (void)snprintf(c->out_a, c->capacity, "%.60s takes %" PRIu64 " bytes", type->name,
                       type->bytes);
        (void)snprintf(c->out_b, c->capacity, "%.60s takes %" PRIu64 " bytes", other->name,
                       other->bytes);
        return true;
    }
    return false;
}

static bool sizes_differ(const bks_game *a, const bks_game *b, char *out_a, char *out_b,
                         size_t capacity)
{
    static const char form[] = "a state of %zu bytes, its root %zu";
    (void)snprintf(out_a, capacity, form, a->state_bytes, a->root_bytes);
    (void)snprintf(out_b, capacity, form, b->state_bytes, b->root_bytes);
    return a->state_bytes != b->state_bytes || a->root_bytes != b->root_bytes;
}

/// Compare the sizes of the states and the state maps of two builds.
/// @param out_a, out_b  receive a description of the first difference in each build, in `capacity`
///                      bytes
/// @return true if anything differs
static bool build_layout_differs(const loaded_game *a, const loaded_game *b, char *out_a,
                                 char *out_b, size_t capacity)
{
    char why[320];
    game_map map_a;
    game_map map_b;
    if (game_map_find(a, &map_a, why) && game_map_find(b, &map_b, why)) {
        const comparison c = {map_a.map, map_b.map, out_a, out_b, capacity};
        for (uint32_t i = 0; i < map_a.map->type_count; i++) {
            if (type_differs(&c, &map_a.map->types[i])) {
                return true;
            }
        }
    }
    return sizes_differ(a->game, b->game, out_a, out_b, capacity);
}

static loaded_game plain; // the build that the baseline steps

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

static void prepare_build(variant_process *variant)
{
    variant->stepper.path = variant->stepper.options->value;
}

// Return true if two builds can be stepped with the same inputs.
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

static void begin_build(variant_process *variant)
{
    check_stepper *stepper = &variant->stepper;
    check_result *result = &variant->tape->result;
    if (stepper->path == NULL) {
        return;
    }
    if (loader_open(stepper->options->game, &plain) != TOOL_OK) {
        TEXT_SET(result->why, "the baseline's build cannot be loaded");
        return;
    }
    char a[160];
    char b[160];
    if (!is_same_game(plain.game, stepper->game.game)) {
        TEXT_SET(a, "the game %s", plain.game->name);
        TEXT_SET(b, "a build of %s whose inputs, players or tick rate differ",
                 stepper->game.game->name);
        variant_find(variant, 0, CHECK_MARK_START, a, b);
    } else if (plain.game->hash == NULL &&
               build_layout_differs(&plain, &stepper->game, a, b, sizeof(a))) {
        variant_find(variant, 0, CHECK_MARK_START, a, b);
        TEXT_SET(result->found.note,
                 "the builds lay out the state differently, so none of its bytes can be "
                 "compared");
    }
}

static const char *why_not_build(const variant_process *variant)
{
    if (variant->stepper.path == NULL) {
        return "no other build is given: --variants build=OTHER.so";
    }
    return strcmp(plain.build, variant->stepper.game.build) == 0 && plain.build[0] != '\0'
               ? "the other file is the same build"
               : NULL;
}

// ---- the variant `cpu` ----

static const char *why_not_cpu(const variant_process *variant)
{
#ifdef _WIN32
    (void)variant;
    return "not on Windows: its C library has one form of its mathematics";
#else
    bool is_called[CHECK_MATHEMATICS];
    uint64_t here[CHECK_MATHEMATICS];
    bool calls_any = false;
    bool differs = false;
    check_imports_of(variant->stepper.game.path, check_mathematics_names, CHECK_MATHEMATICS,
                     is_called);
    check_mathematics_find(here);
    for (uint32_t i = 0; i < CHECK_MATHEMATICS; i++) {
        calls_any |= is_called[i];
        // Compare all functions, not only the called ones, because some call others.
        differs |= here[i] != variant->tape->mathematics[i];
    }
    return !calls_any ? "neither the plug-in nor a library that it needs calls mathematics of the "
                        "C library (sin, exp, pow and kin)"
           : !differs ? "the C library has one form of its mathematics on this processor"
                      : NULL;
#endif
}

const check_variant vary_cpu = {
    .name = "cpu",
    .about = "sin, exp, pow and the like as the C library computes them on an older processor",
    .unit = "tick",
    .perturbed = "with mathematics of a lesser processor",
    .cause = "float",
    .process = CHECK_LESSER,
    .advice = "look for calls of sin, exp, pow and the like: their last bit is the C "
              "library's choice by processor. Use Backstitch's (math.h: bks_sin, bks_sinf, "
              "bks_expf, bks_powf and kin), or tables",
    .why_not = why_not_cpu,
    .step = variant_step_counted,
};

const check_variant vary_build = {
    .name = "build",
    .takes = CHECK_TAKES_GAME,
    .about = "build=OTHER.so: another build of the same game: fused multiply-add, overflow, "
             "code of one build alone, another layout of the state",
    .unit = "tick",
    .perturbed = "stepped by the other build",
    .cause = "build",
    .explained_by = {"address", "fill"},
    .advice = "look for arithmetic that flags decide (-ffp-contract, -ffast-math, signed "
              "overflow), for code and members behind NDEBUG or other macros",
    .before_load = prepare_build,
    .after_load = begin_build,
    .why_not = why_not_build,
    .step = variant_step_counted,
};
