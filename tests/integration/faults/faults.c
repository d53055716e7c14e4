/* Counts the calls of a process that change files; the process dies or fails at one of them.
 *
 *     cc -shared -fPIC -o faults.so faults.c -ldl && LD_PRELOAD=./faults.so program
 *
 * Nothing happens before the program calls `fault_arm(n, mode, error, log)`. From there on calls
 * are counted, and noted in the open file `log`. The n-th (0: none) is killed before it is done or
 * after, or fails with `error`; in FULL all from the n-th on fail that need room on the disk. Of a
 * write that does not come through, half is written.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BEFORE, AFTER, FAIL, FULL };
enum { FREE, ROOM }; /* whether a call needs room on the disk */

static long count, chosen;
static int armed, mode, error, noted;
static char written[4096]; /* by descriptor, whether it was opened for writing */

void fault_arm(long n, int how, int with, int log) {
    count = 0, chosen = n, mode = how, error = with, noted = log, armed = 1;
}

long fault_count(void) { return count; }

static void die(void) { kill(getpid(), SIGKILL), pause(); }

static int is_hit(const char *name, const char *path, int room) {
    if (!armed) return 0;
    dprintf(noted, "%s %s\n", name, path);
    count++;
    return mode == FULL ? chosen && count >= chosen && room : count == chosen;
}

/* `half` is what is done of a call that does not come through. */
#define CALL(type, name, path, room, half, ...)               \
    __typeof__(name) *real = dlsym(RTLD_NEXT, #name);         \
    int hit = is_hit(#name, path, room);                      \
    if (hit && mode != AFTER) {                               \
        half;                                                 \
        if (mode == BEFORE) die();                            \
        return errno = error, -1;                             \
    }                                                         \
    type result = real(__VA_ARGS__);                          \
    if (hit) die();                                           \
    return result;

#define WRAP(name, path, room, parameters, ...) \
    int name parameters { CALL(int, name, path, room, (void)0, __VA_ARGS__) }

WRAP(rename, b, ROOM, (const char *a, const char *b), a, b)
WRAP(renameat, b, ROOM, (int d, const char *a, int e, const char *b), d, a, e, b)
WRAP(link, b, ROOM, (const char *a, const char *b), a, b)
WRAP(linkat, b, ROOM, (int d, const char *a, int e, const char *b, int f), d, a, e, b, f)
WRAP(symlink, b, ROOM, (const char *a, const char *b), a, b)
WRAP(symlinkat, b, ROOM, (const char *a, int d, const char *b), a, d, b)
WRAP(unlink, a, FREE, (const char *a), a)
WRAP(unlinkat, a, FREE, (int d, const char *a, int f), d, a, f)
WRAP(mkdir, a, ROOM, (const char *a, mode_t m), a, m)
WRAP(mkdirat, a, ROOM, (int d, const char *a, mode_t m), d, a, m)
WRAP(rmdir, a, FREE, (const char *a), a)
WRAP(ftruncate64, "", ROOM, (int file, off64_t size), file, size)
WRAP(utimensat, "", FREE, (int d, const char *a, const struct timespec t[2], int f), d, a, t, f)

/* Not done while calls are counted: a kill loses nothing that the system has. */
#define SYNC(name)                                                              \
    int name(int file) {                                                        \
        if (!armed) return ((__typeof__(name) *)dlsym(RTLD_NEXT, #name))(file); \
        int hit = is_hit(#name, "", FREE);                                      \
        if (hit && mode != FAIL) die();                                         \
        return hit ? (errno = error, -1) : 0;                                   \
    }
SYNC(fsync)
SYNC(fdatasync)

#define OPEN(name, parameters, ...)                                                    \
    int name parameters {                                                              \
        va_list rest;                                                                  \
        va_start(rest, flags);                                                         \
        mode_t bits = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0;      \
        va_end(rest);                                                                  \
        if (!(flags & (O_CREAT | O_TRUNC | O_WRONLY | O_RDWR)))                        \
            return ((__typeof__(name) *)dlsym(RTLD_NEXT, #name))(__VA_ARGS__);         \
        int file = opened_##name(__VA_ARGS__);                                         \
        if (file >= 0 && file < (int)sizeof written) written[file] = 1;                \
        return file;                                                                   \
    }

static int opened_open64(const char *path, int flags, mode_t bits) {
    CALL(int, open64, path, ROOM, (void)0, path, flags, bits)
}
static int opened_openat64(int d, const char *path, int flags, mode_t bits) {
    CALL(int, openat64, path, ROOM, (void)0, d, path, flags, bits)
}
OPEN(open64, (const char *path, int flags, ...), path, flags, bits)
OPEN(openat64, (int d, const char *path, int flags, ...), d, path, flags, bits)

static int is_written(int file) {
    return armed && file >= 0 && file < (int)sizeof written && written[file];
}

ssize_t write(int file, const void *data, size_t size) {
    if (!is_written(file)) return ((__typeof__(write) *)dlsym(RTLD_NEXT, "write"))(file, data, size);
    CALL(ssize_t, write, "", ROOM, real(file, data, size / 2), file, data, size)
}

ssize_t sendfile64(int to, int from, off64_t *start, size_t size) {
    CALL(ssize_t, sendfile64, "", ROOM, real(to, from, start, size > 64 ? 64 : size), to, from, start, size)
}

int close(int file) {
    if (!is_written(file)) return ((__typeof__(close) *)dlsym(RTLD_NEXT, "close"))(file);
    written[file] = 0;
    CALL(int, close, "", FREE, real(file), file)
}
