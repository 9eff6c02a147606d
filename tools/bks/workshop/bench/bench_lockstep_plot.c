// SPDX-License-Identifier: MIT

#include "workshop/bench/bench_lockstep_plot.h"

#include <stdio.h>

#include "base/tool.h"

enum {
    PANEL = 250,  ///< width and height of the panel of one line, in units of the SVG
    GAP = 50,     ///< space between panels
    LEFT = 50,    ///< space for labels, left of the first panel
    TOP = 60,     ///< space for the titles, above the panels
    BOTTOM = 80,  ///< space for times and the legend, below the panels
    POINTS = 250, ///< number of points of a curve
};

static const char *const colours[LOCKSTEP_WAYS] = {"#1a7f37", "#cf222e", "#bc6c00"};

/// Draw the frame of a panel, its title and its labels.
static void draw_panel(FILE *out, const lockstep_plot *plot, int x, const char *name)
{
    fprintf(out,
            "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#999\"/>\n"
            "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n"
            "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#bbb\" "
            "stroke-dasharray=\"4 4\"/>\n",
            x, TOP, PANEL, PANEL, x + PANEL / 2, TOP - 10, name, x, TOP + PANEL, x + PANEL, TOP);
    for (uint32_t part = 0; part <= 2; part++) {
        const double at = plot->seconds * part / 2.0;
        const int along = PANEL * (int)part / 2;
        fprintf(out,
                "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" font-size=\"11\">%.0f s</text>\n"
                "<text x=\"%d\" y=\"%d\" text-anchor=\"end\" font-size=\"11\">%.0f s</text>\n",
                x + along, TOP + PANEL + 16, at, x - 5, TOP + PANEL - along + 4, at);
    }
}

/// Draw the ticks stepped so far, as seconds of play, over real time.
static void draw_curve(FILE *out, const lockstep_plot *plot, int x, const lockstep_trace *trace,
                       const char *colour)
{
    const double span_ns = plot->seconds * 1e9;
    uint32_t steps = 0;
    fprintf(out, "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"%s\" points=\"", colour);
    for (uint32_t i = 0; i <= POINTS; i++) {
        const double at_ns = span_ns * i / POINTS;
        while (steps < trace->steps && (double)trace->stepped_ns[steps] <= at_ns) {
            steps++;
        }
        const double played = (double)steps / LOCKSTEP_HZ / plot->seconds;
        fprintf(out, "%.1f,%.1f ", x + (double)PANEL * i / POINTS, TOP + PANEL * (1.0 - played));
    }
    fputs("\"/>\n", out);
}

int lockstep_plot_write(const lockstep_plot *plot, FILE *out, const char *path)
{
    const int width = LEFT + (int)LOCKSTEP_LINES * (PANEL + GAP);
    const int height = TOP + PANEL + BOTTOM;
    fprintf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
        "font-family=\"sans-serif\" font-size=\"14\">\n"
        "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n"
        "<text x=\"%d\" y=\"22\">seconds of play over real time, lockstep of two peers</text>\n",
        width, height, width, height, LEFT);
    for (uint32_t way = 0; way < plot->ways; way++) {
        const int x = LEFT + (int)way * 220;
        fprintf(out,
                "<rect x=\"%d\" y=\"%d\" width=\"24\" height=\"4\" fill=\"%s\"/>"
                "<text x=\"%d\" y=\"%d\">%s</text>\n",
                x, height - 28, colours[way], x + 32, height - 21, plot->ways_names[way]);
    }
    for (uint32_t line = 0; line < LOCKSTEP_LINES; line++) {
        const int x = LEFT + (int)line * (PANEL + GAP);
        draw_panel(out, plot, x, plot->names[line]);
        for (uint32_t way = plot->ways; way > 0; way--) {
            draw_curve(out, plot, x, plot->traces[line][way - 1], colours[way - 1]);
        }
    }
    fputs("</svg>\n", out);
    const bool is_written = ferror(out) == 0;
    if (fclose(out) != 0 || !is_written) {
        tool_complain(path, "cannot be written to its end");
        return TOOL_DAMAGED;
    }
    return TOOL_OK;
}
