// SPDX-License-Identifier: MIT

/// @file args.h
/// Command lines read by a table, which also prints the help.
///
///     int64_t ticks = 3600;
///     const args_option options[] = {
///         ARGS_INT("--ticks", "N", &ticks, 1, INT32_MAX, "length of the match (default 3600)"),
///     };
///     const args_spec spec = {.command = "lab", .usage = "GAME [options]", .about = "…",
///                             ARGS_OPTIONS(options), ARGS_POSITIONALS(&games, 1, 1)};
///     const int status = args_parse(&spec, argc, argv);
///     if (status != ARGS_GO) {
///         return status;
///     }

#ifndef BKS_TOOL_ARGS_H
#define BKS_TOOL_ARGS_H

#include "backstitch/base.h"

/// Result of args_parse() if the command line is valid and the command is to run.
#define ARGS_GO (-1)

/// Most values that a repeatable option can take.
#define ARGS_LIST_MAX 4096

/// Length of an array of options.
#define ARGS_COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

/// Kinds of values that options take.
typedef enum args_kind {
    ARGS_KIND_FLAG,   ///< option without a value; `out` is a bool, set to true
    ARGS_KIND_INT,    ///< option with a whole number; `out` is an int64_t
    ARGS_KIND_TEXT,   ///< option with any text; `out` is a const char *
    ARGS_KIND_LIST,   ///< like ARGS_KIND_TEXT, repeatable; `out` is an args_list
    ARGS_KIND_CHOICE, ///< option with one of `choices`; `out` is a uint32_t, its index
} args_kind;

/// Values of an option or positional argument that may be repeated. Initialise it to {0}.
typedef struct args_list {
    uint32_t count;                   ///< number of values given
    const char *items[ARGS_LIST_MAX]; ///< values as typed; argv owns them
} args_list;

/// An option of a command line. Fill it in by ARGS_FLAG() and the macros after it.
typedef struct args_option {
    const char *name;       ///< name of the option, including its dashes
    const char *value_name; ///< name of the value in the help, NULL for a flag
    args_kind kind;         ///< kind of the option's value
    void *out;              ///< variable for the value; unchanged if the option is not given
    int64_t least;          ///< lowest value of an ARGS_KIND_INT option
    int64_t greatest;       ///< highest value of an ARGS_KIND_INT option
    const char *word;       ///< word accepted instead of a number, or NULL
    int64_t word_value;     ///< number that `word` stands for
    const char *choices;    ///< words that an option with `choices` accepts, such as `a|b|c`
    const char *help;       ///< help text, a phrase; it is wrapped, and a newline counts as a space
} args_option;

#define ARGS_FLAG(NAME, OUT, HELP)                                           \
    {                                                                        \
        .name = (NAME), .kind = ARGS_KIND_FLAG, .out = (OUT), .help = (HELP) \
    }
#define ARGS_INT(NAME, VALUE, OUT, LEAST, GREATEST, HELP)                           \
    {                                                                               \
        .name = (NAME), .value_name = (VALUE), .kind = ARGS_KIND_INT, .out = (OUT), \
        .least = (LEAST), .greatest = (GREATEST), .help = (HELP)                    \
    }
/// Option whose value is a number, or the word WORD, which stands for WORD_VALUE.
#define ARGS_INT_OR(NAME, VALUE, OUT, LEAST, GREATEST, WORD, WORD_VALUE, HELP)                \
    {                                                                                         \
        .name = (NAME), .value_name = (VALUE), .kind = ARGS_KIND_INT, .out = (OUT),           \
        .least = (LEAST), .greatest = (GREATEST), .word = (WORD), .word_value = (WORD_VALUE), \
        .help = (HELP)                                                                        \
    }
#define ARGS_TEXT(NAME, VALUE, OUT, HELP)                                            \
    {                                                                                \
        .name = (NAME), .value_name = (VALUE), .kind = ARGS_KIND_TEXT, .out = (OUT), \
        .help = (HELP)                                                               \
    }
#define ARGS_LIST(NAME, VALUE, OUT, HELP)                                            \
    {                                                                                \
        .name = (NAME), .value_name = (VALUE), .kind = ARGS_KIND_LIST, .out = (OUT), \
        .help = (HELP)                                                               \
    }
#define ARGS_CHOICE(NAME, CHOICES, OUT, HELP)                                            \
    {                                                                                    \
        .name = (NAME), .value_name = (CHOICES), .kind = ARGS_KIND_CHOICE, .out = (OUT), \
        .choices = (CHOICES), .help = (HELP)                                             \
    }
/// `--json`, an option of most commands.
#define ARGS_JSON(OUT) ARGS_FLAG("--json", OUT, "print one JSON object")
/// `--game`, an option of the commands that step recordings.
#define ARGS_RECORDED_GAME(OUT) \
    ARGS_TEXT("--game", "GAME", OUT, "the game (default: found by its name)")
/// A heading in the help, between options.
#define ARGS_HEADING(TEXT) \
    {                      \
        .help = (TEXT)     \
    }

/// Description of a command's command line.
typedef struct args_spec {
    const char *command;        ///< name of the command, such as `play` or `replay verify`
    const char *usage;          ///< arguments that the usage line shows, such as `GAME [options]`
    const char *about;          ///< one or more lines for the top of the help
    const args_option *options; ///< options of the command; may be NULL
    uint32_t option_count;      ///< number of options in `options`
    args_list *positionals;     ///< receives the positional arguments; NULL: none are accepted
    uint32_t positionals_min;   ///< minimum number of positional arguments
    uint32_t positionals_max;   ///< maximum number of positional arguments
    const char *more;           ///< text for the end of the help, such as examples; may be NULL
    /// Function that prints the end of the help instead of `more`; may be NULL.
    void (*print_more)(void);
} args_spec;

/// Initialisers of args_spec for an array of options, and for LEAST to GREATEST positional
/// arguments.
#define ARGS_OPTIONS(ARRAY) .options = (ARRAY), .option_count = ARGS_COUNT(ARRAY)
#define ARGS_POSITIONALS(LIST, LEAST, GREATEST) \
    .positionals = (LIST), .positionals_min = (LEAST), .positionals_max = (GREATEST)

/// Read a command line. Every command accepts `--help` and `--verbose`; `--name value` and
/// `--name=value` are the same; `--` ends the options. Errors go to stderr.
/// @param argv  argv[0] is the command
/// @return ARGS_GO, or the exit status to end with
int args_parse(const args_spec *spec, int argc, char **argv);

/// Return true if the command that was parsed takes the game of a recording as the option --game,
/// false if as an argument.
bool args_game_is_option(void);

/// Print the help that args_parse() prints for `--help`, on stdout.
void args_help(const args_spec *spec);

/// Read `text` as a whole number.
/// @return true if all of `text` is a number that fits into int64_t
bool args_number(const char *text, int64_t *out);

/// Read `text` as two whole numbers, "A..B", with A at most B.
/// @return true if all of `text` is such a range
bool args_range(const char *text, int64_t *out_first, int64_t *out_last);

/// Find the word in `known` that is most like `text`, for "did you mean". A word of up to four
/// letters may differ in one letter, a longer word in two. Two swapped neighbours count as one
/// letter.
/// @return the word's index, UINT32_MAX if none is similar
uint32_t args_nearest(const char *text, const char *const *known, uint32_t count);

#endif
