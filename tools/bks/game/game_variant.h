// SPDX-License-Identifier: MIT

/// @file game_variant.h
/// Variants of a game that guess inputs themselves, keep their state outside the library's region
/// or have commands. With them `bks lab` and `bks sweep` can try these features with any game. A
/// process has at most one variant.

#ifndef BKS_TOOL_GAME_VARIANT_H
#define BKS_TOOL_GAME_VARIANT_H

#include "backstitch/game.h"

/// Bits that select the parts of a variant.
enum {
    GAME_GUESSES = 1 << 0, ///< the variant gets a `predict` whose guesses are often wrong
    /// The variant gets `create`, `save`, `load`, `hash` and `destroy`, so its state lies outside
    /// the region.
    GAME_CREATES = 1 << 1,
    /// The variant has commands of up to GAME_ORDER_BYTES bytes, unless the game has some.
    GAME_ORDERS = 1 << 2,
};

#define GAME_ORDER_BYTES 8192u

/// Read a list with any of the words "predict,create,commands". Errors go to stderr.
/// @param option    name of the option, for errors
/// @param text      words as typed, NULL: none
/// @param out_bits  receives GAME_GUESSES, GAME_CREATES, GAME_ORDERS
/// @return TOOL_OK or TOOL_MISUSE
int game_variant_read(const char *option, const char *text, uint32_t *out_bits);

/// Return the parts of a variant as a list for game_variant_read(), "" for none.
const char *game_variant_text(uint32_t bits);

/// Make the variant of a game.
/// @param game     game that the variant wraps; must outlive the variant
/// @param options  options of the match
/// @param bits     GAME_GUESSES, GAME_CREATES, GAME_ORDERS
/// @param out      receives the variant
/// @return TOOL_OK; TOOL_MISUSE when the game cannot be varied, with an error on stderr
int game_variant_make(const bks_game *game, const bks_option_values *options, uint32_t bits,
                      bks_game *out);

#endif
