// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "diagnose/processes/check_imports.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef _WIN32
#include <dlfcn.h>
#endif
#ifdef BKS_HAVE_LIBELF
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <link.h>
#include <unistd.h>
#endif

// ---- mathematical functions of the C library ----

// Names of the forms of a function for double, float and long double.
#define FORMS(NAME) NAME, NAME "f", NAME "l"

// Names of all functions of libm whose results may differ between libraries, including complex
// functions. Not listed are functions that IEEE 754 defines exactly: sqrt, fma, fmod, remainder,
// rounding, and functions that split numbers.
const char *const check_mathematics_names[CHECK_MATHEMATICS] = {
    FORMS("sin"),       FORMS("cos"),     FORMS("tan"),     FORMS("sincos"), FORMS("asin"),
    FORMS("acos"),      FORMS("atan"),    FORMS("atan2"),   FORMS("sinh"),   FORMS("cosh"),
    FORMS("tanh"),      FORMS("asinh"),   FORMS("acosh"),   FORMS("atanh"),  FORMS("exp"),
    FORMS("exp2"),      FORMS("exp10"),   FORMS("expm1"),   FORMS("log"),    FORMS("log2"),
    FORMS("log10"),     FORMS("log1p"),   FORMS("pow"),     FORMS("cbrt"),   FORMS("hypot"),
    FORMS("erf"),       FORMS("erfc"),    FORMS("lgamma"),  FORMS("tgamma"), FORMS("gamma"),
    FORMS("j0"),        FORMS("j1"),      FORMS("jn"),      FORMS("y0"),     FORMS("y1"),
    FORMS("yn"),        FORMS("sinpi"),   FORMS("cospi"),   FORMS("tanpi"),  FORMS("asinpi"),
    FORMS("acospi"),    FORMS("atanpi"),  FORMS("atan2pi"), FORMS("exp2m1"), FORMS("exp10m1"),
    FORMS("log2p1"),    FORMS("log10p1"), FORMS("logp1"),   FORMS("pown"),   FORMS("powr"),
    FORMS("compoundn"), FORMS("rootn"),   FORMS("rsqrt"),   FORMS("cabs"),   FORMS("carg"),
    FORMS("csqrt"),     FORMS("cexp"),    FORMS("clog"),    FORMS("clog10"), FORMS("cpow"),
    FORMS("csin"),      FORMS("ccos"),    FORMS("ctan"),    FORMS("casin"),  FORMS("cacos"),
    FORMS("catan"),     FORMS("csinh"),   FORMS("ccosh"),   FORMS("ctanh"),  FORMS("casinh"),
    FORMS("cacosh"),    FORMS("catanh"),  "lgamma_r",       "lgammaf_r",     "lgammal_r",
};

bool check_imports_is_mathematics(const char *name)
{
    for (uint32_t i = 0; i < CHECK_MATHEMATICS; i++) {
        if (strcmp(check_mathematics_names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

#ifdef _WIN32

void check_mathematics_find(uint64_t out[CHECK_MATHEMATICS])
{
    memset(out, 0, CHECK_MATHEMATICS * sizeof(*out));
}

#else

void check_mathematics_find(uint64_t out[CHECK_MATHEMATICS])
{
    for (uint32_t i = 0; i < CHECK_MATHEMATICS; i++) {
        const void *function = dlsym(RTLD_DEFAULT, check_mathematics_names[i]);
        Dl_info library;
        out[i] = function != NULL && dladdr(function, &library) != 0
                     ? (uint64_t)((uintptr_t)function - (uintptr_t)library.dli_fbase)
                     : 0;
    }
}

#endif

// ---- imports of a plug-in ----

#ifdef BKS_HAVE_LIBELF

/// Part of Backstitch: a symbol that it defines, and the suspicious functions that it calls.
typedef struct library_part {
    const char *symbol;
    const char *calls[10]; ///< names of functions, then NULL
} library_part;

/// Functions that no deterministic step should call, except for mathematics. Some change of
/// `bks check` or `bks doctor` varies what they tell, or their order.
static const char *const varied[] = {
    // functions that tell or wait for time
    "time", "clock", "clock_gettime", "gettimeofday", "timespec_get", "ftime", "times", "localtime",
    "localtime_r", "mktime", "strftime", "nanosleep", "clock_nanosleep", "usleep", "sleep",
    "_ZNSt6chrono3_V212system_clock3nowEv", "_ZNSt6chrono3_V212steady_clock3nowEv",
    // functions that give random numbers
    "rand", "rand_r", "srand", "random", "random_r", "srandom", "drand48", "erand48", "lrand48",
    "nrand48", "mrand48", "jrand48", "arc4random", "arc4random_uniform", "arc4random_buf",
    "getrandom", "getentropy", "_ZNSt13random_device9_M_getvalEv",
    // functions that tell about the process
    "getpid", "getppid", "gettid",
    // functions whose results depend on the locale
    "setlocale", "localeconv", "nl_langinfo", "strcoll", "strxfrm", "wcscoll", "strtod", "strtof",
    "strtold", "atof", "toupper", "tolower",
    // functions that start or identify threads, or tell whether another thread holds a lock
    "pthread_self", "pthread_create", "thrd_create", "thrd_current", "pthread_mutex_trylock",
    "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE",
    // functions that change the processor's floating-point settings
    "fesetround", "fesetenv", "feupdateenv", "fesetexceptflag", "feenableexcept", "fedisableexcept",
    // functions that sort and search, which leave the order of equal keys open
    "qsort", "qsort_r", "bsearch"};

// Names of functions that tell the number of processors.
#define PROCESSORS "get_nprocs", "get_nprocs_conf", "sysconf", "sched_getaffinity"

// Functions of C++ that open a file.
static const char opens_filebuf[] =
    "_ZNSt13basic_filebufIcSt11char_traitsIcEE4openEPKcSt13_Ios_Openmode";
static const char opens_by_chars[] =
    "_ZNSt14basic_ifstreamIcSt11char_traitsIcEEC1EPKcSt13_Ios_Openmode";
static const char opens_by_string[] =
    "_ZNSt14basic_ifstreamIcSt11char_traitsIcEEC1ERKNSt7__cxx1112basic_stringIcS1_SaIcEEESt13_"
    "Ios_Openmode";

/// Functions that no deterministic step should call either, and that may tell another machine what
/// no change tells here. The first is an instruction.
static const char *const unvaried[] = {
    CHECK_COUNTER_OF_CYCLES,
    // functions that tell about environment, user and machine
    "getenv", "secure_getenv", "getcwd", "gethostname", "uname", "getuid", "geteuid", "getlogin",
    "getpwuid", "getpwuid_r", "getrusage", "sysinfo", "pathconf", "sched_getcpu",
    // functions that read files and folders
    "fopen", "freopen", "fdopen", "open", "openat", "open_2", "openat_2", "read", "pread", "readv",
    "fread", "fread_unlocked", "fgets", "fgets_unlocked", "fgetc", "getc", "getc_unlocked",
    "getline", "getdelim", "fscanf", "mmap", "ioctl", "dlopen", "stat", "fstat", "lstat", "fstatat",
    "xstat", "fxstat", "lxstat", "statx", "access", "faccessat", "opendir", "readdir", "scandir",
    "glob", "ftw", "nftw", "readlink", "realpath", opens_filebuf, opens_by_chars, opens_by_string,
    // functions that ask the system or another program in other ways
    "syscall", "system", "popen", "fork", "vfork", "posix_spawn", "execve",
    // functions that use networks
    "socket", "connect", "accept", "accept4", "recv", "recvfrom", "recvmsg", "poll", "ppoll",
    "select", "epoll_wait", "getaddrinfo", "gethostbyname", "getifaddrs",
    // functions that tell the number of processors: the change of the cause threads varies it
    PROCESSORS};

enum {
    VARIED = sizeof(varied) / sizeof(varied[0]),
    UNVARIED = sizeof(unvaried) / sizeof(unvaried[0])
};

// Parts of Backstitch that call suspicious functions. The test acceptance.checking compares this
// table with a plug-in that contains all of Backstitch.
static const library_part library_parts[] = {
    {"bksi_log_stderr", {"time"}},
    {"bksi_pages_alloc", {"sysconf", "mmap"}},
    {"bksi_thread_number", {"syscall"}},
    {"bks_input_quantise", {"atan2"}},
    {"bks_threads_create", {"pthread_create", "pthread_mutex_trylock"}},
    {"bksi_system_random", {"clock_gettime", "getrandom", "nanosleep"}},
    {"bksi_identity_file_open", {"open", "pread", "fstat", "geteuid"}},
    {"bks_record_file_open",
     {"time", "localtime_r", "strftime", "getpid", "open", "read", "fstat"}},
    {"bks_udp_open", {"clock_gettime", "socket", "recvmsg", "ppoll", "getaddrinfo", "getifaddrs"}},
    {"bksi_host_probe_open", {"socket", "connect", "recv"}},
    {"bksi_machine_describe", {"uname", "setlocale"}},
};

enum { LIBRARY_PARTS = sizeof(library_parts) / sizeof(library_parts[0]) };

// Return true if a text is a given name, alone or followed by a size: open64, sinf32x.
static bool is_name(const char *text, size_t count, const char *name)
{
    static const char *const sizes[] = {"", "64", "32", "128", "32x", "64x"};
    const size_t length = strlen(name);
    if (count < length || strncmp(text, name, length) != 0) {
        return false;
    }
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        if (count - length == strlen(sizes[i]) &&
            strncmp(text + length, sizes[i], count - length) == 0) {
            return true;
        }
    }
    return false;
}

// The forms in the C library are: checked (__read_chk), of a standard (__isoc99_fscanf), for large
// files (open64), for vectors.
bool check_imports_is(const char *symbol, const char *name)
{
    static const char *const before[] = {"isoc99_", "isoc23_"};
    static const char *const behind[] = {"_chk", "_finite"};
    const char *text = symbol;
    if (strncmp(text, "_ZGV", 4) == 0) { // a vector form, such as _ZGVdN4v_sinf
        const char *scalar = strchr(text, '_') != NULL ? strchr(text + 1, '_') : NULL;
        text = scalar != NULL ? scalar + 1 : text;
    }
    if (strncmp(text, "__", 2) != 0) {
        return is_name(text, strlen(text), name);
    }
    text += 2;
    for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
        const size_t length = strlen(before[i]);
        text += strncmp(text, before[i], length) == 0 ? length : 0;
    }
    size_t count = strlen(text);
    for (size_t i = 0; i < sizeof(behind) / sizeof(behind[0]); i++) {
        const size_t length = strlen(behind[i]);
        count -= count > length && strcmp(text + count - length, behind[i]) == 0 ? length : 0;
    }
    return is_name(text, count, name);
}

/// OBJECTS_MAX: most libraries that a plug-in may need. PATH_BYTES: most bytes of a library's path.
enum { OBJECTS_MAX = 256, PATH_BYTES = 1024 };

// Libraries that a plug-in needs, directly or through other libraries.
typedef struct objects {
    uint32_t count;
    char paths[OBJECTS_MAX][PATH_BYTES];
} objects;

// Search for function names among the symbols of a file.
typedef struct names_sought {
    const char *const *names;
    uint32_t count;
    bool *found;
    bool was_read;
    /// Bit set of the parts of Backstitch that the file contains, by index in library_parts.
    uint64_t parts;
    objects *needed; ///< receives the libraries that the file needs; may be NULL
} names_sought;

static void find_name(names_sought *sought, const char *symbol)
{
    for (uint32_t i = 0; i < sought->count; i++) {
        sought->found[i] = sought->found[i] || check_imports_is(symbol, sought->names[i]);
    }
}

static void find_part(names_sought *sought, const char *symbol)
{
    for (uint32_t i = 0; i < LIBRARY_PARTS; i++) {
        const bool is_it = strcmp(symbol, library_parts[i].symbol) == 0;
        sought->parts |= is_it ? UINT64_C(1) << i : 0;
    }
}

// Read a table of symbols: search undefined symbols for the names, and defined symbols for parts of
// Backstitch.
static void read_symbols(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, names_sought *sought)
{
    Elf_Data *data = elf_getdata(section, NULL);
    const uint64_t count = header->sh_entsize > 0 ? header->sh_size / header->sh_entsize : 0;
    for (uint64_t i = 0; data != NULL && i < count && i < INT32_MAX; i++) {
        GElf_Sym symbol;
        const char *name = gelf_getsym(data, (int)i, &symbol) != NULL
                               ? elf_strptr(elf, header->sh_link, symbol.st_name)
                               : NULL;
        if (name != NULL && symbol.st_shndx != SHN_UNDEF) {
            find_part(sought, name);
        } else if (name != NULL && header->sh_type == SHT_DYNSYM) {
            find_name(sought, name);
        }
    }
}

// Add the path of a library to `needed`, if this process has loaded the library.
static void add_object(objects *needed, const char *name)
{
    void *library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    struct link_map *loaded = NULL;
    const bool is_loaded =
        library != NULL && dlinfo(library, RTLD_DI_LINKMAP, (void *)&loaded) == 0;
    const char *path = is_loaded ? loaded->l_name : "";
    bool is_new = path[0] != '\0' && needed->count < OBJECTS_MAX;
    for (uint32_t i = 0; i < needed->count && is_new; i++) {
        is_new = strcmp(needed->paths[i], path) != 0;
    }
    if (is_new) {
        (void)snprintf(needed->paths[needed->count++], PATH_BYTES, "%s", path);
    }
    if (library != NULL) {
        (void)dlclose(library);
    }
}

// Add the libraries that a shared object needs.
static void read_needed(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, objects *needed)
{
    Elf_Data *data = elf_getdata(section, NULL);
    const uint64_t count = header->sh_entsize > 0 ? header->sh_size / header->sh_entsize : 0;
    for (uint64_t i = 0; data != NULL && i < count && i < INT32_MAX; i++) {
        GElf_Dyn entry;
        const bool is_library =
            gelf_getdyn(data, (int)i, &entry) != NULL && entry.d_tag == DT_NEEDED;
        const char *name = is_library ? elf_strptr(elf, header->sh_link, entry.d_un.d_val) : NULL;
        if (name != NULL) {
            add_object(needed, name);
        }
    }
}

static void read_file(const char *path, names_sought *sought)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    Elf *elf = file >= 0 && elf_version(EV_CURRENT) != EV_NONE
                   ? elf_begin(file, ELF_C_READ_MMAP, NULL)
                   : NULL;
    for (Elf_Scn *section = NULL; elf != NULL && (section = elf_nextscn(elf, section)) != NULL;) {
        GElf_Shdr header;
        const bool is_known = gelf_getshdr(section, &header) != NULL;
        if (is_known && (header.sh_type == SHT_DYNSYM || header.sh_type == SHT_SYMTAB)) {
            sought->was_read |= header.sh_type == SHT_DYNSYM;
            read_symbols(elf, section, &header, sought);
        }
        if (is_known && header.sh_type == SHT_DYNAMIC && sought->needed != NULL) {
            read_needed(elf, section, &header, sought->needed);
        }
    }
    (void)elf_end(elf);
    if (file >= 0) {
        (void)close(file);
    }
}

void check_imports_of(const char *path, const char *const *names, uint32_t count, bool *out_found)
{
    objects *all = calloc(1, sizeof(*all));
    names_sought sought = {.names = names, .count = count, .found = out_found, .needed = all};
    memset(out_found, 0, count * sizeof(*out_found));
    read_file(path, &sought);
    for (uint32_t i = 0; all != NULL && i < all->count; i++) {
        read_file(all->paths[i], &sought);
    }
    free(all);
}

// Return true if one of the given parts of Backstitch calls the named function.
// @param parts  bit set of parts, by index in library_parts
static bool is_called_by_library(uint64_t parts, const char *name)
{
    for (uint32_t i = 0; i < LIBRARY_PARTS; i++) {
        const char *const *call = library_parts[i].calls;
        for (; (parts >> i & 1) != 0 && *call != NULL; call++) {
            if (strcmp(*call, name) == 0) {
                return true;
            }
        }
    }
    return false;
}

uint32_t check_imports_names(const char *out[CHECK_IMPORTS_MAX])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < UNVARIED && count < CHECK_IMPORTS_MAX; i++) {
        out[count++] = unvaried[i];
    }
    for (uint32_t i = 0; i < VARIED && count < CHECK_IMPORTS_MAX; i++) {
        out[count++] = varied[i];
    }
    for (uint32_t i = 0; i < CHECK_MATHEMATICS && count < CHECK_IMPORTS_MAX; i++) {
        out[count++] = check_mathematics_names[i];
    }
    return count;
}

static bool is_of_game(const check_imports *imports, const char *name)
{
    for (uint32_t i = 0; i < imports->count; i++) {
        if (strcmp(imports->names[i], name) == 0) {
            return !imports->is_of_library[i];
        }
    }
    return false;
}

bool check_imports_is_of_processors(const char *name)
{
    static const char *const names[] = {PROCESSORS};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

const char *check_imports_unvaried(const check_imports *imports)
{
    for (uint32_t n = 0; n < UNVARIED; n++) {
        if (is_of_game(imports, unvaried[n])) {
            return unvaried[n];
        }
    }
    return NULL;
}

void check_imports_take(check_imports *imports, const check_tape *tape)
{
    const char *names[CHECK_IMPORTS_MAX];
    const uint32_t count = check_imports_names(names);
    imports->traced_ticks = tape->is_traced ? tape->result.ticks : 0;
    // The counter of cycles is no import.
    const bool reads_counter =
        tape->calls[CHECK_COUNTER_INDEX] || tape->calls_before[CHECK_COUNTER_INDEX];
    if (reads_counter && imports->count < CHECK_IMPORTS_MAX) {
        imports->is_of_library[imports->count] = false;
        imports->names[imports->count++] = names[CHECK_COUNTER_INDEX];
    }
    for (uint32_t i = 0; i < imports->count && imports->traced_ticks > 0; i++) {
        for (uint32_t n = 0; n < count; n++) {
            imports->is_uncalled[i] |= imports->names[i] == names[n] && !tape->calls[n];
        }
    }
    for (uint32_t n = 0; n < tape->call_count; n++) {
        if (is_of_game(imports, tape->called[n].function)) {
            imports->called[imports->call_count++] = tape->called[n];
        }
    }
    for (uint32_t n = 0; n < UNVARIED && imports->unvaried == NULL; n++) {
        const bool is_called = tape->calls[n] || tape->calls_before[n];
        imports->unvaried = is_called && is_of_game(imports, unvaried[n]) ? unvaried[n] : NULL;
    }
}

void check_imports_read(const char *path, check_imports *out)
{
    const char *names[CHECK_IMPORTS_MAX];
    bool found[CHECK_IMPORTS_MAX] = {false};
    names_sought sought = {.names = names, .count = check_imports_names(names), .found = found};
    *out = (check_imports){0};
    read_file(path, &sought);
    for (uint32_t i = 0; i < sought.count; i++) {
        if (found[i]) {
            out->is_of_library[out->count] = is_called_by_library(sought.parts, names[i]);
            out->names[out->count++] = names[i];
        }
    }
    if (!sought.was_read) {
        out->why = "the plug-in is no ELF file that libelf can read";
    }
}

#else

uint32_t check_imports_names(const char *out[CHECK_IMPORTS_MAX])
{
    (void)out;
    return 0;
}

bool check_imports_is(const char *symbol, const char *name)
{
    (void)symbol;
    (void)name;
    return false;
}

bool check_imports_is_of_processors(const char *name)
{
    (void)name;
    return false;
}

const char *check_imports_unvaried(const check_imports *imports)
{
    (void)imports;
    return NULL;
}

void check_imports_take(check_imports *imports, const check_tape *tape)
{
    (void)imports;
    (void)tape;
}

void check_imports_read(const char *path, check_imports *out)
{
    (void)path;
#ifdef _WIN32
    *out = (check_imports){.why = "not read on Windows: check the game on Linux for calls of sinf, "
                                  "expf and their kin of the "
                                  "C library, which come to other bits there"};
#else
    *out = (check_imports){.why = "this bks is built without libelf (libelf-dev)"};
#endif
}

void check_imports_of(const char *path, const char *const *names, uint32_t count, bool *out_found)
{
    (void)path;
    (void)names;
    memset(out_found, 0, count * sizeof(*out_found));
}

#endif
