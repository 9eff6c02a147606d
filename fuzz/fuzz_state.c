// SPDX-License-Identifier: MIT

// Any state that comes from outside: a real one of duel, of pad or of a game with nested pools,
// changed as the bytes say, is taken or refused; then it is drawn, stepped, hashed and exported.
// Or it is taken as it is, and its bits flip while it is in use.
//
// The bytes: which state (1 byte), then changes of 8 bytes: what is done (1), where (3), with what
// (4). See tests/games/hostile_state.h.

#include "hostile_state.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static bool is_open;
    if (!is_open) {
        hostile_state_open();
        is_open = true;
    }
    (void)hostile_state_try(bytes, count < 512 ? count : 512);
    return 0;
}
