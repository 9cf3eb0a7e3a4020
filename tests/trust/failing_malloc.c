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
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define RANGES 256

/* The C library's own, by the names that it exports besides. */
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);

static struct { uintptr_t start, end; } ranges[RANGES];
static int range_count;                 /* as long as nothing is armed */
static atomic_int watched;              /* ranges that count; 0: nothing is armed */
static atomic_long calls;
static atomic_long failing;             /* the call that fails; 0: none */

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
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(memory, size);
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
