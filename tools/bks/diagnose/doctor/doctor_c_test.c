// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backstitch/toolkit/recording.h"
#include "base/text.h"
#include "base/tool.h"
#include "diagnose/doctor/doctor_report.h"

// ---- parts of the C test's source ----

static const char includes[] = "#define _GNU_SOURCE\n"
                               "\n"
                               "#include <inttypes.h>\n"
                               "#include <stdbool.h>\n"
                               "#include <stdio.h>\n"
                               "#include <stdlib.h>\n"
                               "#include <string.h>\n"
                               "#include <sys/wait.h>\n"
                               "#include <unistd.h>\n"
                               "\n"
                               "#include \"backstitch/replay.h\"\n"
                               "#include \"backstitch/plugin.h\"\n";

static const char open_file[] =
    "\n"
    "enum { DIFFERS = 1, SKIPPED = 77 };\n"
    "\n"
    "static bks_replay *open_recording(void)\n"
    "{\n"
    "    static unsigned char bytes[64 << 20];\n"
    "    bks_replay *replay = NULL;\n"
    "    bks_error error = {0};\n"
    "    FILE *file = fopen(RECORDING, \"rb\");\n"
    "    if (file == NULL) {\n"
    "        perror(RECORDING);\n"
    "        return NULL;\n"
    "    }\n"
    "    const size_t count = fread(bytes, 1, sizeof(bytes), file);\n"
    "    fclose(file);\n"
    "    if (bks_replay_open(bytes, count, NULL, &replay, &error) != BKS_OK) {\n"
    "        fprintf(stderr, \"%s: %s\\n\", RECORDING, error.text);\n"
    "        bks_replay_close(replay);\n"
    "        return NULL;\n"
    "    }\n"
    "    return replay;\n"
    "}\n";

// Source of functions that find the game. Either the game is linked to the test, or the test loads
// both builds of the game.
static const char linked_build[] =
    "\n"
    "static const bks_game *find_game(bool is_second)\n"
    "{\n"
    "    (void)is_second;\n"
    "    return bks_plugin_join(bks_library_here()) == BKS_OK ? bks_plugin_main.game : NULL;\n"
    "}\n";

static const char two_builds[] =
    "\n"
    "static const bks_game *find_game(bool is_second)\n"
    "{\n"
    "    void *file = dlopen(is_second ? OTHER : GAME, RTLD_NOW | RTLD_LOCAL);\n"
    "    const bks_plugin *plugin = file != NULL ? dlsym(file, \"bks_plugin_main\") : NULL;\n"
    "    bks_status (*join)(bks_library *) = NULL;\n"
    "    if (plugin != NULL) {\n"
    "        *(void **)&join = dlsym(file, \"bks_plugin_join\");\n"
    "    }\n"
    "    if (join == NULL || join(bks_library_here()) != BKS_OK) {\n"
    "        const char *why = dlerror();\n"
    "        fprintf(stderr, \"%s\\n\", why != NULL ? why : \"no plug-in of this version\");\n"
    "        return NULL;\n"
    "    }\n"
    "    return plugin->game;\n"
    "}\n";

// Source of functions that the second process calls before it steps.
static const char no_change[] = "\n#define begin_second() (void)0\n";

static const char other_world[] =
    "\n"
    "// Be another player: of another language and zone, in the first of these locales that is "
    "installed.\n"
    "static void begin_second(void)\n"
    "{\n"
    "    static const char *const locales[] = {\"de_DE.UTF-8\", \"tr_TR.UTF-8\", "
    "\"fr_FR.UTF-8\"};\n"
    "    for (int i = 0; i < 3 && setlocale(LC_ALL, locales[i]) == NULL; i++) {\n"
    "    }\n"
    "    setenv(\"LANG\", \"de_DE.UTF-8\", 1);\n"
    "    setenv(\"TZ\", \"CET-1CEST\", 1);\n"
    "    if (chdir(\"/\") != 0) {\n"
    "        exit(SKIPPED);\n"
    "    }\n"
    "}\n";

static const char process[] =
    "\n"
    "// ---- the processes that step ----\n"
    "\n"
    "// Print the hash of the state at the start of each tick, once it is final.\n"
    "static int step_all(bks_playback *playback, FILE *out)\n"
    "{\n"
    "    bks_status status = BKS_OK;\n"
    "    for (bks_tick tick = bks_playback_tick(playback);;) {\n"
    "        for (; tick <= bks_playback_confirmed(playback); tick++) {\n"
    "            uint64_t hash = 0;\n"
    "            if (bks_playback_confirmed_hash(playback, tick, &hash) != BKS_OK) {\n"
    "                return DIFFERS;\n"
    "            }\n"
    "            fprintf(out, \"%\" PRId32 \" %016\" PRIx64 \"\\n\", tick, hash);\n"
    "        }\n"
    "        if (status == BKS_OVER) {\n"
    "            return 0;\n"
    "        }\n"
    "        status = bks_playback_step(playback);\n"
    "        if (status != BKS_OK && status != BKS_OVER) {\n"
    "            fprintf(stderr, \"tick %\" PRId32 \" cannot be stepped\\n\", tick);\n"
    "            return DIFFERS;\n"
    "        }\n"
    "    }\n"
    "}\n"
    "\n"
    "static int be_process(bool is_second)\n"
    "{\n"
    "    FILE *out = fdopen(dup(STDOUT_FILENO), \"w\");\n"
    "    bks_replay *replay = open_recording();\n"
    "    const bks_game *game = find_game(is_second);\n"
    "    if (out == NULL || replay == NULL || game == NULL) {\n"
    "        return DIFFERS;\n"
    "    }\n"
    "    dup2(STDERR_FILENO, STDOUT_FILENO); // what the game prints goes there\n"
    "    if (is_second) {\n"
    "        begin_second();\n"
    "    }\n"
    "    const bks_playback_config config = {.replay = replay,\n"
    "                                        .game = game,\n"
    "                                        .any_version = true,\n"
    "                                        .perspective = is_second ? SECOND_PERSPECTIVE\n"
    "                                                                 : "
    "BKS_PERSPECTIVE_REFERENCE};\n"
    "    bks_playback *playback = NULL;\n"
    "    bks_error error = {0};\n"
    "    const bks_status status = bks_playback_create(&config, &playback, &error);\n"
    "    if (status != BKS_OK) {\n"
    "        fprintf(stderr, \"%s: %s\\n\", RECORDING, error.text);\n"
    "        return status == BKS_ERR_UNSUPPORTED || status == BKS_ERR_DAMAGED ? SKIPPED : "
    "DIFFERS;\n"
    "    }\n"
    "    const int end = step_all(playback, out);\n"
    "    bks_playback_destroy(playback);\n"
    "    bks_replay_close(replay);\n"
    "    return fclose(out) == 0 ? end : DIFFERS;\n"
    "}\n";

static const char comparison[] =
    "\n"
    "// ---- the test ----\n"
    "\n"
    "int main(int argc, char **argv)\n"
    "{\n"
    "    if (argc == 2) {\n"
    "        return be_process(strcmp(argv[1], \"second\") == 0);\n"
    "    }\n"
    "    // The parent of each shell is this program, which is started once more.\n"
    "    FILE *files[2] = {popen(\"exec /proc/$PPID/exe first\", \"r\"),\n"
    "                      popen(\"exec \" SECOND \"/proc/$PPID/exe second\", \"r\")};\n"
    "    if (files[0] == NULL || files[1] == NULL) {\n"
    "        perror(\"no process\");\n"
    "        return SKIPPED;\n"
    "    }\n"
    "    char lines[2][64] = {\"\", \"\"};\n"
    "    long tick = -1;\n"
    "    bool is_same = true;\n"
    "    bool is_over = false;\n"
    "    while (is_same && !is_over) {\n"
    "        const bool has_first = fgets(lines[0], sizeof(lines[0]), files[0]) != NULL;\n"
    "        const bool has_second = fgets(lines[1], sizeof(lines[1]), files[1]) != NULL;\n"
    "        is_over = !has_first || !has_second;\n"
    "        is_same = has_first == has_second && (is_over || strcmp(lines[0], lines[1]) == 0);\n"
    "        tick = has_first ? strtol(lines[0], NULL, 10) : tick;\n"
    "    }\n"
    "    int ends[2];\n"
    "    for (int i = 0; i < 2; i++) {\n"
    "        const int end = pclose(files[i]);\n"
    "        ends[i] = WIFEXITED(end) ? WEXITSTATUS(end) : DIFFERS;\n"
    "    }\n"
    "    if (ends[0] == SKIPPED || ends[1] == SKIPPED) {\n"
    "        printf(\"skipped: the recording cannot be played with this game\\n\");\n"
    "        return SKIPPED;\n"
    "    }\n"
    "    if (!is_same || tick < UNTIL) {\n"
    "        printf(\"FAILED: from tick %ld on the state is another \" WAY \"\\n\", tick);\n"
    "        return DIFFERS;\n"
    "    }\n"
    "    if (ends[0] != 0 || ends[1] != 0) {\n"
    "        printf(\"FAILED: it cannot be stepped to its end\\n\");\n"
    "        return DIFFERS;\n"
    "    }\n"
    "    printf(\"passed: %ld ticks come to the same states \" WAY \"\\n\", tick);\n"
    "    return 0;\n"
    "}\n";

// ---- choice of the kind of C test ----

/// Kind of C test: the way in which its second process differs from the first.
typedef struct test_kind {
    doctor_means means;
    const char *change; ///< variant of `bks check` that proved the cause, NULL: any variant
    /// Description of how the second process differs from the first.
    const char *how;
    const char *include; ///< #include line for the test's source, "": none
    const char *game;    ///< source of the functions that find the game
    const char *start;   ///< shell words in front of the second process's program, as a C string
    const char *begin;   ///< C source of begin_second(), with which the second process begins
} test_kind;

static const test_kind kinds[] = {
    {DOCTOR_BY_ROLLBACKS, NULL, "with the rollbacks that were recorded", "", linked_build, "\"\"",
     no_change},
    {DOCTOR_BY_CHANGE, "build", "by the other build", "#include <dlfcn.h>\n", two_builds, "\"\"",
     no_change},
    {DOCTOR_BY_CHANGE, "world", "in another folder, home, locale and time zone",
     "#include <locale.h>\n", linked_build,
     "\"env -i HOME=/none USER=none TZ=XYZ-12:45 LD_LIBRARY_PATH=\\\"$LD_LIBRARY_PATH\\\" \" \\\n"
     "    \"LOCPATH=\\\"$LOCPATH\\\" \"",
     other_world},
    {DOCTOR_BY_CHANGE, "cpu", "with the C library's mathematics for a lesser processor", "",
     linked_build, "\"env GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4 \"", no_change},
};

// Return the kind of C test that shows the proven fault. NULL if only bks itself can show the
// fault.
static const test_kind *find_kind(const doctor_case *c)
{
    const doctor_proof *proof = &c->verdict.proof;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (kinds[i].means == proof->means &&
            (kinds[i].change == NULL || strcmp(kinds[i].change, proof->change) == 0)) {
            return &kinds[i];
        }
    }
    return NULL;
}

static bool is_of_builds(const test_kind *kind)
{
    return kind->game == two_builds;
}

static const char *why_none(const doctor_case *c)
{
    switch (c->verdict.proof.means) {
    case DOCTOR_BY_FILES:
        return "what differs is what the files say, not the game";
    case DOCTOR_BY_ANSWERS:
        return "another machine makes the difference, and no change that is known here";
    case DOCTOR_BY_BIT:
        return "no code of the game turned the bit";
    default:
        return "bks alone can make this change: keep the command instead";
    }
}

// ---- command that builds the C test ----

// Find the headers and the library in the build tree that this program belongs to.
// @return false if this program is installed; the test is then built with pkg-config
static bool find_library(char include[PATH_MAX], char library[PATH_MAX])
{
    char header[PATH_MAX + 64];
    const char *program = tool_program_path();
    const char *slash = strrchr(program, '/');
    const int length = slash != NULL ? (int)(slash - program) : 0;
    (void)snprintf(header, sizeof(header), "%.*s/../../include", length, program);
    if (realpath(header, include) == NULL) {
        return false;
    }
    (void)snprintf(library, PATH_MAX, "%.*s/src/libbackstitch.a", length, program);
    (void)snprintf(header, sizeof(header), "%s/backstitch/replay.h", include);
    return access(header, R_OK) == 0 && access(library, R_OK) == 0;
}

static void add(char out[DOCTOR_C_TEST_COMMAND_BYTES], const char *text)
{
    const size_t used = strlen(out);
    (void)snprintf(out + used, DOCTOR_C_TEST_COMMAND_BYTES - used, "%s", text);
}

static void add_word(char out[DOCTOR_C_TEST_COMMAND_BYTES], const char *before, const char *word)
{
    char quoted[2 * PATH_MAX];
    quoted[shell_word_quote(word, quoted, sizeof(quoted) - 1)] = '\0';
    add(out, before);
    add(out, quoted);
}

void doctor_c_test_command(const doctor_case *c, char out[DOCTOR_C_TEST_COMMAND_BYTES])
{
    char include[PATH_MAX];
    char library[PATH_MAX];
    char program[DOCTOR_PATH_BYTES];
    char plugin[DOCTOR_PATH_BYTES];
    const test_kind *kind = find_kind(c);
    out[0] = '\0';
    if (c->c_test[0] == '\0' || kind == NULL) {
        return;
    }
    const bool is_built_here = find_library(include, library);
    (void)snprintf(program, sizeof(program), "%.*s", (int)strlen(c->c_test) - 2, c->c_test);
    add_word(out, "cc -std=c17 -o ", program);
    add_word(out, " ", c->c_test);
    if (is_built_here) {
        add_word(out, " -I", include);
        add_word(out, " ", library);
    } else {
        add(out, " $(pkg-config --cflags --libs backstitch)");
    }
    // Link the game after the library, so that the game uses the library's functions.
    if (!is_of_builds(kind)) {
        // A name without a slash would make the system's loader search its own folders, so put "./"
        // before it.
        (void)snprintf(plugin, sizeof(plugin), "%s%s",
                       strchr(c->game.path, '/') == NULL ? "./" : "", c->game.path);
        add_word(out, " ", plugin);
    }
    add(out, is_built_here ? " -lxxhash -lzstd -lsodium -lm" : "");
    add_word(out, " && ", program);
}

// ---- writing the C test's source ----

// Write text, escaped for a C comment or for a string.
static void write_escaped(FILE *out, const char *text, bool is_quoted)
{
    for (const char *at = text; *at != '\0'; at++) {
        const bool is_plain = (unsigned char)*at >= ' ' && *at != 0x7f;
        if (is_quoted && !is_plain) {
            fprintf(out, "\\%03o", (unsigned)(unsigned char)*at);
        } else if (is_quoted && (*at == '"' || *at == '\\' || *at == '?')) { // ? begins trigraphs
            fprintf(out, "\\%c", *at);
        } else {
            fputc(is_plain ? *at : ' ', out);
        }
    }
}

static void write_macro(FILE *out, const char *name, const char *text)
{
    fprintf(out, "#ifndef %s\n#define %s \"", name, name);
    write_escaped(out, text, true);
    fputs("\"\n#endif\n", out);
}

static void write_head(FILE *out, const doctor_case *c, const test_kind *kind)
{
    char command[DOCTOR_C_TEST_COMMAND_BYTES];
    const doctor_verdict *v = &c->verdict;
    doctor_c_test_command(c, command);
    fputs("// A test of the game ", out);
    write_escaped(out, c->game.game->name, false);
    fputs(", written by bks doctor, which found:\n//\n//     ", out);
    write_escaped(out, v->cause, false);
    fputs(": ", out);
    write_escaped(out, v->value.place.name[0] != '\0' ? v->value.place.name : "the state", false);
    fprintf(out, " differs at tick %" PRId32 ", mark ", v->tick);
    write_escaped(out, v->mark, false);
    fprintf(out,
            "\n//\n// A recording is stepped in two processes, in the second %s.\n"
            "// Both must come to the same states. This builds and runs it:\n//\n//     ",
            kind->how);
    write_escaped(out, command, false);
    fputs("\n//\n// The game's own objects do as well as its plug-in. Exit status 0: they come to "
          "the same\n"
          "// states; 1: they do not; 77: the recording cannot be played, as when the mended game "
          "keeps\n"
          "// other things in a state that the recording begins with.\n\n",
          out);
}

static void write_macros(FILE *out, const doctor_case *c, const test_kind *kind)
{
    const bool has_rollbacks = kind->means == DOCTOR_BY_ROLLBACKS;
    const int side = has_rollbacks && !c->verdict.proof.is_rolled[0] ? 1 : 0;
    fputs("\n", out);
    write_macro(out, "RECORDING",
                c->shortened_first != BKS_TICK_NONE ? c->shortened[side]
                                                    : c->sides[side].file.path);
    if (is_of_builds(kind)) {
        write_macro(out, "GAME", c->game.path);
        write_macro(out, "OTHER", c->build);
    }
    fprintf(out,
            "\n#define WAY \"%s\"\n#define UNTIL %" PRId32
            " // the tick whose states differed\n#define SECOND_PERSPECTIVE BKS_PERSPECTIVE_%s\n"
            "#define SECOND %s\n",
            kind->how, c->hash_tick, has_rollbacks ? "RECORDER" : "REFERENCE", kind->start);
}

static bool write_file(const doctor_case *c, const test_kind *kind)
{
    FILE *out = fopen(c->c_test, "wx");
    if (out == NULL) {
        return false;
    }
    write_head(out, c, kind);
    fputs(includes, out);
    fputs(kind->include, out);
    write_macros(out, c, kind);
    fputs(open_file, out);
    fputs(kind->game, out);
    fputs(kind->begin, out);
    fputs(process, out);
    fputs(comparison, out);
    const bool is_good = !ferror(out);
    return fclose(out) == 0 && is_good;
}

// ---- writing the C test's file ----

int doctor_c_test_check(doctor_case *c, const char *folder)
{
    const int length = snprintf(c->c_test, sizeof(c->c_test), "%s/test.c", folder);
    if (length >= (int)sizeof(c->c_test) || access(c->c_test, F_OK) == 0) {
        tool_complain(c->c_test, "is there already, expected a folder without it");
        return TOOL_MISUSE;
    }
    return TOOL_OK;
}

int doctor_c_test_write(doctor_case *c, const char *folder)
{
    const test_kind *kind = find_kind(c);
    if (!c->verdict.is_proven || c->verdict.is_same || kind == NULL) {
        if (c->verdict.is_proven) {
            doctor_note_shortening(c, "no C test is written: %s", why_none(c));
        }
        c->c_test[0] = '\0';
        return TOOL_OK;
    }
    (void)mkdir(folder, 0777);
    if (!write_file(c, kind)) {
        tool_complain(c->c_test, "cannot be written: %s", strerror(errno));
        c->c_test[0] = '\0';
        return TOOL_DAMAGED;
    }
    return TOOL_OK;
}
