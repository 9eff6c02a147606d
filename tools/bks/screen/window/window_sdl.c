// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include <SDL.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tool.h"
#include "screen/window/canvas_soft.h"
#include "screen/window/controls.h"
#include "screen/window/keys.h"
#include "screen/window/seat_devices.h"
#include "screen/window/window.h"
#include "screen/window/window_sdl_canvas.h"

/// Input devices of SDL. Start from {0} and key_map_usual().
typedef struct sdl_hands {
    key_map keys;
    seat_devices seats;
    SDL_Window *window; ///< window that the mouse pointer is in
    bool can_aim;       ///< true: the mouse is used as a second stick
    /// True: the mouse was moved since it entered the window, and later than any gamepad's second
    /// stick.
    bool is_aiming;
    float mouse_x;  ///< horizontal position of the mouse, in the window's units
    float mouse_y;  ///< vertical position of the mouse, in the window's units
    char label[48]; ///< label of the key that was asked for last
} sdl_hands;

enum { CONTROLS = BKS_CONTROL_START + 1 };

// Least deflection that counts as moving a stick. A worn stick reports small ones though nobody
// moves it.
static const float STICK_MOVED = 0.25F;

// ---- gamepads ----

static void add_pad(sdl_hands *hands, int index)
{
    SDL_GameController *pad = SDL_GameControllerOpen(index); // SDL owns the gamepad and frees it
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

/// Handle an event of a gamepad or the mouse. Other events are ignored.
/// @param pressed  receives buttons, as the keys with the same effect in a menu
/// @return 1 if a gamepad was plugged in, -1 if one was unplugged, else 0
static int32_t sdl_hands_take(sdl_hands *hands, const SDL_Event *event, key_list *pressed)
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

// Add the values of a gamepad. Its d-pad counts as the left stick.
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

// Add the mouse as second stick, unless a gamepad's second stick was moved later than the mouse.
static void add_mouse_stick(sdl_hands *hands, float *values)
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

// ---- keyboard, gamepads and mouse together ----

/// Fill in the values of a player's devices, one for each bks_control, within -1..1.
static void sdl_hands_controls(sdl_hands *hands, uint32_t seat, uint32_t seats, float *values)
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
        add_mouse_stick(hands, values);
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

/// Return the label of a key on the keyboard in use, if it is ASCII, else its usual name.
/// @return the label, in memory that the next call overwrites; "none" for no key
static const char *sdl_hands_label(sdl_hands *hands, key_place key)
{
    const char *usual = key_place_name(key);
    const char *printed = SDL_GetKeyName(SDL_GetKeyFromScancode((SDL_Scancode)key));
    const char *label = usual == NULL                             ? "none"
                        : printed[0] != '\0' && is_ascii(printed) ? printed
                                                                  : usual;
    snprintf(hands->label, sizeof(hands->label), "%s", label);
    return hands->label;
}

enum { SIDE_MIN_PX = 160 };

struct window {
    SDL_Window *window;
    SDL_Renderer *renderer;
    sdl_canvas triangles; ///< canvas that is used if the renderer uses hardware
    /// Canvas if the renderer uses no hardware, because this drawing in software is smoother and
    /// not slower than the renderer's.
    canvas_soft picture;
    SDL_Texture *screen; ///< texture that shows `picture`
    bool is_soft;
    bool is_synced;
    bool is_closed; ///< true: the user has closed the window
    bool is_asked;  ///< true: window_poll() reports the next key without its usual effect
    sdl_hands hands;
};

static void set_hints(void)
{
    (void)SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");
    (void)SDL_SetHint(SDL_HINT_VIDEO_X11_NET_WM_BYPASS_COMPOSITOR, "0");
}

// Start SDL's video once. If no display works, SDL silently chooses a driver that shows nothing.
// Such a driver counts as no display.
static bool start_video(void)
{
    set_hints();
    if (SDL_WasInit(SDL_INIT_VIDEO) != 0) {
        return true;
    }
    SDL_SetMainReady(); // needed because this program's main() is not SDL's
    if (SDL_InitSubSystem(SDL_INIT_VIDEO) != 0) {
        return false;
    }
    const char *driver = SDL_GetCurrentVideoDriver();
    const bool is_asked_for = getenv("SDL_VIDEODRIVER") != NULL;
    if (SDL_GetNumVideoDisplays() > 0 && driver != NULL &&
        (is_asked_for || (strcmp(driver, "offscreen") != 0 && strcmp(driver, "dummy") != 0))) {
        return true;
    }
    SDL_QuitSubSystem(SDL_INIT_VIDEO);
    (void)SDL_SetError("no display answers");
    return false;
}

bool window_can_open(void)
{
    const char *const names[] = {"DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *value = getenv(names[i]);
        if (value != NULL && value[0] != '\0') {
            // SDL stays started, because an X server restarts when its last client leaves.
            return start_video();
        }
    }
    return false; // do not let SDL try to open a display, because that takes long
}

static bool make_renderer(window *w, bool is_synced)
{
    const Uint32 wait = is_synced ? SDL_RENDERER_PRESENTVSYNC : 0;
    w->renderer = SDL_CreateRenderer(w->window, -1, SDL_RENDERER_ACCELERATED | wait);
    if (w->renderer == NULL) {
        w->renderer = SDL_CreateRenderer(w->window, -1, SDL_RENDERER_SOFTWARE);
    }
    SDL_RendererInfo info = {0};
    if (w->renderer == NULL || SDL_GetRendererInfo(w->renderer, &info) != 0) {
        return false;
    }
    w->is_soft = (info.flags & SDL_RENDERER_SOFTWARE) != 0;
    w->is_synced = !w->is_soft && (info.flags & SDL_RENDERER_PRESENTVSYNC) != 0;
    w->triangles.renderer = w->renderer;
    return true;
}

// Limit a window to the screen's size, because not every window manager does.
static void fit_screen(int *width, int *height)
{
    SDL_Rect room;
    if (SDL_GetDisplayUsableBounds(0, &room) == 0 && room.w >= SIDE_MIN_PX &&
        room.h >= SIDE_MIN_PX) {
        *width = *width < room.w ? *width : room.w;
        *height = *height < room.h ? *height : room.h;
    }
}

window *window_open(const char *title, int width, int height, bool is_synced,
                    const user_settings *settings)
{
    window *w = calloc(1, sizeof(*w));
    if (w != NULL) {
        key_map_usual(&w->hands.keys);
    }
    if (w == NULL || !start_video() || SDL_InitSubSystem(SDL_INIT_GAMECONTROLLER) != 0) {
        tool_complain("window", "cannot be opened: %s", SDL_GetError());
        free(w);
        return NULL;
    }
    fit_screen(&width, &height);
    w->window = SDL_CreateWindow(title, SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, width,
                                 height, SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI);
    if (w->window == NULL || !make_renderer(w, is_synced)) {
        tool_complain("window", "cannot be opened: %s", SDL_GetError());
        window_close(w);
        return NULL;
    }
    w->hands.window = w->window;
    SDL_SetWindowMinimumSize(w->window, SIDE_MIN_PX, SIDE_MIN_PX);
    if (settings != NULL) {
        window_set_keys(w, &settings->keys);
        window_set_full_screen(w, settings->is_full_screen);
    }
    return w;
}

void window_close(window *w)
{
    if (w == NULL) {
        return;
    }
    sdl_canvas_close(&w->triangles);
    canvas_soft_close(&w->picture);
    if (w->screen != NULL) {
        SDL_DestroyTexture(w->screen);
    }
    if (w->renderer != NULL) {
        SDL_DestroyRenderer(w->renderer);
    }
    if (w->window != NULL) {
        SDL_DestroyWindow(w->window);
    }
    SDL_Quit();
    free(w);
}

static void add_key(key_list *pressed, SDL_Keycode key)
{
    static const struct {
        SDL_Keycode key;
        uint8_t code;
    } named[] = {
        {SDLK_LEFT, KEY_LEFT},     {SDLK_RIGHT, KEY_RIGHT},    {SDLK_UP, KEY_UP},
        {SDLK_DOWN, KEY_DOWN},     {SDLK_HOME, KEY_HOME},      {SDLK_END, KEY_END},
        {SDLK_RETURN, KEY_ENTER},  {SDLK_KP_ENTER, KEY_ENTER}, {SDLK_BACKSPACE, KEY_BACKSPACE},
        {SDLK_ESCAPE, KEY_ESCAPE}, {SDLK_F2, KEY_F2},          {SDLK_F3, KEY_F3},
        {SDLK_F4, KEY_F4},         {SDLK_F5, KEY_F5},          {SDLK_KP_PLUS, '+'},
        {SDLK_KP_MINUS, '-'},
    };
    for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
        if (key == named[i].key) {
            keys_add(pressed, named[i].code);
        }
    }
    if (key >= ' ' && key <= '~') {
        keys_add(pressed, (uint8_t)key);
    }
}

// Return true for the keys that paste. When one is pressed, the clipboard is read again: without a
// window manager no event reports that the window got the keyboard.
static bool is_paste(const SDL_Keysym *key)
{
    return (key->sym == SDLK_v && (key->mod & KMOD_CTRL) != 0) ||
           (key->sym == SDLK_INSERT && (key->mod & KMOD_SHIFT) != 0);
}

// Handle a key that was pressed. A key that is held is reported again and again, except the keys
// that toggle something (F1, F5, F11, M), confirm (Enter) or go back (Backspace, Escape).
static void take_key(window *w, const SDL_KeyboardEvent *event, window_wishes *wishes)
{
    const SDL_Keycode key = event->keysym.sym;
    const bool is_again = event->repeat != 0;
    if (key == SDLK_F11 && !is_again && !w->is_asked) {
        window_set_full_screen(w, !window_is_full_screen(w));
    }
    wishes->place = is_again ? wishes->place : (key_place)event->keysym.scancode;
    wishes->quit |= key == SDLK_ESCAPE && !is_again;
    wishes->is_active |= is_paste(&event->keysym);
    wishes->overlay += key == SDLK_F1 && !is_again ? 1 : 0;
    if (!is_again || (key != SDLK_m && key != SDLK_F5 && key != SDLK_RETURN &&
                      key != SDLK_KP_ENTER && key != SDLK_BACKSPACE && key != SDLK_ESCAPE)) {
        add_key(&wishes->pressed, key);
    }
}

// Report the mouse in pixels of the picture, because a window's own units may be larger. A click
// that has already ended counts as held, at the position of the click.
static void add_mouse(const window *w, const SDL_MouseButtonEvent *click, window_wishes *wishes)
{
    int x = 0;
    int y = 0;
    wishes->is_held = (SDL_GetMouseState(&x, &y) & SDL_BUTTON_LMASK) != 0;
    if (!wishes->is_held && click->button == SDL_BUTTON_LEFT) {
        wishes->is_held = true;
        x = click->x;
        y = click->y;
    }
    int units = 0;
    int pixels = 0;
    SDL_GetWindowSize(w->window, &units, NULL);
    (void)SDL_GetRendererOutputSize(w->renderer, &pixels, NULL);
    const float scale = units > 0 && pixels > 0 ? (float)pixels / (float)units : 1.0F;
    wishes->mouse_x = (float)x * scale;
    wishes->mouse_y = (float)y * scale;
}

window_wishes window_poll(window *w)
{
    window_wishes wishes = {0};
    SDL_MouseButtonEvent click = {0};
    for (SDL_Event event; SDL_PollEvent(&event) != 0;) {
        switch (event.type) {
        case SDL_QUIT:
            wishes.quit = true;
            w->is_closed = true;
            break;
        case SDL_KEYDOWN:
            take_key(w, &event.key, &wishes);
            break;
        case SDL_CLIPBOARDUPDATE:
            wishes.is_active = true;
            break;
        case SDL_WINDOWEVENT:
            wishes.is_active |= event.window.event == SDL_WINDOWEVENT_FOCUS_GAINED;
            (void)sdl_hands_take(&w->hands, &event, &wishes.pad_pressed);
            break;
        case SDL_MOUSEBUTTONDOWN:
            click = event.button.button == SDL_BUTTON_LEFT ? event.button : click;
            break;
        default:
            wishes.pads += sdl_hands_take(&w->hands, &event, &wishes.pad_pressed);
            break;
        }
    }
    add_mouse(w, &click, &wishes);
    return wishes;
}

void window_set_keys(window *w, const key_map *keys)
{
    w->hands.keys = *keys;
}

void window_set_aim(window *w, bool can_aim)
{
    w->hands.can_aim = can_aim;
}

void window_controls(window *w, uint32_t seat, uint32_t seats, float values[WINDOW_CONTROLS])
{
    sdl_hands_controls(&w->hands, seat, seats, values);
}

window_seat window_seat_of(window *w, uint32_t seat, uint32_t seats)
{
    seat_devices_share(&w->hands.seats, seats);
    return (window_seat){
        .hand = seat_devices_hand(&w->hands.seats, seat),
        .has_pad = seat_devices_pad(&w->hands.seats, seat) != SEAT_NO_PAD,
    };
}

const char *window_key_label(window *w, key_place key)
{
    return sdl_hands_label(&w->hands, key);
}

void window_ask_key(window *w, bool is_asked)
{
    w->is_asked = is_asked;
}

void window_set_full_screen(window *w, bool is_full)
{
    (void)SDL_SetWindowFullscreen(w->window, is_full ? SDL_WINDOW_FULLSCREEN_DESKTOP : 0);
}

bool window_is_full_screen(window *w)
{
    return (SDL_GetWindowFlags(w->window) & SDL_WINDOW_FULLSCREEN_DESKTOP) != 0;
}

bks_canvas window_canvas(window *w)
{
    if (!w->is_soft) {
        return sdl_canvas_begin(&w->triangles);
    }
    int width = SIDE_MIN_PX;
    int height = SIDE_MIN_PX;
    (void)SDL_GetRendererOutputSize(w->renderer, &width, &height);
    if (w->screen == NULL || (uint32_t)width != w->picture.width ||
        (uint32_t)height != w->picture.height) {
        if (w->screen != NULL) {
            SDL_DestroyTexture(w->screen);
        }
        w->screen = SDL_CreateTexture(w->renderer, SDL_PIXELFORMAT_RGB24,
                                      SDL_TEXTUREACCESS_STREAMING, width, height);
        if (!canvas_soft_resize(&w->picture, (uint32_t)width, (uint32_t)height)) {
            (void)canvas_soft_resize(&w->picture, SIDE_MIN_PX, SIDE_MIN_PX);
        }
    }
    return canvas_soft_canvas(&w->picture, false);
}

bool window_copy(window *w, const char *text)
{
    (void)w;
    return SDL_SetClipboardText(text) == 0;
}

bool window_is_closed(const window *w)
{
    return w->is_closed;
}

void window_paste(window *w, char *out, size_t capacity)
{
    (void)w;
    char *text = SDL_GetClipboardText();
    (void)snprintf(out, capacity, "%s", text != NULL ? text : "");
    SDL_free(text);
}

void window_present(window *w)
{
    if (!w->is_soft) {
        sdl_canvas_flush(&w->triangles);
    } else if (w->screen != NULL) {
        (void)SDL_UpdateTexture(w->screen, NULL, w->picture.rgb, (int)(3 * w->picture.width));
        (void)SDL_RenderCopy(w->renderer, w->screen, NULL, NULL);
    }
    SDL_RenderPresent(w->renderer);
}

window_screen window_screen_of(window *w)
{
    SDL_DisplayMode mode = {0};
    const int display = SDL_GetWindowDisplayIndex(w->window);
    const Uint32 out_of_sight = SDL_WINDOW_MINIMIZED | SDL_WINDOW_HIDDEN;
    if (display >= 0) {
        (void)SDL_GetCurrentDisplayMode(display, &mode);
    }
    return (window_screen){
        .rate_hz = mode.refresh_rate > 0 ? (uint32_t)mode.refresh_rate : 0,
        .is_synced = w->is_synced,
        .is_hidden = (SDL_GetWindowFlags(w->window) & out_of_sight) != 0,
    };
}
