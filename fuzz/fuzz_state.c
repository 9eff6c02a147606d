// SPDX-License-Identifier: MIT

// Changes a real state of duel, of pad or of a game with nested pools, and imports it as a state
// from outside. An accepted state is drawn, stepped, hashed and exported. In some inputs the state
// is imported unchanged, and its bits flip while it is in use.
//
// The input: number of the state (1 byte), then changes of 8 bytes each: kind (1), place (3), value
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
