// SPDX-License-Identifier: MIT

#include "diagnose/processes/check_suspects.h"
#include "backstitch/toolkit/writer.h"

#include <string.h>

const char *const check_suspects[] = {
    // time
    "time", "clock", "clock_gettime", "gettimeofday", "timespec_get", "ftime", "times", "localtime",
    "localtime_r", "mktime", "strftime", "nanosleep", "clock_nanosleep", "usleep", "sleep",
    "_ZNSt6chrono3_V212system_clock3nowEv", "_ZNSt6chrono3_V212steady_clock3nowEv",
    // chance
    "rand", "rand_r", "srand", "random", "random_r", "srandom", "drand48", "erand48", "lrand48",
    "nrand48", "mrand48", "jrand48", "arc4random", "arc4random_uniform", "arc4random_buf",
    "getrandom", "getentropy", "_ZNSt13random_device9_M_getvalEv",
    // surroundings
    "getenv", "secure_getenv", "getcwd", "gethostname", "uname", "getpid", "getppid", "gettid",
    "getuid", "geteuid", "getlogin", "getpwuid", "getpwuid_r", "getrusage", "sysinfo", "get_nprocs",
    "get_nprocs_conf", "sysconf", "pathconf", "sched_getcpu", "sched_getaffinity",
    // files
    "fopen", "freopen", "fdopen", "open", "openat", "open_2", "openat_2", "read", "pread", "readv",
    "fread", "fread_unlocked", "fgets", "fgetc", "getc", "getline", "fscanf", "stat", "fstat",
    "lstat", "fstatat", "xstat", "fxstat", "lxstat", "statx", "access", "faccessat", "opendir",
    "readdir", "scandir", "glob", "ftw", "nftw", "readlink", "realpath",
    "_ZNSt13basic_filebufIcSt11char_traitsIcEE4openEPKcSt13_Ios_Openmode",
    // networks
    "socket", "connect", "accept", "accept4", "recv", "recvfrom", "recvmsg", "poll", "ppoll",
    "select", "epoll_wait", "getaddrinfo", "gethostbyname", "getifaddrs",
    // locale
    "setlocale", "localeconv", "nl_langinfo", "strcoll", "strxfrm", "wcscoll", "strtod", "strtof",
    "strtold", "atof", "toupper", "tolower",
    // threads
    "pthread_self", "pthread_create", "thrd_create", "thrd_current", "pthread_mutex_trylock",
    "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE",
    // settings of the processor
    "fesetround", "fesetenv", "feupdateenv", "fesetexceptflag", "feenableexcept", "fedisableexcept",
    // what comes of equal keys
    "qsort", "qsort_r", "bsearch"};

const uint32_t check_suspect_count = sizeof(check_suspects) / sizeof(check_suspects[0]);

// acceptance.checking compares it with a plug-in that carries the whole library.
const check_library_part check_library_parts[] = {
    {"bksi_log_stderr", {"time"}},
    {"bksi_pages_alloc", {"sysconf"}},
    {"bks_input_quantise", {"atan2"}},
    {"bks_threads_create", {"pthread_create", "pthread_mutex_trylock"}},
    {"bksi_system_random", {"clock_gettime", "getrandom", "nanosleep"}},
    {"bksi_identity_file_open", {"open", "pread", "fstat"}},
    {"bks_record_file_open",
     {"time", "localtime_r", "strftime", "getpid", "open", "read", "fstat"}},
    {"bks_udp_open", {"clock_gettime", "socket", "recvmsg", "ppoll", "getaddrinfo", "getifaddrs"}},
    {"bksi_host_probe_open", {"socket", "connect", "recv"}},
    {"bksi_machine_describe", {"uname", "setlocale"}},
};

const uint32_t check_library_part_count =
    sizeof(check_library_parts) / sizeof(check_library_parts[0]);

// Whether a text is `name`, or that with a size behind it: open64, sinf32x.
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

bool check_suspect_is(const char *symbol, const char *name)
{
    static const char *const before[] = {"isoc99_", "isoc23_"};
    static const char *const behind[] = {"_chk", "_finite"};
    const char *text = symbol;
    if (strncmp(text, "_ZGV", 4) == 0) { // _ZGVdN4v_sinf
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
