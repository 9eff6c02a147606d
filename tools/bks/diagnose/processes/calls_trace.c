// SPDX-License-Identifier: MIT

// A plug-in calls each imported function through a pointer of its own. The trace replaces the
// pointer by the address of a piece of code that notes the caller and jumps to the function.

#define _GNU_SOURCE

#include "diagnose/processes/calls_trace.h"

#include <stddef.h>
#include <string.h>

#include "base/process.h"
#include "diagnose/processes/check_imports.h"

#if defined(__linux__) && defined(__x86_64__)

#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <ucontext.h>
#include <unistd.h>

// Code that notes a call. Its pages hold nothing else.
typedef struct call_code {
    uint8_t bytes[32];
    uint64_t site;     // address of the variable that receives where the call returns to
    uint64_t function; // address of the function
} call_code;

// Tables of a loaded plug-in.
typedef struct plugin_tables {
    uintptr_t base; // address to which the offsets in the tables are relative
    const ElfW(Sym) * symbols;
    const char *names;
    const ElfW(Rela) * moved[2]; // relocations of calls, and all others
    size_t moved_count[2];
} plugin_tables;

enum { CODES_MAX = 2 * CHECK_IMPORTS_MAX };

static struct {
    const char *names[CHECK_IMPORTS_MAX];
    uint32_t name_count;
    call_code *codes;
    uint32_t code_count;
    uint64_t sites[CHECK_IMPORTS_MAX]; // where the newest call returns to, 0: it was not called
    bool is_kept[CHECK_IMPORTS_MAX];   // true if data of the plug-in holds the function's address
    bool notes[CHECK_IMPORTS_MAX];
    struct sigaction before; // how faults were handled before
    bool has_begun;
} trace;

static bool read_tables(const void *plugin, plugin_tables *out)
{
    Dl_info info;
    void *found = NULL;
    if (dladdr1(plugin, &info, &found, RTLD_DL_LINKMAP) == 0 || found == NULL) {
        return false;
    }
    const struct link_map *map = found;
    *out = (plugin_tables){.base = map->l_addr};
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
        // Some C libraries leave these addresses relative to the base.
        const uintptr_t value = entry->d_un.d_ptr;
        const void *at = (const void *)(value < map->l_addr ? value + map->l_addr : value);
        const size_t count = entry->d_un.d_val / sizeof(ElfW(Rela));
        out->symbols = entry->d_tag == DT_SYMTAB ? at : out->symbols;
        out->names = entry->d_tag == DT_STRTAB ? at : out->names;
        out->moved[0] = entry->d_tag == DT_JMPREL ? at : out->moved[0];
        out->moved[1] = entry->d_tag == DT_RELA ? at : out->moved[1];
        out->moved_count[0] = entry->d_tag == DT_PLTRELSZ ? count : out->moved_count[0];
        out->moved_count[1] = entry->d_tag == DT_RELASZ ? count : out->moved_count[1];
    }
    return out->symbols != NULL && out->names != NULL;
}

// Append code that notes a call of the function that a pointer leads to.
static const void *add_code(uint64_t *site, uint64_t function)
{
    // endbr64; push rax; push rcx; mov rcx, [rsp+16]; mov rax, [site]; mov [rax], rcx; pop rcx;
    // pop rax; jmp [function]
    static const uint8_t bytes[] = {0xF3, 0x0F, 0x1E, 0xFA, 0x50, 0x51, 0x48, 0x8B, 0x4C, 0x24,
                                    0x10, 0x48, 0x8B, 0x05, 14,   0,    0,    0,    0x48, 0x89,
                                    0x08, 0x59, 0x58, 0xFF, 0x25, 11,   0,    0,    0};
    call_code *code = &trace.codes[trace.code_count++];
    memcpy(code->bytes, bytes, sizeof(bytes));
    code->site = (uint64_t)(uintptr_t)site;
    code->function = function;
    return code->bytes;
}

// Replace the pointer through which the plug-in calls a function.
static bool replace(uintptr_t place, uint32_t name)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uint64_t *pointer = (uint64_t *)place;
    if (trace.code_count >= CODES_MAX ||
        mprotect((void *)(place / page * page), page, PROT_READ | PROT_WRITE) != 0) {
        return false;
    }
    *pointer = (uint64_t)(uintptr_t)add_code(&trace.sites[name], *pointer);
    return true;
}

static void take(const plugin_tables *tables, const ElfW(Rela) * moved)
{
    const ElfW(Sym) *symbol = &tables->symbols[ELF64_R_SYM(moved->r_info)];
    const uint32_t type = ELF64_R_TYPE(moved->r_info);
    const bool is_function = ELF64_ST_TYPE(symbol->st_info) == STT_FUNC;
    const bool is_call = type == R_X86_64_JUMP_SLOT || (type == R_X86_64_GLOB_DAT && is_function);
    if (ELF64_R_SYM(moved->r_info) == 0 || symbol->st_shndx != SHN_UNDEF) {
        return;
    }
    for (uint32_t i = 0; i < trace.name_count; i++) {
        if (check_imports_is(tables->names + symbol->st_name, trace.names[i])) {
            trace.is_kept[i] |= !is_call || !replace(tables->base + moved->r_offset, i);
        }
    }
}

// ---- the processor's counter of cycles ----

// Length of an instruction that reads the counter; 0: it is another one.
static size_t length_of_read(const uint8_t *at)
{
    const bool is_rdtsc = at[0] == 0x0F && at[1] == 0x31;
    const bool is_rdtscp = at[0] == 0x0F && at[1] == 0x01 && at[2] == 0xF9;
    return is_rdtsc ? 2 : is_rdtscp ? 3 : 0;
}

// Return true if an address lies in the code of the system that tells the time.
static bool is_of_system(uintptr_t at)
{
    const uintptr_t begin = (uintptr_t)getauxval(AT_SYSINFO_EHDR);
    return begin != 0 && at >= begin &&
           at - begin < (uintptr_t)2 * (uintptr_t)sysconf(_SC_PAGESIZE);
}

// Note an instruction that reads the counter, and go on behind it. All other faults are left to who
// handled them before.
static void take_fault(int number, siginfo_t *info, void *context)
{
    static uint64_t counter = UINT64_C(1) << 40;
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    const uintptr_t at = (uintptr_t)registers[REG_RIP];
    const size_t length = info->si_code == SI_KERNEL ? length_of_read((const uint8_t *)at) : 0;
    if (length == 0) {
        (void)sigaction(number, &trace.before, NULL); // the instruction faults again
        return;
    }
    counter += 1000;
    registers[REG_RAX] = (greg_t)(counter & UINT32_MAX);
    registers[REG_RDX] = (greg_t)(counter >> 32);
    registers[REG_RCX] = length == 3 ? 0 : registers[REG_RCX];
    registers[REG_RIP] += (greg_t)length;
    if (!is_of_system(at)) {
        trace.sites[CHECK_COUNTER_INDEX] = at + length;
    }
}

// Return true if bytes that read the counter stand in some code. They may be part of other
// instructions. Copy the code first: between constants there may be bytes that a sanitizer guards.
static bool has_read(uintptr_t code, size_t count)
{
    enum { LONGEST = 3 };
    uint8_t part[4096 + LONGEST - 1];
    for (size_t from = 0; from < count; from += sizeof(part) - LONGEST + 1) {
        const size_t left = count - from;
        const size_t wanted = left < sizeof(part) ? left : sizeof(part);
        const size_t got = process_read(getpid(), code + from, part, wanted);
        for (size_t at = 0; at + LONGEST <= got; at++) {
            if (length_of_read(part + at) > 0) {
                return true;
            }
        }
    }
    return false;
}

static int find_read(struct dl_phdr_info *info, size_t bytes, void *context)
{
    const uintptr_t base = *(const uintptr_t *)context;
    bool has = false;
    (void)bytes;
    for (int i = 0; info->dlpi_addr == base && i < info->dlpi_phnum && !has; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        has = part->p_type == PT_LOAD && (part->p_flags & PF_X) != 0 &&
              has_read(base + part->p_vaddr, part->p_filesz);
    }
    return has ? 1 : 0;
}

// Have each read of the counter fault, by this thread and by those that it makes. Only where the
// plug-in may read it: a game may handle faults by itself, and programs that it starts would fault.
static void begin_counter(uintptr_t base)
{
    const struct sigaction action = {.sa_sigaction = take_fault,
                                     .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};
    if (trace.name_count > 0 && dl_iterate_phdr(find_read, &base) != 0 &&
        sigaction(SIGSEGV, &action, &trace.before) == 0) {
        (void)prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
    }
}

bool calls_trace_begin(const void *plugin)
{
    plugin_tables tables;
    const size_t bytes = CODES_MAX * sizeof(*trace.codes);
    if (!read_tables(plugin, &tables)) {
        return false;
    }
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED || mprotect(at, bytes, PROT_READ | PROT_EXEC) != 0 ||
        mprotect(at, bytes, PROT_READ | PROT_WRITE) != 0) {
        return false; // some systems let no program make code
    }
    trace.codes = at;
    trace.name_count = check_imports_names(trace.names);
    for (uint32_t part = 0; part < 2; part++) {
        for (size_t i = 0; tables.moved[part] != NULL && i < tables.moved_count[part]; i++) {
            take(&tables, &tables.moved[part][i]);
        }
    }
    trace.has_begun = mprotect(at, bytes, PROT_READ | PROT_EXEC) == 0;
    begin_counter(tables.base);
    return trace.has_begun;
}

void calls_trace_forget(void)
{
    memset(trace.sites, 0, sizeof(trace.sites));
}

const bool *calls_trace_notes(void)
{
    for (uint32_t i = 0; i < CHECK_IMPORTS_MAX; i++) {
        trace.notes[i] = trace.sites[i] != 0 || trace.is_kept[i];
    }
    return trace.has_begun ? trace.notes : NULL;
}

uint64_t calls_trace_site(uint32_t name)
{
    return trace.sites[name];
}

#else

bool calls_trace_begin(const void *plugin)
{
    (void)plugin;
    return false;
}

void calls_trace_forget(void)
{
}

const bool *calls_trace_notes(void)
{
    return NULL;
}

uint64_t calls_trace_site(uint32_t name)
{
    (void)name;
    return 0;
}

#endif
