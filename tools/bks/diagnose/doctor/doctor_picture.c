// SPDX-License-Identifier: MIT

#define _GNU_SOURCE // open_memstream

#include "diagnose/doctor/doctor_picture.h"

#include <inttypes.h>
#include <stdlib.h>

#include "screen/window/canvas_soft.h"
#include "screen/window/png.h"

enum { PICTURE_WIDTH = 640, PICTURE_HEIGHT = 360 };

// Source: RFC 4648, section 4.
static void write_base64(FILE *out, const uint8_t *bytes, size_t count)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        const size_t left = count - i;
        const uint32_t group = (uint32_t)bytes[i] << 16 |
                               (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                               (left > 2 ? bytes[i + 2] : 0);
        fputc(digits[group >> 18], out);
        fputc(digits[group >> 12 & 63], out);
        fputc(left > 1 ? digits[group >> 6 & 63] : '=', out);
        fputc(left > 2 ? digits[group & 63] : '=', out);
    }
}

static void write_image(FILE *out, const canvas_soft *picture, const char *side)
{
    char *bytes = NULL;
    size_t count = 0;
    FILE *memory = open_memstream(&bytes, &count);
    if (memory == NULL) {
        return;
    }
    const bool is_good = png_write_to(memory, picture->rgb, picture->width, picture->height);
    if (fclose(memory) == 0 && is_good) {
        fprintf(out, "<figure><img alt=\"the state of %s\" src=\"data:image/png;base64,", side);
        write_base64(out, (const uint8_t *)bytes, count);
        fprintf(out, "\"><figcaption>%s</figcaption></figure>", side);
    }
    free(bytes);
}

// A state belongs at an address of its own: references and pointers are right there.
static bks_runner *make_runner(const doctor_case *c)
{
    bks_runner_config config = {.game = c->game.game,
                                .has_options = true,
                                .seed = (uint64_t)c->options.seed,
                                .players = (uint32_t)c->options.players};
    bks_runner *runner = NULL;
    return loader_options(c->game.game, c->options.given_options.items,
                          c->options.given_options.count, &config.options) == 0 &&
                   bks_runner_create(&config, &runner, NULL) == BKS_OK
               ? runner
               : NULL;
}

static void draw(FILE *out, const doctor_case *c, bks_runner *runner, const doctor_states states[2],
                 uint32_t index)
{
    canvas_soft picture = {0};
    for (int side = 0; side < 2; side++) {
        if (bks_runner_import(runner, states[side].bytes[index], states[side].counts[index],
                              NULL) == BKS_OK &&
            canvas_soft_resize(&picture, PICTURE_WIDTH, PICTURE_HEIGHT)) {
            const bks_canvas canvas = canvas_soft_canvas(&picture, false);
            const bks_picture still = bks_picture_of(bks_runner_state(runner));
            c->game.plugin->draw(&still, &canvas);
            write_image(out, &picture, side == 0 ? "A" : "B");
        } else {
            fprintf(out, "<figure><figcaption>%s: its state cannot be drawn</figcaption></figure>",
                    side == 0 ? "A" : "B");
        }
        canvas_soft_close(&picture);
    }
}

void doctor_picture_write(FILE *out, const doctor_case *c, const doctor_states states[2])
{
    const uint32_t index = (uint32_t)(c->hash_tick - c->keep_from);
    if (c->game.plugin->draw == NULL || c->hash_tick == BKS_TICK_NONE ||
        states[0].counts[index] == 0 || states[1].counts[index] == 0) {
        return;
    }
    bks_runner *runner = make_runner(c);
    if (runner != NULL) {
        fprintf(out,
                "<section id=\"pictures\"><h2>Both states at tick %" PRId32 "</h2><p>As the game "
                "draws them.</p><div class=\"pictures\">",
                c->hash_tick);
        draw(out, c, runner, states, index);
        fputs("</div></section>\n", out);
    }
    bks_runner_destroy(runner);
}
