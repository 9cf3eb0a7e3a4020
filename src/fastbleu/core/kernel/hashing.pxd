"""Header only: tables that number tokens and integers. See hashing/interner.h and hashing/number_table.h."""

from libc.stdint cimport int32_t, int64_t, uint64_t


cdef extern from "kernel/hashing/probing.h":
    ctypedef struct hash_seed:
        uint64_t first
        uint64_t second
    Py_ssize_t look_up_cost(size_t slot_count) noexcept nogil

cdef extern from "kernel/hashing/interner.h":
    ctypedef struct token_key:
        uint64_t low
        uint64_t high
    ctypedef struct token_content:
        const unsigned char *bytes
        size_t size
    ctypedef struct interner:
        size_t slot_count
        int32_t count
        hash_seed seed
    void interner_free(interner *table) noexcept nogil
    int interner_begin(interner *table, size_t tokens) noexcept nogil
    bint interner_has_room(const interner *table, size_t tokens) noexcept nogil
    int interner_widen(interner *wider, const interner *table, size_t tokens) noexcept nogil
    void interner_copy(
        interner *wider, const interner *table, int32_t first, int32_t end) noexcept nogil
    int32_t interner_add(
        interner *table, token_key key, token_content content) noexcept nogil

cdef extern from "kernel/hashing/key_list.h":
    ctypedef void *key_comparer
    enum:
        LISTED_TOKENS
    ctypedef struct key_list:
        uint64_t *low
    ctypedef struct key_view:
        const key_list *list
        int length
    key_view all_keys(const key_list *keys) noexcept nogil
    key_comparer key_comparer_for(int level) noexcept nogil
    void list_numbers(key_list *keys, const int64_t *numbers, int length) noexcept nogil
    void compare_lists(
        key_comparer compare, key_view tokens, key_view others, uint64_t *masks) noexcept nogil
    void compare_with_earlier(key_comparer compare, key_view tokens, uint64_t *masks) noexcept nogil
    void compare_masks(key_comparer compare, const uint64_t *in_reference, int length,
                       uint64_t *masks) noexcept nogil

cdef extern from "kernel/hashing/position_ids.h":
    ctypedef struct position_table:
        hash_seed seed
    bint number_list(position_table *table, key_view hypothesis, int32_t *ids) noexcept nogil
    bint find_list(
        const position_table *table, key_view hypothesis, key_view reference, int32_t *ids) noexcept nogil

cdef extern from "kernel/hashing/number_table.h":
    ctypedef struct number_table:
        size_t slot_count
        int32_t count
        hash_seed seed
    void number_table_free(number_table *table) noexcept nogil
    int number_table_begin(number_table *table, size_t numbers) noexcept nogil
    int32_t number_table_add(number_table *table, uint64_t number) noexcept nogil
    int32_t number_table_find(
        const number_table *table, uint64_t number, int32_t absent) noexcept nogil
