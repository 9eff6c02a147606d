// SPDX-License-Identifier: MIT

#include "screen/window/window_sdl_hands.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "screen/window/controls.h"

enum { CONTROLS = BKS_CONTROL_START + 1 };

static const float STICK_MOVED = 0.25F; // less may be a stick that is worn

// ---- gamepads ----

static void add_pad(sdl_hands *hands, int index)
{
    SDL_GameController *pad = SDL_GameControllerOpen(index); // SDL keeps it
    if (pad != NULL) {
        const SDL_JoystickID id = SDL_JoystickInstanceID(SDL_GameControllerGetJoystick(pad));
        seat_devices_plug(&hands->seats, id);
    }
}

static void remove_pad(sdl_hands *hands, SDL_JoystickID id)
{
    seat_devices_unplug(&hands->seats, id);
    SDL_GameController *pad = SDL_GameControllerFromInstanceID(id);
    if (pad != NULL) {
        SDL_GameControllerClose(pad);
    }
}

static void add_button(key_list *pressed, uint8_t button)
{
    static const struct {
        uint8_t button;
        uint8_t key;
    } meanings[] = {
        {SDL_CONTROLLER_BUTTON_DPAD_UP, KEY_UP},     {SDL_CONTROLLER_BUTTON_DPAD_DOWN, KEY_DOWN},
        {SDL_CONTROLLER_BUTTON_DPAD_LEFT, KEY_LEFT}, {SDL_CONTROLLER_BUTTON_DPAD_RIGHT, KEY_RIGHT},
        {SDL_CONTROLLER_BUTTON_A, KEY_ENTER},        {SDL_CONTROLLER_BUTTON_START, KEY_ENTER},
        {SDL_CONTROLLER_BUTTON_B, KEY_ESCAPE},
    };
    for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++) {
        if (meanings[i].button == button) {
            keys_add(pressed, meanings[i].key);
        }
    }
}

int32_t sdl_hands_take(sdl_hands *hands, const SDL_Event *event, key_list *pressed)
{
    switch (event->type) {
    case SDL_CONTROLLERDEVICEADDED:
        add_pad(hands, event->cdevice.which);
        return 1;
    case SDL_CONTROLLERDEVICEREMOVED:
        remove_pad(hands, event->cdevice.which);
        return -1;
    case SDL_CONTROLLERBUTTONDOWN:
        add_button(pressed, event->cbutton.button);
        break;
    case SDL_MOUSEMOTION:
        hands->is_aiming = true;
        hands->mouse_x = (float)event->motion.x;
        hands->mouse_y = (float)event->motion.y;
        break;
    case SDL_WINDOWEVENT:
        hands->is_aiming &= event->window.event != SDL_WINDOWEVENT_LEAVE;
        break;
    default:
        break;
    }
    return 0;
}

static float axis(SDL_GameController *pad, SDL_GameControllerAxis which)
{
    return (float)SDL_GameControllerGetAxis(pad, which) / 32767.0F;
}

static float button(SDL_GameController *pad, SDL_GameControllerButton which)
{
    return (float)SDL_GameControllerGetButton(pad, which);
}

// The cross is the left stick, too.
static void add_pad_values(SDL_GameController *pad, float *values)
{
    values[BKS_CONTROL_LEFT_X] += axis(pad, SDL_CONTROLLER_AXIS_LEFTX) +
                                  button(pad, SDL_CONTROLLER_BUTTON_DPAD_RIGHT) -
                                  button(pad, SDL_CONTROLLER_BUTTON_DPAD_LEFT);
    values[BKS_CONTROL_LEFT_Y] += axis(pad, SDL_CONTROLLER_AXIS_LEFTY) +
                                  button(pad, SDL_CONTROLLER_BUTTON_DPAD_DOWN) -
                                  button(pad, SDL_CONTROLLER_BUTTON_DPAD_UP);
    values[BKS_CONTROL_RIGHT_X] += axis(pad, SDL_CONTROLLER_AXIS_RIGHTX);
    values[BKS_CONTROL_RIGHT_Y] += axis(pad, SDL_CONTROLLER_AXIS_RIGHTY);
    values[BKS_CONTROL_TRIGGER_LEFT] += axis(pad, SDL_CONTROLLER_AXIS_TRIGGERLEFT);
    values[BKS_CONTROL_TRIGGER_RIGHT] += axis(pad, SDL_CONTROLLER_AXIS_TRIGGERRIGHT);
    values[BKS_CONTROL_NORTH] += button(pad, SDL_CONTROLLER_BUTTON_Y);
    values[BKS_CONTROL_EAST] += button(pad, SDL_CONTROLLER_BUTTON_B);
    values[BKS_CONTROL_SOUTH] += button(pad, SDL_CONTROLLER_BUTTON_A);
    values[BKS_CONTROL_WEST] += button(pad, SDL_CONTROLLER_BUTTON_X);
    values[BKS_CONTROL_START] += button(pad, SDL_CONTROLLER_BUTTON_START);
}

// ---- the mouse ----

// A gamepad's second stick that is moved counts instead, until the mouse is moved again.
static void add_mouse(sdl_hands *hands, float *values)
{
    if (fabsf(values[BKS_CONTROL_RIGHT_X]) > STICK_MOVED ||
        fabsf(values[BKS_CONTROL_RIGHT_Y]) > STICK_MOVED) {
        hands->is_aiming = false;
    }
    if (!hands->can_aim || !hands->is_aiming) {
        return;
    }
    int width = 0;
    int height = 0;
    SDL_GetWindowSize(hands->window, &width, &height);
    controls_aim(hands->mouse_x, hands->mouse_y, (float)width, (float)height, values);
    const Uint32 buttons = SDL_GetMouseState(NULL, NULL);
    values[BKS_CONTROL_TRIGGER_RIGHT] += (buttons & SDL_BUTTON_LMASK) != 0 ? 1.0F : 0.0F;
    values[BKS_CONTROL_TRIGGER_LEFT] += (buttons & SDL_BUTTON_RMASK) != 0 ? 1.0F : 0.0F;
}

// ---- all of them ----

void sdl_hands_controls(sdl_hands *hands, uint32_t seat, uint32_t seats, float *values)
{
    memset(values, 0, CONTROLS * sizeof(*values));
    seat_devices_share(&hands->seats, seats);
    const key_hand hand = seat_devices_hand(&hands->seats, seat);
    const int32_t id = seat_devices_pad(&hands->seats, seat);
    SDL_GameController *pad = id != SEAT_NO_PAD ? SDL_GameControllerFromInstanceID(id) : NULL;
    if (hand != KEY_HANDS) {
        key_map_add(&hands->keys, hand, SDL_GetKeyboardState(NULL), values);
    }
    if (pad != NULL) {
        add_pad_values(pad, values);
    }
    if (hand == KEY_HAND_ALONE || hand == KEY_HAND_FIRST) {
        add_mouse(hands, values);
    }
    for (int i = 0; i < CONTROLS; i++) {
        values[i] = values[i] < -1.0F ? -1.0F : values[i] > 1.0F ? 1.0F : values[i];
    }
}

static bool is_ascii(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text < ' ' || *text > '~') {
            return false;
        }
    }
    return true;
}

const char *sdl_hands_label(sdl_hands *hands, key_place key)
{
    const char *usual = key_place_name(key);
    const char *printed = SDL_GetKeyName(SDL_GetKeyFromScancode((SDL_Scancode)key));
    const char *label = usual == NULL                             ? "none"
                        : printed[0] != '\0' && is_ascii(printed) ? printed
                                                                  : usual;
    snprintf(hands->label, sizeof(hands->label), "%s", label);
    return hands->label;
}
