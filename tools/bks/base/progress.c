// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "base/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/system.h"
#include "base/tool.h"

enum { WIDTH = 32, ROOM_BESIDE = 26 };

static const uint64_t PATIENCE_NS = UINT64_C(500000000);
static const uint64_t REDRAW_NS = UINT64_C(100000000);

void progress_begin(progress *bar, const char *label, uint64_t total)
{
    const char *terminal = getenv("TERM");
    *bar = (progress){.label = label, .total = total, .begun_ns = tool_clock_ns(NULL)};
    bar->is_on =
        isatty(STDERR_FILENO) && total > 0 && (terminal == NULL || strcmp(terminal, "dumb") != 0);
}

// A line that is wider than the terminal cannot be drawn over.
static int bar_width(const progress *bar)
{
    uint32_t columns = 0;
    uint32_t rows = 0;
    const bool is_known = system_terminal_size(STDERR_FILENO, &columns, &rows);
    const int room = (is_known ? (int)columns : 80) - (int)strlen(bar->label) - ROOM_BESIDE;
    return room < 0 ? 0 : room < WIDTH ? room : WIDTH;
}

void progress_show(progress *bar, uint64_t done)
{
    if (!bar->is_on) {
        return;
    }
    const uint64_t now = tool_clock_ns(NULL);
    if (now - bar->begun_ns < PATIENCE_NS || now - bar->shown_ns < REDRAW_NS) {
        return;
    }
    bar->shown_ns = now;
    bar->has_been_drawn = true;
    done = done < bar->total ? done : bar->total;
    const double share = (double)done / (double)bar->total;
    char picture[WIDTH + 1];
    const int width = bar_width(bar);
    for (int i = 0; i < width; i++) {
        picture[i] = i < (int)(share * width) ? '#' : '.';
    }
    picture[width] = '\0';
    char left[32] = "";
    if (done > 0) {
        const double spent_s = (double)(now - bar->begun_ns) * 1e-9;
        snprintf(left, sizeof(left), "  %.0f s left", spent_s * (1.0 - share) / share);
    }
    fprintf(stderr, "\r\033[K%s [%s] %3.0f %%%s", bar->label, picture, 100.0 * share, left);
    fflush(stderr);
}

void progress_end(progress *bar)
{
    if (bar->has_been_drawn) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
        bar->has_been_drawn = false;
    }
}
