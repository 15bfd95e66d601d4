/* What the probe gets from outside, and the five functions that compiled Rust may call without a C library. */

#include <stddef.h>
#include <stdint.h>

void probe_policy(void);
void probe_header(void);
void probe_by_hand(void);
void probe_pool(void);
#ifdef CONFIG
void probe_config(void);
#endif
#ifdef DRIVE
void probe_drive(void);
#endif
#ifdef CANARY
void probe_canary(void);
#endif

static volatile uint64_t word;
static volatile uint64_t result;
static const uint8_t bytes[64];
static volatile size_t length;

uint64_t host_word(void) { return word; }
void host_take(uint64_t value) { result = value; }
const uint8_t *host_bytes(size_t *len) {
    *len = length % sizeof bytes;
    return bytes;
}

void _start(void) {
    probe_policy();
    probe_header();
    probe_by_hand();
    probe_pool();
#ifdef CONFIG
    probe_config();
#endif
#ifdef DRIVE
    probe_drive();
#endif
#ifdef CANARY
    probe_canary();
#endif
}

void *memcpy(void *restrict to, const void *restrict from, size_t n) {
    uint8_t *t = to;
    const uint8_t *f = from;
    while (n--) *t++ = *f++;
    return to;
}

void *memmove(void *to, const void *from, size_t n) {
    uint8_t *t = to;
    const uint8_t *f = from;
    if (t <= f)
        while (n--) *t++ = *f++;
    else
        while (n--) t[n] = f[n];
    return to;
}

void *memset(void *to, int value, size_t n) {
    uint8_t *t = to;
    while (n--) *t++ = (uint8_t)value;
    return to;
}

int memcmp(const void *a, const void *b, size_t n) {
    const uint8_t *x = a, *y = b;
    for (; n--; x++, y++)
        if (*x != *y) return *x - *y;
    return 0;
}

int bcmp(const void *a, const void *b, size_t n) { return memcmp(a, b, n); }
