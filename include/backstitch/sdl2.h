// SPDX-License-Identifier: MIT

/// @file sdl2.h Helpers for a program with SDL2: gamepads and keys, the sound card, and text, one
/// line of code for each. All functions are inline and call public functions only: copy from here
/// what your program does differently. The library itself does not use SDL; include this header in
/// a program that has SDL.h.
///
///     SDL_Renderer *renderer = bks_sdl2_open("tag", 960, 540);
///     while (bks_sdl2_poll()) {
///         float raw[3] = {0, 0, bks_sdl2_button(0)};
///         bks_sdl2_stick(0, raw);
///         bks_input_quantise(fields, 3, raw, input);
///         …
///         SDL_RenderPresent(renderer);
///     }
///
/// Thread rule: call these on the thread of the window.

#ifndef BACKSTITCH_SDL2_H
#define BACKSTITCH_SDL2_H

#include <SDL.h>

#include "backstitch/present.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Begin SDL's video and gamepads, and open a window that may be resized. Presenting waits for the
/// screen if the system can do that. Coordinates always go up to `width` and `height`, whatever
/// size the window has.
/// @return the renderer of the window, valid until bks_sdl2_close(), also for
///         SDL_RenderGetWindow(); NULL when there is no window (logged by SDL_Log())
static inline SDL_Renderer *bks_sdl2_open(const char *title, int width, int height)
{
    SDL_Window *window = NULL;
    SDL_Renderer *renderer = NULL;
    if (SDL_Init(SDL_INIT_VIDEO | SDL_INIT_GAMECONTROLLER) != 0 ||
        SDL_CreateWindowAndRenderer(width, height, SDL_WINDOW_RESIZABLE, &window, &renderer) != 0) {
        SDL_Log("no window: %s", SDL_GetError());
        return NULL;
    }
    SDL_SetWindowTitle(window, title);
    (void)SDL_RenderSetVSync(renderer, 1);
    (void)SDL_RenderSetLogicalSize(renderer, width, height);
    return renderer;
}

/// Close the window, and end SDL with its sound: afterwards the program may free the sounds it
/// played.
/// @param renderer  from bks_sdl2_open(), NULL is allowed
static inline void bks_sdl2_close(SDL_Renderer *renderer)
{
    if (renderer != NULL) {
        SDL_DestroyRenderer(renderer);
    }
    SDL_Quit();
}

/// Handle one event: open a gamepad that was plugged in, or close one that was pulled out.
/// @param event  from SDL_PollEvent(), not NULL
/// @return false when the program is to end: the window was closed, or SIGINT came
static inline bool bks_sdl2_event(const SDL_Event *event)
{
    if (event->type == SDL_CONTROLLERDEVICEADDED) {
        (void)SDL_GameControllerOpen(event->cdevice.which);
    } else if (event->type == SDL_CONTROLLERDEVICEREMOVED) {
        SDL_GameControllerClose(SDL_GameControllerFromInstanceID(event->cdevice.which));
    }
    return event->type != SDL_QUIT;
}

/// Handle all waiting events, once for each picture, for a program that does not handle events
/// itself.
/// @return false when the program is to end, as bks_sdl2_event()
static inline bool bks_sdl2_poll(void)
{
    bool is_open = true;
    SDL_Event event;
    while (SDL_PollEvent(&event) != 0) {
        is_open = bks_sdl2_event(&event) && is_open;
    }
    return is_open;
}

/// Get the keys of a player, in the order left, right, up, down, button.
static inline const SDL_Scancode *bks_sdl2_keys(int player)
{
    static const SDL_Scancode keys[2][5] = {
        {SDL_SCANCODE_A, SDL_SCANCODE_D, SDL_SCANCODE_W, SDL_SCANCODE_S, SDL_SCANCODE_SPACE},
        {SDL_SCANCODE_LEFT, SDL_SCANCODE_RIGHT, SDL_SCANCODE_UP, SDL_SCANCODE_DOWN,
         SDL_SCANCODE_RETURN}};
    return player >= 0 && player < 2 ? keys[player] : NULL;
}

/// Read a player's stick: the left one of a gamepad, and W A S D (player 0) or the arrows (1).
/// @param player  0 or above; the gamepad is the one with this SDL player index
/// @param raw     receives x and y for bks_input_quantise(), each -1..1 from one device; y is
///                positive downwards. If both devices are held, their sum
static inline void bks_sdl2_stick(int player, float raw[2])
{
    SDL_GameController *pad = SDL_GameControllerFromPlayerIndex(player);
    const SDL_Scancode *key = bks_sdl2_keys(player);
    const Uint8 *down = SDL_GetKeyboardState(NULL);
    for (int i = 0; i < 2; i++) {
        const SDL_GameControllerAxis axis =
            i == 0 ? SDL_CONTROLLER_AXIS_LEFTX : SDL_CONTROLLER_AXIS_LEFTY;
        raw[i] = pad != NULL ? (float)SDL_GameControllerGetAxis(pad, axis) / 32767.0f : 0.0f;
        raw[i] += key != NULL ? (float)(down[key[2 * i + 1]] - down[key[2 * i]]) : 0.0f;
    }
}

/// Return true if a player holds the button: the lower face button of a gamepad (A), Space (player
/// 0) or Enter (1).
static inline bool bks_sdl2_button(int player)
{
    SDL_GameController *pad = SDL_GameControllerFromPlayerIndex(player);
    const SDL_Scancode *key = bks_sdl2_keys(player);
    return (pad != NULL && SDL_GameControllerGetButton(pad, SDL_CONTROLLER_BUTTON_A) != 0) ||
           (key != NULL && SDL_GetKeyboardState(NULL)[key[4]] != 0);
}

/// Fill SDL's buffer from a mixer. This is the callback that bks_sdl2_sound() passes to SDL.
static inline void SDLCALL bks_sdl2_pull(void *mixer, Uint8 *out, int bytes)
{
    bks_mixer_mix((bks_mixer *)mixer, (float *)(void *)out,
                  (uint32_t)bytes / (2u * (uint32_t)sizeof(float)));
}

/// Let the sound card play a mixer, until SDL_CloseAudioDevice().
/// @param mixer  must outlive the device
/// @return the device; 0 without a sound card: SDL_GetError() says why, and the game plays without
///         sound. ALSA then writes its own lines to stderr, which SDL cannot prevent
static inline SDL_AudioDeviceID bks_sdl2_sound(bks_mixer *mixer)
{
    SDL_AudioSpec wanted;
    SDL_AudioSpec got;
    SDL_zero(wanted);
    wanted.freq = (int)BKS_SOUND_RATE_HZ;
    wanted.format = AUDIO_F32SYS;
    wanted.channels = 2;
    wanted.samples = 512; // 512 frames at 48 kHz are 11 ms
    wanted.callback = bks_sdl2_pull;
    wanted.userdata = mixer;
    if (SDL_InitSubSystem(SDL_INIT_AUDIO) != 0) {
        return 0;
    }
    const SDL_AudioDeviceID device = SDL_OpenAudioDevice(NULL, 0, &wanted, &got, 0);
    if (device != 0) { // call this only on success: on device 0 it would replace SDL's error
        SDL_PauseAudioDevice(device, 0);
    }
    return device;
}

/// Fill a rectangle.
/// @param rgb  colour of the rectangle, 0xRRGGBB
static inline void bks_sdl2_fill(SDL_Renderer *renderer, float x, float y, float width,
                                 float height, uint32_t rgb)
{
    const SDL_FRect box = {x, y, width, height};
    (void)SDL_SetRenderDrawColor(renderer, (Uint8)(rgb >> 16), (Uint8)(rgb >> 8), (Uint8)rgb, 255);
    (void)SDL_RenderFillRectF(renderer, &box);
}

/// Draw a text, made by bks_text_boxes().
/// @param dot  size of a dot, such as 2: a line is ten dots high
/// @param rgb  colour of the text, 0xRRGGBB
static inline void bks_sdl2_text(SDL_Renderer *renderer, float x, float y, float dot, uint32_t rgb,
                                 const char *text)
{
    bks_text_box boxes[2048];
    const uint32_t count = bks_text_boxes(text, x, y, dot, boxes, 2048);
    for (uint32_t i = 0; i < count; i++) {
        bks_sdl2_fill(renderer, boxes[i].x, boxes[i].y, boxes[i].width, boxes[i].height, rgb);
    }
}

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_SDL2_H
