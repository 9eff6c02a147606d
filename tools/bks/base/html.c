// SPDX-License-Identifier: MIT

#include "base/html.h"

#include <stdarg.h>
#include <string.h>

static const char style[] =
    ":root{color-scheme:light dark;--ink:#1c2024;--soft:#5b6570;--line:#d9dee3;--card:#fff;"
    "--back:#f4f6f8;--good:#157f3b;--bad:#b3261e}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6e9ec;--soft:#9aa5b1;--line:#343b43;"
    "--card:#1b1f24;--back:#121518;--good:#4cc38a;--bad:#ff8a80}}"
    "*{box-sizing:border-box}body{margin:0;background:var(--back);color:var(--ink);"
    "font:15px/1.5 system-ui,sans-serif}main{max-width:1080px;margin:0 auto;padding:28px 20px 60px}"
    "h1{font-size:26px;margin:0 0 4px}h2{font-size:16px;margin:0 0 8px}"
    "p{margin:0 0 6px;color:var(--soft)}.verdict{font-weight:600}.good{color:var(--good)}"
    ".bad{color:var(--bad)}section{background:var(--card);border:1px solid var(--line);"
    "border-radius:10px;padding:16px 18px;margin-top:18px;overflow-x:auto}"
    "svg{width:100%;height:auto;display:block}svg text{fill:var(--soft);font-size:12px}"
    ".grid{stroke:var(--line);stroke-width:1}.fault{fill:var(--bad);opacity:.16}"
    "svg text.faultname{fill:var(--bad);font-size:11px}.plot{fill:none;stroke-width:1.8;"
    "stroke-linejoin:round}"
    "table{border-collapse:collapse;width:100%;font-size:14px;font-variant-numeric:tabular-nums}"
    "th,td{text-align:right;padding:5px 7px;border-top:1px solid var(--line);white-space:nowrap}"
    "th:first-child,td:first-child{text-align:left}thead th{border-top:0;color:var(--soft);"
    "font-weight:600}.key{display:inline-flex;align-items:center;margin-right:16px;"
    "color:var(--soft)}.dot{width:11px;height:11px;border-radius:3px;margin-right:6px;"
    "display:inline-block}code{font:13px ui-monospace,monospace;overflow-wrap:anywhere}";

void html_begin(FILE *out, const char *title, const char *more)
{
    html_print(out,
               "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta "
               "name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>%s</title>",
               title);
    fprintf(out, "<style>%s%s</style></head><body><main>\n", style, more);
}

void html_end(FILE *out)
{
    fputs("</main></body></html>\n", out);
}

void html_text(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        const char *escaped = *text == '&'   ? "&amp;"
                              : *text == '<' ? "&lt;"
                              : *text == '>' ? "&gt;"
                              : *text == '"' ? "&quot;"
                                             : NULL;
        if (escaped != NULL) {
            fputs(escaped, out);
        } else {
            fputc(*text, out);
        }
    }
}

void html_print(FILE *out, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    for (const char *mark; (mark = strchr(format, '%')) != NULL;) {
        const size_t length = strcspn(mark, "sdufgx") + 1;
        char one[16];
        fprintf(out, "%.*s", (int)(mark - format), format);
        (void)snprintf(one, sizeof(one), "%.*s", (int)length, mark);
        format = mark + length;
        if (format[-1] == 's') {
            html_text(out, va_arg(values, const char *));
        } else if (format[-1] == 'f' || format[-1] == 'g') {
            fprintf(out, one, va_arg(values, double));
        } else if (strstr(one, "ll") != NULL || strstr(one, "I64") != NULL) {
            // On Windows PRId64 and its relatives contain I64 instead of ll.
            fprintf(out, one, va_arg(values, long long));
        } else if (strchr(one, 'l') != NULL) {
            fprintf(out, one, va_arg(values, long));
        } else {
            fprintf(out, one, va_arg(values, int));
        }
    }
    va_end(values);
    fputs(format, out);
}

void html_section(FILE *out, const char *id, const char *title, const char *about)
{
    html_print(out, "<section id=\"%s\"><h2>%s</h2><p>%s</p>", id, title, about);
}

void html_head_cell(FILE *out, const char *text)
{
    html_print(out, "<th scope=\"col\">%s</th>", text);
}

void html_svg(FILE *out, const char *class, int top, int width, int height, const char *label,
              const char *more)
{
    html_print(out, "<svg class=\"%s\" viewBox=\"0 %d %d %d\" role=\"img\" aria-label=\"%s\"",
               class, top, width, height, label);
    fprintf(out, "%s>", more);
}

void html_rect(FILE *out, const char *class, double x, double y, double width, double height,
               const char *title)
{
    html_print(out,
               "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\">"
               "<title>%s</title></rect>",
               class, x, y, width > 0.0 ? width : 0.0, height, title);
}

void html_line(FILE *out, const char *class, double x1, double y1, double x2, double y2,
               const char *title)
{
    html_print(out,
               "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\">"
               "<title>%s</title></line>",
               class, x1, y1, x2, y2, title);
}
