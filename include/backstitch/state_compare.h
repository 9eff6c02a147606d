// SPDX-License-Identifier: MIT

/// @file state_compare.h
/// What differs between two states, by name: one difference for each value, not for each byte, and
/// values of the game apart from padding, free space and bookkeeping.
///
///     const bks_state_names names = {.map = map};
///     bks_map_place places[16];
///     bks_state_comparison found;
///     if (bks_state_compare(&names, &ours, &theirs, places, 16, &found) == BKS_OK &&
///         found.count > 0) {
///         puts(places[0].name); // "shots[3].x"
///     }
///
/// Thread rule: a map is constant, and the call keeps nothing; any thread may make it.

#ifndef BACKSTITCH_STATE_COMPARE_H
#define BACKSTITCH_STATE_COMPARE_H

#include "backstitch/state_map.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What the bytes of a game's states are called: by its map, else by its ranges, else by pool and
/// page.
typedef struct bks_state_names {
    const bks_state_map *map;      ///< a sound one; NULL: there is none
    const bks_state_range *ranges; ///< looked at without a map; may be NULL
    uint32_t range_count;          ///< length of it, 0..BKS_STATE_RANGES_MAX
} bks_state_names;

/// One of two states that are compared. Its bytes may come from anywhere.
typedef struct bks_compared_state {
    const void *bytes; ///< as in a region or a recording; may be NULL when count is 0
    size_t count;      ///< its bytes in use; what only the other state has is compared with zeros
    uint64_t address;  ///< where it lay in its process, so that raw pointers into it are compared
                       ///< by what they lead to; 0: not known, by their bytes
} bks_compared_state;

/// What a comparison showed.
typedef struct bks_state_comparison {
    uint64_t bytes;      ///< that differ
    uint32_t count;      ///< differences named
    uint32_t live_count; ///< of them values of the game or of no known use: these come first
    bool is_complete;    ///< they are all: with count 0 the states are the same
} bks_state_comparison;

/// Compare two states. The time taken is linear in their bytes. At most 16384 differences are
/// looked up, and of those at most 64 that are found by following references.
///
/// The names are those in `a`; those in `b` where only that says more, as for an item that `a` has
/// not. Floats are compared by their bits. References and ids lead to the same from the same place
/// when their bytes are the same.
/// @param names     what the bytes are called
/// @param a         the state to go by
/// @param b         the other
/// @param out       receives the differences: values of the game in order of offset, then padding,
///                  free space and bookkeeping in order of offset; NULL when capacity is 0
/// @param capacity  length of out
/// @param found     receives what it showed
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_state_compare(const bks_state_names *names, const bks_compared_state *a,
                                     const bks_compared_state *b, bks_map_place *out,
                                     uint32_t capacity, bks_state_comparison *found);

/// Name a byte of a state by the map, else as bks_state_find() does, with the object and the field
/// apart.
/// @param names         what the bytes are called
/// @param state         its bytes
/// @param count         its bytes in use
/// @param offset_bytes  of the byte from the state's start; may lie behind the end
/// @param bit           0..7
/// @param out           receives what it is
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_state_name(const bks_state_names *names, const void *state, size_t count,
                                  uint64_t offset_bytes, uint32_t bit, bks_map_place *out);

/// Write one element for people: a byte without a type as two hexadecimal digits.
/// @param at             its bytes, in this machine's byte order, need not be aligned
/// @param out, capacity  room for the text, at least 1 byte; 32 are always enough
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_state_type_text(bks_state_type type, const void *at, char *out,
                                       size_t capacity);

/// Write a value for people: by the map as bks_state_map_value() does, else as the type of its
/// range reads, else as up to 16 bytes.
/// @param names     what the bytes are called
/// @param state     the one that the value is read from
/// @param place     of the value, as the calls here gave it for this state or one alike
/// @param out       receives the text; "beyond its N bytes" where the state has no such bytes
/// @param capacity  of `out`, at least 1
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_state_value(const bks_state_names *names, const bks_compared_state *state,
                                   const bks_map_place *place, char *out, size_t capacity);

/// Room for a value as text, its zero included.
#define BKS_STATE_VALUE_BYTES 192

/// The first difference of two states.
typedef struct bks_state_difference {
    bks_map_place place;                   ///< its name, and what the name does not say (note)
    char values[2][BKS_STATE_VALUE_BYTES]; ///< what each holds there: as bks_state_value() reads
                                           ///< it; where that is the same, or too long to be shown
                                           ///< whole, up to 16 bytes from the first that differs
} bks_state_difference;

/// Name the first difference of two states that a game takes for different.
/// @param names  what the bytes are called
/// @param a, b   the two
/// @param out    receives it: the first value that differs; padding, free space and bookkeeping
///               only where no value does; else the first byte, as of a raw pointer that leads to
///               the same
/// @return BKS_OK; BKS_OVER: the bytes are the same, and only a hash of the game's own can differ:
///         the name is then "(unnamed).hash" and the values are empty; BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_state_difference_find(const bks_state_names *names,
                                             const bks_compared_state *a,
                                             const bks_compared_state *b,
                                             bks_state_difference *out);

/// Visit every value of a state, and every run of padding, free space and bookkeeping, in the order
/// of their bytes. The time taken is linear in them.
/// @param names    what the bytes are called
/// @param state    its bytes, which may come from anywhere
/// @param count    its bytes in use
/// @param visit    gets each place, valid during the call; false ends the walk. Not NULL
/// @param context  handed to visit, may be NULL
/// @return BKS_OK; BKS_OVER: 2048 blocks were found by following references, and what lies behind
///         them was not visited; BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_state_walk(const bks_state_names *names, const void *state, size_t count,
                                  bool (*visit)(void *context, const bks_map_place *place),
                                  void *context);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_STATE_COMPARE_H
