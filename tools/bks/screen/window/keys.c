// SPDX-License-Identifier: MIT

#include "screen/window/keys.h"

void keys_add(key_list *out, uint8_t code)
{
    if (out->count < KEYS_MAX) {
        out->codes[out->count++] = code;
    }
}

// Return the key of a code "ESC [ PARAMETER FINAL" or "ESC O FINAL", 0 for a code that is not used.
static uint8_t named(char final, int parameter)
{
    switch (final) {
    case 'A':
        return KEY_UP;
    case 'B':
        return KEY_DOWN;
    case 'C':
        return KEY_RIGHT;
    case 'D':
        return KEY_LEFT;
    case 'H':
        return KEY_HOME;
    case 'F':
        return KEY_END;
    case '~':
        if (parameter == 1 || parameter == 7) {
            return KEY_HOME;
        }
        return parameter == 4 || parameter == 8 ? KEY_END : 0;
    default:
        return 0;
    }
}

// Read the code after an escape character.
// @return bytes of the code
static size_t read_code(key_list *out, const char *bytes, size_t count)
{
    if (bytes[0] != '[' && bytes[0] != 'O') {
        return 1; // one byte: a key pressed with Alt, which sends an escape before it
    }
    int parameter = 0;
    for (size_t i = 1; i < count; i++) {
        if (bytes[i] >= '0' && bytes[i] <= '9') {
            parameter = parameter < 1000 ? parameter * 10 + (bytes[i] - '0') : parameter;
        } else if (bytes[i] >= 0x40) {
            const uint8_t key = named(bytes[i], parameter);
            if (key != 0) {
                keys_add(out, key);
            }
            return i + 1;
        }
    }
    return count;
}

void keys_read(key_list *out, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint8_t code = (uint8_t)bytes[i];
        if (code == KEY_ESCAPE && i + 1 < count) {
            i += read_code(out, bytes + i + 1, count - i - 1);
        } else if (code < KEY_LEFT) {
            keys_add(out, code >= 'A' && code <= 'Z' ? (uint8_t)(code + 'a' - 'A') : code);
        }
    }
}
