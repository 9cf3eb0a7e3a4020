/* random_input.h: random numbers, and memory that is guarded, for programs that test headers. */
#pragma once

#include <stdint.h>
#include <stdlib.h>
#ifdef _WIN32
#  include <windows.h>
#else
#  include <sys/mman.h>
#  include <unistd.h>
#endif

static uint64_t state;

static uint64_t random_word(void)      /* splitmix64 */
{
    uint64_t z = state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static int below(int limit)
{
    return (int)((random_word() >> 32) * (uint64_t)limit >> 32);
}

/* Memory that ends before a page that must not be read. */
typedef struct { uint8_t *end; } guarded;

#ifdef _WIN32
static guarded new_guarded(size_t size)
{
    SYSTEM_INFO system;
    GetSystemInfo(&system);
    const size_t page = system.dwPageSize, room = (size + page - 1) / page * page;
    uint8_t *memory = (uint8_t *)VirtualAlloc(NULL, room + page, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    DWORD before;
    if (!memory || !VirtualProtect(memory + room, page, PAGE_NOACCESS, &before)) exit(2);
    const guarded result = {memory + room};
    return result;
}
#else
#  ifndef BEHIND
#    define BEHIND PROT_NONE
#  endif
static guarded new_guarded(size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (size + page - 1) / page * page;
    uint8_t *memory =
        (uint8_t *)mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory + room, page, BEHIND)) exit(2);
    const guarded result = {memory + room};
    return result;
}
#endif

static void *at_end(guarded memory, size_t size)
{
    return memory.end - size;
}
