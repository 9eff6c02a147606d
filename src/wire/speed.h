// SPDX-License-Identifier: MIT

/// @file speed.h
/// Pause and speed of the match: the decision of the host, which INPUT, ANSWER and COMMIT carry,
/// and the wish of a guest, which its INPUT to the host carries. See docs/spec/wire.md.

#ifndef BKSI_SPEED_H
#define BKSI_SPEED_H

#include "backstitch/base.h"

/// Bit of the tick at which the match is to end, in a message: a decision or a wish follows. The
/// tick may then be 0.
#define BKSI_STOP_MORE 0x80000000u

/// Bytes of a decision and of a wish in a message.
#define BKSI_SPEED_DECISION_BYTES 11u
#define BKSI_SPEED_WISH_BYTES     3u

/// Answer of the host to a wish.
typedef enum bksi_speed_answer {
    BKSI_SPEED_GRANTED = 0,
    BKSI_SPEED_TOO_MANY = 1,  ///< the guest has no pauses left
    BKSI_SPEED_TOO_LONG = 2,  ///< the pauses of the guest took all the time that it may take
    BKSI_SPEED_TOO_SOON = 3,  ///< the newest wish of the guest is too young
    BKSI_SPEED_NOT_OWN = 4,   ///< another member asked for the pause that the guest wants to end
    BKSI_SPEED_FORBIDDEN = 5, ///< the host decides alone
    BKSI_SPEED_TOO_LATE = 6,  ///< the match ends before the decision could take effect
} bksi_speed_answer;

/// Decision of the host. It replaces all earlier decisions.
typedef struct bksi_speed_decision {
    uint16_t number;  ///< number of the decision, 1..65535, then 1 again; 0: there is none
    bks_tick tick;    ///< tick from which on the decision is in force
    bool is_paused;   ///< the tick is not due until the next decision
    uint32_t percent; ///< speed, BKS_SPEED_MIN..BKS_SPEED_MAX
    uint32_t by;      ///< peer that wanted the pause, or its end
    uint32_t excused; ///< bits: peers that may be silent during the pause
    uint32_t asker;   ///< peer whose wish led to this decision
    uint8_t wish;     ///< number of that wish; 0: it is the host's own
    bksi_speed_answer answer;
} bksi_speed_decision;

typedef enum bksi_speed_wish_kind {
    BKSI_WISH_SPEED = 0, ///< another speed alone
    BKSI_WISH_PAUSE = 1,
    BKSI_WISH_RESUME = 2,
} bksi_speed_wish_kind;

/// Wish of a guest. It may be one for a pause or its end, and one for a speed at the same time.
typedef struct bksi_speed_wish {
    uint8_t number; ///< number of the wish, 1..255, then 1 again; 0: there is none
    bksi_speed_wish_kind kind;
    uint32_t percent; ///< wanted speed, BKS_SPEED_MIN..BKS_SPEED_MAX; 0: no other
} bksi_speed_wish;

void bksi_speed_decision_write(const bksi_speed_decision *decision, uint8_t *bytes);
/// @return false when the bytes are no decision
bool bksi_speed_decision_read(const uint8_t *bytes, bksi_speed_decision *decision);
void bksi_speed_wish_write(const bksi_speed_wish *wish, uint8_t *bytes);
/// @return false when the bytes are no wish
bool bksi_speed_wish_read(const uint8_t *bytes, bksi_speed_wish *wish);
/// Say for people why a wish is in vain.
const char *bksi_speed_answer_reason(bksi_speed_answer answer);

#endif
