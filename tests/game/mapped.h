// SPDX-License-Identifier: MIT

/// @file mapped.h
/// A state with everything that a map describes, and the map of it, written by hand.

#ifndef TEST_MAPPED_H
#define TEST_MAPPED_H

#include "backstitch/toolkit/state_map.h"

typedef enum mood {
    MOOD_CALM = 0,
    MOOD_WILD = -3,
} mood;

typedef struct ship {
    double x;
    uint8_t kind; ///< a mood
    int16_t grid[2][3];
    bks_ref trail;
} ship;

typedef struct node {
    int32_t value;
    bks_ref next;
} node;

typedef struct shape {
    uint8_t kind;
    union {
        float radius;
        struct {
            uint16_t width, height;
        } box;
    } of;
} shape;

typedef struct mapped_root {
    uint32_t tick;
    uint8_t score[2];
    unsigned low : 3, high : 6;
    ship flag;
    shape shapes[2];
    bks_ref ships, list, field;
    bks_id captain;
    bool is_on;
    char letter;
    uint8_t mode; ///< a mood
} mapped_root;

enum {
    T_ROOT,
    T_FIELD_REF, ///< before the struct with it, as it may
    T_SHIP,
    T_SHAPE,
    T_OF,
    T_BOX,
    T_NODE,
    T_U8,
    T_U16,
    T_U32,
    T_I16,
    T_I32,
    T_F32,
    T_F64,
    T_BOOL,
    T_CHAR,
    T_MOOD,
    T_POOL_REF,
    T_NODE_REF,
    T_ID,
    T_COUNT,
};

#define MEMBER(root, member, of, ...)                                                     \
    {                                                                                     \
        .name = #member, .type = (of), .offset_bytes = offsetof(root, member), .count = { \
            __VA_ARGS__                                                                   \
        }                                                                                 \
    }

static const bks_map_member root_members[] = {
    MEMBER(mapped_root, tick, T_U32, 0),
    MEMBER(mapped_root, score, T_U8, 2),
    {.name = "low", .type = T_U32, .offset_bytes = 4, .bits = 3, .bit_offset = 16},
    {.name = "high", .type = T_U32, .offset_bytes = 4, .bits = 6, .bit_offset = 19},
    MEMBER(mapped_root, flag, T_SHIP, 0),
    MEMBER(mapped_root, shapes, T_SHAPE, 2),
    MEMBER(mapped_root, ships, T_POOL_REF, 0),
    MEMBER(mapped_root, list, T_NODE_REF, 0),
    MEMBER(mapped_root, field, T_FIELD_REF, 0),
    MEMBER(mapped_root, captain, T_ID, 0),
    MEMBER(mapped_root, is_on, T_BOOL, 0),
    MEMBER(mapped_root, letter, T_CHAR, 0),
    MEMBER(mapped_root, mode, T_MOOD, 0),
};

static const bks_map_member ship_members[] = {
    MEMBER(ship, x, T_F64, 0),
    MEMBER(ship, kind, T_MOOD, 0),
    MEMBER(ship, grid, T_I16, 2, 3),
    MEMBER(ship, trail, T_FIELD_REF, 0),
};

static const bks_map_member shape_members[] = {
    MEMBER(shape, kind, T_U8, 0),
    MEMBER(shape, of, T_OF, 0),
};

static const bks_map_member of_members[] = {
    {.name = "radius", .type = T_F32},
    {.name = "box", .type = T_BOX},
};

static const bks_map_member box_members[] = {
    {.name = "width", .type = T_U16},
    {.name = "height", .type = T_U16, .offset_bytes = 2},
};

static const bks_map_member node_members[] = {
    MEMBER(node, value, T_I32, 0),
    MEMBER(node, next, T_NODE_REF, 0),
};

static const bks_map_enumerator moods[] = {{"MOOD_CALM", MOOD_CALM}, {"MOOD_WILD", MOOD_WILD}};

#define MEMBERS(array) .members = (array), .member_count = sizeof(array) / sizeof((array)[0])

static const bks_map_type mapped_types[T_COUNT] = {
    [T_ROOT] = {"mapped_root", BKS_MAP_STRUCT, sizeof(mapped_root), MEMBERS(root_members)},
    [T_SHIP] = {"ship", BKS_MAP_STRUCT, sizeof(ship), MEMBERS(ship_members)},
    [T_SHAPE] = {"shape", BKS_MAP_STRUCT, sizeof(shape), MEMBERS(shape_members)},
    [T_OF] = {"", BKS_MAP_UNION, 4, MEMBERS(of_members)},
    [T_BOX] = {"", BKS_MAP_STRUCT, 4, MEMBERS(box_members)},
    [T_NODE] = {"node", BKS_MAP_STRUCT, sizeof(node), MEMBERS(node_members)},
    [T_U8] = {"uint8_t", BKS_MAP_UINT, 1},
    [T_U16] = {"uint16_t", BKS_MAP_UINT, 2},
    [T_U32] = {"uint32_t", BKS_MAP_UINT, 4},
    [T_I16] = {"int16_t", BKS_MAP_INT, 2},
    [T_I32] = {"int32_t", BKS_MAP_INT, 4},
    [T_F32] = {"float", BKS_MAP_FLOAT, 4},
    [T_F64] = {"double", BKS_MAP_FLOAT, 8},
    [T_BOOL] = {"bool", BKS_MAP_BOOL, 1},
    [T_CHAR] = {"char", BKS_MAP_CHAR, 1},
    [T_MOOD] = {"mood", BKS_MAP_ENUM, 1, .enumerators = moods, .enumerator_count = 2},
    [T_POOL_REF] = {"bks_ref", BKS_MAP_REF, 8},
    [T_FIELD_REF] = {"bks_ref", BKS_MAP_REF, 8, .target = T_U16, .target_count = 5},
    [T_NODE_REF] = {"bks_ref", BKS_MAP_REF, 8, .target = T_NODE, .target_count = 1},
    [T_ID] = {"bks_id", BKS_MAP_ID, 4, .pool = "ships"},
};

static const bks_map_pool mapped_pools[] = {{"ships", T_SHIP}};

static const bks_map_case mapped_cases[] = {
    {.type = T_SHAPE, .by = 0, .value = 1, .member = 1, .selected = 0},
    {.type = T_SHAPE, .by = 0, .value = 2, .member = 1, .selected = 1},
};

static const bks_state_map mapped_map = {.types = mapped_types,
                                         .type_count = T_COUNT,
                                         .has_arena = true,
                                         .pools = mapped_pools,
                                         .pool_count = 1,
                                         .cases = mapped_cases,
                                         .case_count = 2};

#endif
