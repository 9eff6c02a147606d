// SPDX-License-Identifier: MIT

/// @file compat.h
/// What two peers must agree on before anything else. docs/spec/wire.md gives the bytes.

#ifndef BKSI_COMPAT_H
#define BKSI_COMPAT_H

#include "base/bytes.h"
#include "det/selftest.h"

/// A game's name with its zero.
#define BKSI_GAME_NAME_BYTES 32u

typedef struct bksi_compat {
    uint32_t protocol;               ///< BKSI_PROTOCOL_VERSION; of another one no more is known
    char game[BKSI_GAME_NAME_BYTES]; ///< at least 1 byte, printable ASCII
    uint32_t game_version;           ///< bks_game.version
    uint64_t layout;                 ///< bksi_layout_hash()
    uint64_t setup_form;             ///< bks_session_config.setup_form
    uint32_t tick_rate_hz;           ///< 1..1000
    bksi_arithmetic arithmetic;      ///< the self-test's
    uint32_t game_arithmetic;        ///< bits of bks_arithmetic, as the game was compiled
} bksi_compat;

/// Which of them differs, in the order in which they are compared.
typedef enum bksi_mismatch {
    BKSI_MISMATCH_NONE = 0,
    BKSI_MISMATCH_PROTOCOL = 1,
    BKSI_MISMATCH_GAME = 2,
    BKSI_MISMATCH_VERSION = 3,
    BKSI_MISMATCH_LAYOUT = 4,
    BKSI_MISMATCH_SETUP = 5,
    BKSI_MISMATCH_TICK_RATE = 6,
    BKSI_MISMATCH_ARITHMETIC = 7,
} bksi_mismatch;

/// All but the protocol version, which stands before.
void bksi_compat_write(bksi_byte_writer *writer, const bksi_compat *compat);

/// The reader fails where they are none.
void bksi_compat_read(bksi_byte_reader *reader, bksi_compat *compat);

/// The first mismatch.
bksi_mismatch bksi_compat_compare(const bksi_compat *ours, const bksi_compat *theirs);

/// What differs, for people, such as "another game: theirs is `duel`, ours `pad`".
/// @param text  receives at most `capacity` bytes with the zero; 104 are always enough
void bksi_compat_describe(bksi_mismatch mismatch, const bksi_compat *ours,
                          const bksi_compat *theirs, char *text, size_t capacity);

#endif
