/* Loaded before a program under test (LD_PRELOAD): what the system calls random follows from GUARD_SEED and what the program was told, so that
 * two programs that do the same print and write the same. Requests of one size are counted apart from those of another: it does
 * not matter in which order a program asks for a hash table's key and for a nonce. */
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static _Atomic uint64_t start;
static _Atomic uint64_t asked[257];

static uint64_t mixed(uint64_t number) {
    number += 0x9e3779b97f4a7c15u;
    number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9u;
    number = (number ^ (number >> 27)) * 0x94d049bb133111ebu;
    return number ^ (number >> 31);
}

static uint64_t digest(uint64_t so_far, const char *bytes, size_t length) {
    while (length--) so_far = (so_far ^ (unsigned char)*bytes++) * 0x100000001b3u;
    return so_far;
}

static uint64_t seed(void) {
    uint64_t known = atomic_load(&start);
    if (known) return known;
    const char *given = getenv("GUARD_SEED");
    uint64_t found = 0xcbf29ce484222325u;
    if (given) found = digest(found, given, strlen(given));
    const char *home = getenv("POSTRIDER_HOME");
    if (home) found = digest(found, home, strlen(home));
    char line[4096];
    int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        ssize_t got;
        int named = 0;
        while ((got = read(file, line, sizeof line)) > 0) {
            /* The program's own name does not count. */
            const char *from = line;
            if (!named) {
                while (from < line + got && *from) from++;
                named = from < line + got;
            }
            found = digest(found, from, (size_t)(line + got - from));
        }
        close(file);
    }
    found |= 1;
    atomic_store(&start, found);
    return found;
}

ssize_t getrandom(void *buffer, size_t length, unsigned int flags) {
    (void)flags;
    unsigned char *to = buffer;
    size_t kind = length < 256 ? length : 256;
    uint64_t from = mixed(seed() ^ mixed(length)) + 0x10001u * atomic_fetch_add(&asked[kind], 1);
    for (size_t at = 0; at < length; at++) to[at] = (unsigned char)(mixed(from + ((uint64_t)at << 40)) >> 24);
    return (ssize_t)length;
}

int getentropy(void *buffer, size_t length) {
    getrandom(buffer, length, 0);
    return 0;
}
