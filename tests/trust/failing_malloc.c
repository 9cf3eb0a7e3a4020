/* Makes one allocation of fastbleu's compiled modules fail; preloaded by test_allocation.py.
 *
 * malloc, calloc and realloc stand in front of the C library's. A call counts where it returns to the
 * code of a compiled module: one whose path has "/fastbleu/" in it, of those that were loaded when
 * fb_arm was called. What Python or the C library allocate for such a module is not counted.
 *
 * Thread-safety. Counters are atomics. The ranges are written only while nothing is armed: fb_arm and
 * fb_disarm are one thread's, and all others only read what they find armed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define RANGES 256

static struct { uintptr_t start, end; } ranges[RANGES];
static int range_count;                 /* as long as nothing is armed */
static atomic_int watched;              /* ranges that count; 0: nothing is armed */
static atomic_long calls;
static atomic_long failing;             /* the call that fails; 0: none */

static void *(*real_malloc)(size_t);
static void *(*real_calloc)(size_t, size_t);
static void *(*real_realloc)(void *, size_t);
static void (*real_free)(void *);

/* What dlsym itself allocates, while the functions are looked up: zeros, never given back. */
static _Alignas(16) char early[4096];
static atomic_size_t early_used;

static void *allocate_early(size_t size)
{
    size = (size + 15) & ~(size_t)15;
    const size_t at = size <= sizeof early ? atomic_fetch_add(&early_used, size) : sizeof early;
    if (at + size > sizeof early) {
        errno = ENOMEM;
        return NULL;
    }
    return early + at;
}

static bool is_early(const void *memory)
{
    return (const char *)memory >= early && (const char *)memory < early + sizeof early;
}

/* The loader calls this before other code runs; whatever is allocated before is `early`. */
__attribute__((constructor)) static void resolve(void)
{
    *(void **)&real_free = dlsym(RTLD_NEXT, "free");
    *(void **)&real_realloc = dlsym(RTLD_NEXT, "realloc");
    *(void **)&real_calloc = dlsym(RTLD_NEXT, "calloc");
    *(void **)&real_malloc = dlsym(RTLD_NEXT, "malloc");
}

static bool fails(const void *caller)
{
    const int count = atomic_load_explicit(&watched, memory_order_acquire);
    for (int i = 0; i < count; i++)
        if ((uintptr_t)caller >= ranges[i].start && (uintptr_t)caller < ranges[i].end) {
            if (atomic_fetch_add(&calls, 1) + 1 != atomic_load(&failing)) return false;
            errno = ENOMEM;
            return true;
        }
    return false;
}

void *malloc(size_t size)
{
    if (!real_malloc) return allocate_early(size);
    return fails(__builtin_return_address(0)) ? NULL : real_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    if (!real_calloc) {
        if (size && count > SIZE_MAX / size) return NULL;
        return allocate_early(count * size);
    }
    return fails(__builtin_return_address(0)) ? NULL : real_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    if (!real_realloc || is_early(memory)) {
        void *moved = real_malloc ? real_malloc(size) : allocate_early(size);
        if (moved && memory) {
            const size_t there = (size_t)(early + sizeof early - (char *)memory);
            memcpy(moved, memory, size < there ? size : there);
        }
        return moved;
    }
    return fails(__builtin_return_address(0)) ? NULL : real_realloc(memory, size);
}

void free(void *memory)
{
    if (real_free && !is_early(memory)) real_free(memory);
}

static int note_module(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    if (!info->dlpi_name || !strstr(info->dlpi_name, "/fastbleu/")) return 0;
    for (int i = 0; i < info->dlpi_phnum && range_count < RANGES; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        ranges[range_count].start = info->dlpi_addr + part->p_vaddr;
        ranges[range_count++].end = info->dlpi_addr + part->p_vaddr + part->p_memsz;
    }
    return 0;
}

/* From now on count allocations, of which number k fails, once; none with 0. Whether there is any
 * module whose allocations count. */
int fb_arm(long k)
{
    atomic_store(&watched, 0);
    range_count = 0;
    dl_iterate_phdr(note_module, NULL);
    atomic_store(&calls, 0);
    atomic_store(&failing, k);
    atomic_store_explicit(&watched, range_count, memory_order_release);
    return range_count > 0;
}

/* Stop counting; how many allocations there were since fb_arm. */
long fb_disarm(void)
{
    atomic_store(&watched, 0);
    return atomic_load(&calls);
}
