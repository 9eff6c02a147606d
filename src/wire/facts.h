// SPDX-License-Identifier: MIT

/// @file facts.h
/// What two peers must agree on before anything else. docs/spec/wire.md gives the bytes.

#ifndef BKSI_FACTS_H
#define BKSI_FACTS_H

#include "base/bytes.h"
#include "det/selftest.h"

/// A game's name with its zero.
#define BKSI_GAME_NAME_BYTES 32u

typedef struct bksi_facts {
    uint32_t protocol;               ///< BKSI_PROTOCOL_VERSION; of another one no more is known
    char game[BKSI_GAME_NAME_BYTES]; ///< at least 1 byte, printable ASCII
    uint32_t game_version;           ///< bks_game.version
    uint64_t layout;                 ///< bksi_layout_hash()
    uint64_t setup_form;             ///< bks_session_config.setup_form
    uint32_t tick_rate_hz;           ///< 1..1000
    bksi_arithmetic arithmetic;      ///< the self-test's
    uint32_t game_arithmetic;        ///< bits of bks_arithmetic, as the game was compiled
} bksi_facts;

/// Which of them differs, in the order in which they are compared.
typedef enum bksi_fact {
    BKSI_FACT_NONE = 0,
    BKSI_FACT_PROTOCOL = 1,
    BKSI_FACT_GAME = 2,
    BKSI_FACT_VERSION = 3,
    BKSI_FACT_LAYOUT = 4,
    BKSI_FACT_SETUP = 5,
    BKSI_FACT_TICK_RATE = 6,
    BKSI_FACT_ARITHMETIC = 7,
} bksi_fact;

/// All but the protocol version, which stands before.
void bksi_facts_write(bksi_byte_writer *writer, const bksi_facts *facts);

/// The reader fails where they are none.
void bksi_facts_read(bksi_byte_reader *reader, bksi_facts *facts);

/// The first fact that differs.
bksi_fact bksi_facts_compare(const bksi_facts *ours, const bksi_facts *theirs);

/// What differs, for people, such as "another game: theirs is `duel`, ours `pad`".
/// @param text  receives at most `capacity` bytes with the zero; 104 are always enough
void bksi_facts_tell(bksi_fact fact, const bksi_facts *ours, const bksi_facts *theirs, char *text,
                     size_t capacity);

#endif
