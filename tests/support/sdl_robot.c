// SPDX-License-Identifier: MIT

/// @file sdl_robot.c
/// Linked into a program with SDL2, in place of its keyboard: keys that a random number presses,
/// and after ROBOT_PICTURES pictures the window is closed. ROBOT_SEED chooses the keys.

#include <SDL.h>
#include <stdlib.h>

static int number_of(const char *name, int otherwise)
{
    const char *text = getenv(name);
    return text != NULL ? atoi(text) : otherwise;
}

static void close_window_when_due(void)
{
    static int pictures;
    if (++pictures == number_of("ROBOT_PICTURES", 0)) {
        (void)SDL_PushEvent(&(SDL_Event){.type = SDL_QUIT});
    }
}

// Called instead of SDL's, as the program's own comes first.
const Uint8 *SDL_GetKeyboardState(int *count)
{
    static const SDL_Scancode codes[] = {SDL_SCANCODE_A,  SDL_SCANCODE_D,    SDL_SCANCODE_W,
                                         SDL_SCANCODE_S,  SDL_SCANCODE_LEFT, SDL_SCANCODE_RIGHT,
                                         SDL_SCANCODE_UP, SDL_SCANCODE_DOWN};
    static Uint8 keys[SDL_NUM_SCANCODES];
    static unsigned random;
    static int calls;
    if (random == 0) {
        random = (unsigned)number_of("ROBOT_SEED", 1);
    }
    if (calls++ % 10 == 0) {
        random = random * 1664525u + 1013904223u;
        for (unsigned i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
            keys[codes[i]] = (Uint8)(random >> (16 + i) & 1);
        }
    }
    close_window_when_due();
    if (count != NULL) {
        *count = SDL_NUM_SCANCODES;
    }
    return keys;
}
