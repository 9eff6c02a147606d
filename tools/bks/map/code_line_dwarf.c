// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "map/code_line.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/process.h"

/// Find the compilation unit of an address.
/// @param out_bias  receives the difference between the module's addresses and those in its debug
///                  information
/// @return NULL: no unit has the address
static Dwarf_Die *code_unit_find(Dwfl_Module *module, Dwarf_Addr address, Dwarf_Addr *out_bias)
{
    Dwarf_Die *unit = NULL;
    while ((unit = dwfl_module_nextcu(module, unit, out_bias)) != NULL) {
        if (dwarf_haspc(unit, address - *out_bias) == 1) {
            return unit;
        }
    }
    return NULL;
}

/// Find the source line of an address.
/// @param out_line  receives the number of the line, from 1
/// @return path of the file as the compiler wrote it, NULL: not known
static const char *code_unit_line(Dwfl_Module *module, Dwarf_Addr address, int *out_line)
{
    Dwarf_Addr bias = 0;
    Dwarf_Die *unit = code_unit_find(module, address, &bias);
    Dwarf_Line *line = unit != NULL ? dwarf_getsrc_die(unit, address - bias) : NULL;
    const char *file = line != NULL ? dwarf_linesrc(line, NULL, NULL) : NULL;
    return file != NULL && dwarf_lineno(line, out_line) == 0 && *out_line > 0 ? file : NULL;
}

/// Return true if a compilation unit defines an external function of a wanted name.
static bool code_unit_defines(Dwarf_Die *unit, bool (*is_wanted)(const char *name))
{
    Dwarf_Die child;
    for (int found = dwarf_child(unit, &child); found == 0;
         found = dwarf_siblingof(&child, &child)) {
        const char *name = dwarf_tag(&child) == DW_TAG_subprogram ? dwarf_diename(&child) : NULL;
        if (name != NULL && dwarf_hasattr(&child, DW_AT_external) &&
            !dwarf_hasattr(&child, DW_AT_declaration) && is_wanted(name)) {
            return true;
        }
    }
    return false;
}

enum { FRAMES_MAX = 256, GAME_FRAMES_MAX = 64, REGISTERS = 17 };

typedef struct unwinding {
    pid_t process;
    const code_frame *frame;
    Dwfl_Module *game;
    uint32_t seen;
    uint32_t count; // stack frames within the game, from the innermost on
    Dwarf_Addr addresses[GAME_FRAMES_MAX];
} unwinding;

// ---- collecting the stack frames of a thread ----

static pid_t next_thread(Dwfl *dwfl, void *context, void **thread)
{
    (void)dwfl;
    unwinding *u = context;
    if (*thread != NULL) {
        return 0;
    }
    *thread = u;
    return u->process;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *out, void *context)
{
    (void)dwfl;
    const unwinding *u = context;
    const code_frame *f = u->frame;
    if (address >= f->stack_begin && address - f->stack_begin + sizeof(*out) <= f->stack_count) {
        memcpy(out, f->stack + (address - f->stack_begin), sizeof(*out));
        return true;
    }
    return process_read(u->process, address, out, sizeof(*out)) == sizeof(*out);
}

static bool set_registers(Dwfl_Thread *thread, void *context)
{
    const unwinding *u = context;
    Dwarf_Word registers[REGISTERS];
    for (int i = 0; i < REGISTERS; i++) {
        registers[i] = u->frame->registers[i];
    }
    return dwfl_thread_state_registers(thread, 0, REGISTERS, registers);
}

static int take_frame(Dwfl_Frame *state, void *context)
{
    unwinding *u = context;
    Dwarf_Addr pc = 0;
    bool is_activation = false;
    if (!dwfl_frame_pc(state, &pc, &is_activation) || u->seen++ == FRAMES_MAX) {
        return DWARF_CB_ABORT;
    }
    const bool is_first = u->seen == 1;
    pc -= (is_first ? u->frame->is_behind : !is_activation) ? 1 : 0;
    const bool is_game = dwfl_addrmodule(dwfl_thread_dwfl(dwfl_frame_thread(state)), pc) == u->game;
    if (!is_game) {
        // The stack frame is of the program that called the game. Skip it, or stop if it comes
        // after frames of the game.
        return u->count > 0 ? DWARF_CB_ABORT : DWARF_CB_OK;
    }
    u->addresses[u->count++] = pc;
    return u->count < GAME_FRAMES_MAX ? DWARF_CB_OK : DWARF_CB_ABORT;
}

static bool is_library(const char *name)
{
    return name != NULL && (strncmp(name, "bks_", 4) == 0 || strncmp(name, "bksi_", 5) == 0);
}

// Return true if the library exports a name. A game exports some names through BKS_PLUGIN_EXPORT.
static bool is_exported_by_library(const char *name)
{
    return is_library(name) && strncmp(name, "bks_plugin_", 11) != 0;
}

// ---- finding the line of an address ----

static void set_line(code_line *out, const char *path, int line)
{
    const char *slash = strrchr(path, '/');
    (void)snprintf(out->line, sizeof(out->line), "%.100s:%d", slash != NULL ? slash + 1 : path,
                   line);
    (void)snprintf(out->path, sizeof(out->path), "%s", path);
}

// Set the line to the one that calls an inlined function.
static void set_call(code_line *out, Dwarf_Die *unit, Dwarf_Die *call)
{
    Dwarf_Attribute attribute;
    Dwarf_Word file = 0;
    Dwarf_Word line = 0;
    Dwarf_Files *files = NULL;
    size_t count = 0;
    if (dwarf_formudata(dwarf_attr(call, DW_AT_call_file, &attribute), &file) == 0 &&
        dwarf_formudata(dwarf_attr(call, DW_AT_call_line, &attribute), &line) == 0 &&
        dwarf_getsrcfiles(unit, &files, &count) == 0 && file < count) {
        const char *path = dwarf_filesrc(files, file, NULL, NULL);
        if (path != NULL) {
            set_line(out, path, (int)line);
        }
    }
}

static const char *name_scope(Dwarf_Die *scope)
{
    Dwarf_Attribute attribute;
    return dwarf_formstring(dwarf_attr_integrate(scope, DW_AT_name, &attribute));
}

// Return true if a file came with the system or a compiler: a fortified memcpy, std::sort.
static bool is_of_system(const char *path)
{
    static const char *const folders[] = {"/usr/include/", "/usr/lib", "/usr/local/include/",
                                          "/rustc/"};
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        if (strncmp(path, folders[i], strlen(folders[i])) == 0) {
            return true;
        }
    }
    // Only the end of the path is tested, because a compiler may be installed in any folder.
    return strstr(path, "/include/c++/") != NULL;
}

// Find the function of an address, which may be inlined. If it is an inlined function of the
// library or the system, take the function and the line that call it.
static void find_function(Dwfl_Module *game, Dwarf_Addr address, code_line *out)
{
    Dwarf_Addr bias = 0;
    Dwarf_Die *unit = code_unit_find(game, address, &bias);
    Dwarf_Die *innermost = NULL;
    Dwarf_Die *scopes = NULL;
    int count = unit != NULL ? dwarf_getscopes(unit, address - bias, &innermost) : 0;
    // For an inlined function, use the scopes around the place where it is called, not where it is
    // written.
    count = count > 0 ? dwarf_getscopes_die(innermost, &scopes) : 0;
    free(innermost);
    for (int i = 0; i < count; i++) {
        const int tag = dwarf_tag(&scopes[i]);
        if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) {
            continue;
        }
        const char *name = name_scope(&scopes[i]);
        if (tag == DW_TAG_inlined_subroutine && (is_library(name) || is_of_system(out->path))) {
            set_call(out, unit, &scopes[i]);
            continue;
        }
        (void)snprintf(out->function, sizeof(out->function), "%s", name != NULL ? name : "");
        break;
    }
    free(scopes);
}

static void read_text(code_line *out)
{
    char line[512];
    const char *colon = strrchr(out->line, ':');
    FILE *file = colon != NULL ? fopen(out->path, "re") : NULL;
    if (file == NULL) {
        return;
    }
    bool is_read = false;
    for (long left = strtol(colon + 1, NULL, 10); left > 0; left--) {
        is_read = fgets(line, sizeof(line), file) != NULL;
        if (!is_read) {
            break;
        }
    }
    if (is_read) {
        const char *text = line + strspn(line, " \t");
        (void)snprintf(out->text, sizeof(out->text), "%.*s", (int)strcspn(text, "\r\n"), text);
    }
    (void)fclose(file);
}

static void describe(Dwfl_Module *game, Dwarf_Addr address, code_line *out)
{
    int line = 0;
    const char *path = code_unit_line(game, address, &line);
    if (path == NULL) {
        const char *name = dwfl_module_addrname(game, address);
        (void)snprintf(out->function, sizeof(out->function), "%s", name != NULL ? name : "");
        (void)snprintf(out->why, sizeof(out->why),
                       "the plug-in has no lines in its debug information, expected a build "
                       "with -g");
        return;
    }
    set_line(out, path, line);
    find_function(game, address, out);
    read_text(out);
}

// Return true if a stack frame is of the library, which the plug-in contains. The library's static
// functions have no prefix, all others have bks_ or bksi_. So all functions of a source file count
// as the library's if a function of the file that is not static has one of these prefixes.
static bool is_frame_of_library(const unwinding *u, Dwarf_Addr address)
{
    Dwarf_Addr bias = 0;
    Dwarf_Die *unit = code_unit_find(u->game, address, &bias);
    return is_library(dwfl_module_addrname(u->game, address)) ||
           (unit != NULL && code_unit_defines(unit, is_exported_by_library));
}

// Describe the innermost frame of the game's own code. Code of the library and of system headers is
// skipped, because its caller is responsible. If no frame of the game has a line, describe the
// innermost frame that the library did not call, directly or indirectly.
// @return false: there is no such frame
static bool describe_frame(const unwinding *u, code_line *out)
{
    bool has_any = false;
    for (uint32_t i = 0; i < u->count; i++) {
        code_line line = {0};
        if (is_frame_of_library(u, u->addresses[i])) {
            has_any = false;
            continue;
        }
        describe(u->game, u->addresses[i], &line);
        const bool is_own = line.line[0] != '\0' && !is_of_system(line.path);
        if (is_own || !has_any) {
            *out = line;
        }
        has_any = true;
        if (is_own) {
            break;
        }
    }
    return has_any;
}

// Read the modules of a process.
// @return NULL on failure; out->why has the reason
static Dwfl *begin(pid_t process, code_line *out)
{
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_linux_proc_find_elf,
                                             .find_debuginfo = dwfl_standard_find_debuginfo};
    Dwfl *dwfl = dwfl_begin(&callbacks);
    if (dwfl == NULL || dwfl_linux_proc_report(dwfl, process) != 0 ||
        dwfl_report_end(dwfl, NULL, NULL) != 0) {
        (void)snprintf(out->why, sizeof(out->why), "libdw: %.120s", dwfl_errmsg(-1));
        dwfl_end(dwfl);
        return NULL;
    }
    return dwfl;
}

void code_line_find(pid_t process, uint64_t address, code_line *out)
{
    Dwfl *dwfl = begin(process, out);
    Dwfl_Module *module = dwfl != NULL ? dwfl_addrmodule(dwfl, address) : NULL;
    if (module != NULL) {
        describe(module, address, out);
    } else if (dwfl != NULL) {
        (void)snprintf(out->why, sizeof(out->why), "no code of the process lies there");
    }
    dwfl_end(dwfl);
}

void code_line_unwind(pid_t process, const code_frame *frame, uint64_t code, code_line *out)
{
    static const Dwfl_Thread_Callbacks threads = {.next_thread = next_thread,
                                                  .memory_read = read_memory,
                                                  .set_initial_registers = set_registers};
    unwinding u = {.process = process, .frame = frame};
    Dwfl *dwfl = begin(process, out);
    if (dwfl == NULL) {
        return;
    }
    u.game = dwfl_addrmodule(dwfl, code);
    if (u.game == NULL || !dwfl_attach_state(dwfl, NULL, process, &threads, &u)) {
        (void)snprintf(out->why, sizeof(out->why), "libdw: %.120s", dwfl_errmsg(-1));
        dwfl_end(dwfl);
        return;
    }
    (void)dwfl_getthread_frames(dwfl, process, take_frame, &u);
    if (!describe_frame(&u, out)) {
        (void)snprintf(out->why, sizeof(out->why),
                       "no frame of the game was found on the stack of what wrote it");
    }
    dwfl_end(dwfl);
}
