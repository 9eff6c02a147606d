// SPDX-License-Identifier: MIT

/// @file sdl_mouse_robot.c
/// Linked into examples/orders.c, in place of its presenting: clicks on a squad, and right-clicks,
/// first among the other player's units. After ROBOT_PICTURES pictures the window is closed.
/// ROBOT_SIDE is set for the player on the right.

#include <SDL.h>
#include <stdbool.h>
#include <stdlib.h>

static void click(Uint8 button, int x, int y)
{
    (void)SDL_PushEvent(
        &(SDL_Event){.button = {.type = SDL_MOUSEBUTTONDOWN, .button = button, .x = x, .y = y}});
}

// Called instead of SDL's, as the program's own comes first.
void SDL_RenderPresent(SDL_Renderer *renderer)
{
    static int pictures;
    const char *last = getenv("ROBOT_PICTURES");
    (void)renderer;
    if (pictures % 40 == 0) {
        const bool is_right = getenv("ROBOT_SIDE") != NULL;
        const int turn = pictures / 40;
        click(SDL_BUTTON_LEFT, is_right ? 720 : 120, 220 + turn % 3 * 24);
        click(SDL_BUTTON_RIGHT, is_right ? 180 : 780, turn == 0 ? 244 : 340 + turn % 3 * 60);
    }
    if (++pictures == (last != NULL ? atoi(last) : 0)) {
        (void)SDL_PushEvent(&(SDL_Event){.type = SDL_QUIT});
    }
    SDL_Delay(5);
}
