// SPDX-License-Identifier: MIT

#include "base/args.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tool.h"

enum {
    HELP_COLUMN = 28, ///< column at which an option's help begins
    HELP_WIDTH = 98,  ///< column at which the lines of the help end
    /// Maximum number of options that are compared with a mistyped one, to suggest a similar one.
    KNOWN_MAX = 64,
    WORD_BYTES_MAX = 40,    ///< longest word for which a similar one is suggested
    LIKENESS_EDITS_MAX = 2, ///< most edits by which two similar words may differ
    SHORT_WORD_BYTES = 4    ///< longest word in which only one edit is allowed
};

bool args_number(const char *text, int64_t *out)
{
    char *end = NULL;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0) {
        return false;
    }
    *out = value;
    return true;
}

bool args_range(const char *text, int64_t *out_first, int64_t *out_last)
{
    char first[32];
    const char *dots = strstr(text, "..");
    if (dots == NULL || (size_t)(dots - text) >= sizeof(first)) {
        return false;
    }
    snprintf(first, sizeof(first), "%.*s", (int)(dots - text), text);
    return args_number(first, out_first) && args_number(dots + 2, out_last) &&
           *out_first <= *out_last;
}

// Return the number of edits that turn one word into the other (Levenshtein distance), computed one
// row at a time.
static uint32_t edits(const char *a, const char *b)
{
    const size_t a_length = strlen(a);
    const size_t b_length = strlen(b);
    if (a_length > WORD_BYTES_MAX || b_length > WORD_BYTES_MAX) {
        return UINT32_MAX;
    }
    uint32_t row[WORD_BYTES_MAX + 1];
    for (size_t j = 0; j <= b_length; j++) {
        row[j] = (uint32_t)j;
    }
    for (size_t i = 1; i <= a_length; i++) {
        uint32_t diagonal = row[0];
        row[0] = (uint32_t)i;
        for (size_t j = 1; j <= b_length; j++) {
            uint32_t best = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            best = row[j] + 1 < best ? row[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            row[j] = best;
        }
    }
    return row[b_length];
}

// Return true if two words are equal except for two neighbouring letters that changed places.
static bool is_swap(const char *a, const char *b)
{
    size_t at = 0;
    while (a[at] != '\0' && a[at] == b[at]) {
        at++;
    }
    return a[at] != '\0' && a[at + 1] != '\0' && a[at] == b[at + 1] && a[at + 1] == b[at] &&
           strcmp(a + at + 2, b + at + 2) == 0;
}

// Count the letters of a word, without the dashes of an option.
static size_t letters(const char *word)
{
    return strlen(word + strspn(word, "-"));
}

// Return true if two words are so similar that one may be a typing error for the other. In short
// words two edits are too many: they turn almost any short word into another.
static bool is_alike(const char *a, const char *b, uint32_t distance)
{
    const size_t fewest = letters(a) < letters(b) ? letters(a) : letters(b);
    return distance <= (fewest <= SHORT_WORD_BYTES ? 1 : LIKENESS_EDITS_MAX);
}

uint32_t args_nearest(const char *text, const char *const *known, uint32_t count)
{
    uint32_t nearest = UINT32_MAX;
    uint32_t fewest = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t distance = is_swap(text, known[i]) ? 1 : edits(text, known[i]);
        if (distance < fewest && is_alike(text, known[i], distance)) {
            fewest = distance;
            nearest = i;
        }
    }
    return nearest;
}

static void expected_value(const args_option *option, char *out, size_t capacity)
{
    if (option->kind == ARGS_KIND_CHOICE) {
        snprintf(out, capacity, "%s", option->choices);
    } else if (option->kind == ARGS_KIND_INT && option->word != NULL) {
        snprintf(out, capacity, "%s or a number from %" PRId64 " to %" PRId64, option->word,
                 option->least, option->greatest);
    } else if (option->kind == ARGS_KIND_INT) {
        snprintf(out, capacity, "a number from %" PRId64 " to %" PRId64, option->least,
                 option->greatest);
    } else {
        snprintf(out, capacity, "%s", option->value_name);
    }
}

static int reject(const args_option *option, const char *value, const char *why)
{
    char expected[256];
    expected_value(option, expected, sizeof(expected));
    fflush(stdout);
    tool_log_flush();
    fprintf(stderr, "bks: %s '%s': %s, expected %s\n", option->name, value, why, expected);
    return TOOL_MISUSE;
}

// Return true if a text is a whole number, even one that does not fit into int64_t.
static bool is_whole_number(const char *text)
{
    text += *text == '-' || *text == '+';
    return *text != '\0' && text[strspn(text, "0123456789")] == '\0';
}

static int take_int(const args_option *option, const char *value)
{
    if (option->word != NULL && strcmp(value, option->word) == 0) {
        *(int64_t *)option->out = option->word_value;
        return ARGS_GO;
    }
    int64_t number = 0;
    if (!args_number(value, &number)) {
        return reject(option, value,
                      is_whole_number(value) ? "is out of range" : "is not a whole number");
    }
    if (number < option->least || number > option->greatest) {
        return reject(option, value, "is out of range");
    }
    *(int64_t *)option->out = number;
    return ARGS_GO;
}

static int take_choice(const args_option *option, const char *value)
{
    const size_t length = strlen(value);
    uint32_t index = 0;
    for (const char *word = option->choices; word != NULL; index++) {
        const char *bar = strchr(word, '|');
        const size_t word_length = bar != NULL ? (size_t)(bar - word) : strlen(word);
        if (word_length == length && memcmp(word, value, length) == 0) {
            *(uint32_t *)option->out = index;
            return ARGS_GO;
        }
        word = bar != NULL ? bar + 1 : NULL;
    }
    return reject(option, value, "is not known");
}

static int take_list(const args_option *option, const char *value)
{
    args_list *list = option->out;
    if (list->count == ARGS_LIST_MAX) {
        tool_complain(option->name, "given more than %d times", ARGS_LIST_MAX);
        return TOOL_MISUSE;
    }
    list->items[list->count++] = value;
    return ARGS_GO;
}

static int take_value(const args_option *option, const char *value)
{
    switch (option->kind) {
    case ARGS_KIND_INT:
        return take_int(option, value);
    case ARGS_KIND_CHOICE:
        return take_choice(option, value);
    case ARGS_KIND_LIST:
        return take_list(option, value);
    case ARGS_KIND_TEXT:
        if (value[0] == '\0') {
            return reject(option, value, "is empty");
        }
        *(const char **)option->out = value;
        return ARGS_GO;
    case ARGS_KIND_FLAG:
        break;
    }
    return ARGS_GO;
}

static const args_option *find_option(const args_spec *spec, const char *name, size_t length)
{
    for (uint32_t i = 0; i < spec->option_count; i++) {
        const char *known = spec->options[i].name;
        if (known != NULL && strlen(known) == length && memcmp(known, name, length) == 0) {
            return &spec->options[i];
        }
    }
    return NULL;
}

static int reject_unknown(const args_spec *spec, const char *given, size_t length)
{
    char name[WORD_BYTES_MAX + 1];
    snprintf(name, sizeof(name), "%.*s", (int)length, given);
    const char *known[KNOWN_MAX] = {"--help", "--verbose"};
    uint32_t count = 2;
    for (uint32_t i = 0; i < spec->option_count && count < KNOWN_MAX; i++) {
        if (spec->options[i].name != NULL) {
            known[count++] = spec->options[i].name;
        }
    }
    const uint32_t nearest = args_nearest(name, known, count);
    if (nearest != UINT32_MAX) {
        tool_complain(given, "no such option, did you mean %s?", known[nearest]);
    } else {
        tool_complain(given, "no such option, expected one of 'bks %s --help'", spec->command);
    }
    return TOOL_MISUSE;
}

// Read the option at argv[*at]. If its value is the next argument, advance `*at` to it.
static int take_option(const args_spec *spec, int argc, char **argv, int *at)
{
    const char *given = argv[*at];
    const char *equals = strchr(given, '=');
    const size_t length = equals != NULL ? (size_t)(equals - given) : strlen(given);
    const args_option *option = find_option(spec, given, length);
    if (option == NULL) {
        return reject_unknown(spec, given, length);
    }
    if (option->kind == ARGS_KIND_FLAG) {
        if (equals != NULL) {
            tool_complain(given, "%s takes no value", option->name);
            return TOOL_MISUSE;
        }
        *(bool *)option->out = true;
        return ARGS_GO;
    }
    if (equals != NULL) {
        return take_value(option, equals + 1);
    }
    if (*at + 1 >= argc || strncmp(argv[*at + 1], "--", 2) == 0) {
        char expected[256];
        expected_value(option, expected, sizeof(expected));
        tool_complain(option->name, "has no value, expected %s", expected);
        return TOOL_MISUSE;
    }
    (*at)++;
    return take_value(option, argv[*at]);
}

static int take_positional(const args_spec *spec, const char *value)
{
    if (spec->positionals == NULL || spec->positionals->count == spec->positionals_max ||
        spec->positionals->count == ARGS_LIST_MAX) {
        tool_complain(value, "one argument too many, expected: bks %s %s", spec->command,
                      spec->usage);
        return TOOL_MISUSE;
    }
    spec->positionals->items[spec->positionals->count++] = value;
    return ARGS_GO;
}

// True if the command that was parsed last has --game.
static bool has_game_option;

bool args_game_is_option(void)
{
    return has_game_option;
}

int args_parse(const args_spec *spec, int argc, char **argv)
{
    has_game_option = find_option(spec, "--game", strlen("--game")) != NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            args_help(spec);
            return TOOL_OK;
        }
    }
    bool options_over = false;
    for (int i = 1; i < argc; i++) {
        int status = ARGS_GO;
        if (!options_over && strcmp(argv[i], "--") == 0) {
            options_over = true;
        } else if (!options_over && strcmp(argv[i], "--verbose") == 0) {
            tool_log_verbose();
        } else if (!options_over && argv[i][0] == '-' && argv[i][1] != '\0') {
            status = take_option(spec, argc, argv, &i);
        } else {
            status = take_positional(spec, argv[i]);
        }
        if (status != ARGS_GO) {
            return status;
        }
    }
    if (spec->positionals != NULL && spec->positionals->count < spec->positionals_min) {
        tool_complain(spec->command, "has %u argument%s, needs %u; expected: bks %s %s",
                      spec->positionals->count, TOOL_PLURAL(spec->positionals->count),
                      spec->positionals_min, spec->command, spec->usage);
        return TOOL_MISUSE;
    }
    return ARGS_GO;
}

static bool is_gap(char letter)
{
    return letter == ' ' || letter == '\n';
}

// Return the number of bytes of `text` that fit on a line and end at a gap between words.
static size_t fitting(const char *text)
{
    size_t fits = 0;
    size_t length = 0;
    for (; text[length] != '\0'; length++) {
        if (is_gap(text[length]) && (length <= HELP_WIDTH - HELP_COLUMN || fits == 0)) {
            fits = length;
        }
    }
    return length <= HELP_WIDTH - HELP_COLUMN || fits == 0 ? length : fits;
}

/// Return the width of a UTF-8 text in columns: its bytes without the continuation bytes.
static int columns_of(const char *text)
{
    int columns = 0;
    for (; *text != '\0'; text++) {
        columns += ((unsigned char)*text & 0xC0) != 0x80 ? 1 : 0;
    }
    return columns;
}

static void print_option(const char *name, const char *value_name, const char *help)
{
    char left[128];
    (void)snprintf(left, sizeof(left), "  %s%s%s", name, value_name != NULL ? " " : "",
                   value_name != NULL ? value_name : "");
    const int columns = columns_of(left);
    if (columns >= HELP_COLUMN) {
        printf("%s\n%*s", left, HELP_COLUMN, "");
    } else {
        printf("%s%*s", left, HELP_COLUMN - columns, "");
    }
    for (const char *at = help; *at != '\0';) {
        const size_t length = fitting(at);
        printf("%*s", at == help ? 0 : HELP_COLUMN, "");
        for (size_t i = 0; i < length; i++) {
            putchar(is_gap(at[i]) ? ' ' : at[i]);
        }
        putchar('\n');
        at += length + (at[length] != '\0');
    }
    tool_note_output(); // a long help is written in pieces: keep errno of the one that fails
}

void args_help(const args_spec *spec)
{
    printf("usage: bks %s %s\n\n%s\n", spec->command, spec->usage, spec->about);
    if (spec->option_count > 0 && spec->options[0].name != NULL) {
        printf("\noptions:\n");
    }
    for (uint32_t i = 0; i < spec->option_count; i++) {
        const args_option *option = &spec->options[i];
        if (option->name == NULL) {
            printf("\n%s:\n", option->help);
        } else {
            print_option(option->name, option->value_name, option->help);
        }
    }
    printf("\ncommon:\n");
    print_option("--verbose", NULL, "print the library's whole log on stderr");
    print_option("--help", NULL, "show this");
    if (spec->more != NULL) {
        printf("\n%s\n", spec->more);
    }
    tool_note_output();
    if (spec->print_more != NULL) {
        printf("\n");
        spec->print_more();
        tool_note_output();
    }
}
