// SPDX-License-Identifier: MIT

#include "screen/window/seat_devices.h"

enum { AT_KEYBOARD_MOST = 2 };

static void add_spare(seat_devices *d, int32_t pad)
{
    if (d->spare_count < SEAT_PADS_MAX) {
        d->spare[d->spare_count++] = pad;
    }
}

static int32_t take_spare(seat_devices *d)
{
    if (d->spare_count == 0) {
        return SEAT_NO_PAD;
    }
    const int32_t pad = d->spare[0];
    d->spare_count--;
    for (uint32_t i = 0; i < d->spare_count; i++) {
        d->spare[i] = d->spare[i + 1];
    }
    return pad;
}

// Take all gamepads away from the players. Gamepads of players come first in the list of spare
// ones.
static void collect(seat_devices *d)
{
    const seat_devices before = *d;
    d->spare_count = 0;
    for (uint32_t i = 0; i < before.seats; i++) {
        if (before.pads[i] != SEAT_NO_PAD) {
            add_spare(d, before.pads[i]);
        }
    }
    for (uint32_t i = 0; i < before.spare_count; i++) {
        add_spare(d, before.spare[i]);
    }
}

void seat_devices_share(seat_devices *d, uint32_t seats)
{
    seats = seats < BKS_PLAYERS_MAX ? seats : BKS_PLAYERS_MAX;
    if (d->seats == seats) {
        return;
    }
    collect(d);
    uint32_t first = seats > d->spare_count ? seats - d->spare_count : 0;
    first = first < AT_KEYBOARD_MOST ? first : AT_KEYBOARD_MOST;
    d->seats = seats;
    for (uint32_t i = 0; i < seats; i++) {
        d->pads[i] = i >= first ? take_spare(d) : SEAT_NO_PAD;
    }
}

void seat_devices_plug(seat_devices *d, int32_t pad)
{
    uint32_t seat = d->seats;
    for (uint32_t i = 0; i < d->seats; i++) {
        if (d->pads[i] == SEAT_NO_PAD) {
            seat = i;
            if (seat_devices_hand(d, i) == KEY_HANDS) {
                break;
            }
        }
    }
    if (seat < d->seats) {
        d->pads[seat] = pad;
    } else {
        add_spare(d, pad);
    }
}

void seat_devices_unplug(seat_devices *d, int32_t pad)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < d->spare_count; i++) {
        if (d->spare[i] != pad) {
            d->spare[kept++] = d->spare[i];
        }
    }
    d->spare_count = kept;
    for (uint32_t i = 0; i < d->seats; i++) {
        if (d->pads[i] == pad) {
            d->pads[i] = take_spare(d);
        }
    }
}

int32_t seat_devices_pad(const seat_devices *d, uint32_t seat)
{
    return seat < d->seats ? d->pads[seat] : SEAT_NO_PAD;
}

key_hand seat_devices_hand(const seat_devices *d, uint32_t seat)
{
    if (d->seats == 1 && seat == 0) {
        return KEY_HAND_ALONE;
    }
    uint32_t without = 0; // number of players without a gamepad
    uint32_t before = 0;  // number of players before this one without a gamepad
    for (uint32_t i = 0; i < d->seats; i++) {
        without += d->pads[i] == SEAT_NO_PAD;
        before += i < seat && d->pads[i] == SEAT_NO_PAD;
    }
    if (seat >= d->seats || d->pads[seat] != SEAT_NO_PAD || before >= AT_KEYBOARD_MOST) {
        return KEY_HANDS;
    }
    return without == 1 ? KEY_HAND_ALONE : before == 0 ? KEY_HAND_FIRST : KEY_HAND_SECOND;
}
