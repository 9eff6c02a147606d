// SPDX-License-Identifier: MIT

#include "diagnose/variants/variants.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/tool.h"
#include "diagnose/processes/check_imports.h"
#include "diagnose/processes/variant_process.h"
#include "game/layout_text.h"
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

static uint64_t member_bytes(const bks_state_map *map, const bks_map_member *member)
{
    uint64_t bytes = map->types[member->type].bytes;
    for (size_t i = 0; i < sizeof(member->count) / sizeof(member->count[0]); i++) {
        bytes *= member->count[i] > 0 ? member->count[i] : 1;
    }
    return bytes;
}

static void say_member(const bks_state_map *map, const bks_map_type *type,
                       const bks_map_member *member, const char *name, char *out, size_t capacity)
{
    if (member == NULL) {
        (void)snprintf(out, capacity, "%.60s has no %.60s", type->name, name);
    } else {
        (void)snprintf(out, capacity, "%.60s.%.60s has %" PRIu64 " bytes at offset %" PRIu64,
                       type->name, name, member_bytes(map, member), member->offset_bytes);
    }
}

// Compare the members of type `a` with the members of the same names of type `b`.
static bool members_differ(const comparison *c, const bks_map_type *a, const bks_map_type *b)
{
    for (uint32_t i = 0; i < a->member_count; i++) {
        const bks_map_member *member = &a->members[i];
        const bks_map_member *other = find_member(b, member->name);
        if (member->name[0] != '\0' &&
            (other == NULL || other->offset_bytes != member->offset_bytes ||
             member_bytes(c->a, member) != member_bytes(c->b, other))) {
            say_member(c->a, a, member, member->name, c->out_a, c->capacity);
            say_member(c->b, b, other, member->name, c->out_b, c->capacity);
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
    const comparison back = {c->b, c->a, c->out_b, c->out_a, c->capacity};
    if (members_differ(c, type, other) || members_differ(&back, other, type)) {
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

// Find out why two builds cannot be stepped with the same inputs.
// @param out  receives what differs in each
// @return true if anything does
static bool games_differ(const bks_game *a, const bks_game *b, char out[2][LAYOUT_TEXT_BYTES])
{
    static const char form[] = "%" PRIu32 " to %" PRIu32 " players, %" PRIu32 " ticks a second";
    if (layout_text_inputs(a->fields, a->field_count, b->fields, b->field_count, out)) {
        return true;
    }
    (void)snprintf(out[0], LAYOUT_TEXT_BYTES, form, a->players_min, a->players_max,
                   a->tick_rate_hz);
    (void)snprintf(out[1], LAYOUT_TEXT_BYTES, form, b->players_min, b->players_max,
                   b->tick_rate_hz);
    return strcmp(out[0], out[1]) != 0;
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
    char out[2][LAYOUT_TEXT_BYTES];
    if (games_differ(plain.game, stepper->game.game, out)) {
        variant_find(variant, 0, CHECK_MARK_START, out[0], out[1]);
        TEXT_SET(result->found.note, "the builds cannot be stepped with the same inputs");
    } else if (plain.game->hash == NULL &&
               build_layout_differs(&plain, &stepper->game, out[0], out[1], sizeof(out[0]))) {
        variant_find(variant, 0, CHECK_MARK_START, out[0], out[1]);
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
    .advice = "look for what differs between the two builds: versions of the rules, of data or of "
              "a library that is linked in; arithmetic that flags decide (-ffp-contract, "
              "-ffast-math, signed overflow); code and members behind NDEBUG or other macros",
    .before_load = prepare_build,
    .after_load = begin_build,
    .why_not = why_not_build,
    .step = variant_step_counted,
};
