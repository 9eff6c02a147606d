// SPDX-License-Identifier: MIT

/// @file game_variant.h
/// Variants of a game, which guess inputs by themselves or keep their state outside the library's
/// region, so that `bks lab` and `bks sweep` can try both with any game. One at a time in a
/// process.

#ifndef BKS_TOOL_GAME_VARIANT_H
#define BKS_TOOL_GAME_VARIANT_H

#include "backstitch/game.h"

/// Parts of a variant, bits.
enum {
    GAME_GUESSES = 1 << 0, ///< `predict`: guesses of its own, many of them wrong
    GAME_CREATES = 1 << 1, ///< `create`, `save`, `load`, `hash`: its state in its own memory
};

/// Read "predict,create", any of them. Errors go to stderr, for an option called `option`.
/// @param text  NULL: none
/// @return TOOL_OK or TOOL_MISUSE
int game_variant_read(const char *option, const char *text, uint32_t *out_bits);

/// Write the same words, "" for none.
const char *game_variant_text(uint32_t bits);

/// Make the variant of a game.
/// @param game     must outlive it
/// @param options  of the match
/// @param bits     GAME_GUESSES, GAME_CREATES
/// @param out      receives it
/// @return TOOL_OK; TOOL_MISUSE when the game cannot be played so, with an error on stderr
int game_variant_make(const bks_game *game, const bks_option_values *options, uint32_t bits,
                      bks_game *out);

#endif
