/*
 * created_files.c - says with which permissions a program creates files and folders
 *
 * Loaded before the C library (LD_PRELOAD): each file or folder that a call has created, and each
 * change of permissions, becomes a line of the file that CREATED_FILES names, "MODE PATH", the mode
 * in octal digits as it was at that moment.  With umask 0 this is what the program asked for.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* The C library's function of that name, which is called from here on. */
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void say(mode_t mode, const char *path)
{
	const char *name = getenv("CREATED_FILES");
	int before = errno,
	    log = name ? REAL(open)(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;

	if (log >= 0) {
		(void)dprintf(log, "%o %s\n", (unsigned)mode & 0777, path);
		(void)close(log);
	}
	errno = before;
}

static void say_open(int fd)
{
	char link[64], path[PATH_MAX];
	struct stat about;
	ssize_t n;

	(void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof path - 1);
	if (n > 0 && fstat(fd, &about) == 0) {
		path[n] = '\0';
		say(about.st_mode, path);
	}
}

static bool is_there(int folder, const char *path)
{
	int before = errno;
	struct stat about;
	bool there = fstatat(folder, path, &about, AT_SYMLINK_NOFOLLOW) == 0;

	errno = before;
	return there;
}

static mode_t mode_of(int flags, va_list list)
{
	return flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
}

static int opened(int fd, bool was_there)
{
	if (fd >= 0 && !was_there)
		say_open(fd);
	return fd;
}

#define OPEN(name)                                                                             \
	int name(const char *path, int flags, ...)                                             \
	{                                                                                      \
		bool was_there = !(flags & O_CREAT) || is_there(AT_FDCWD, path);               \
		va_list list;                                                                  \
		mode_t mode;                                                                   \
                                                                                               \
		va_start(list, flags);                                                         \
		mode = mode_of(flags, list);                                                   \
		va_end(list);                                                                  \
		return opened(REAL(name)(path, flags, mode), was_there);                       \
	}
OPEN(open)
OPEN(open64)

#define OPEN_AT(name)                                                                          \
	int name(int folder, const char *path, int flags, ...)                                 \
	{                                                                                      \
		bool was_there = !(flags & O_CREAT) || is_there(folder, path);                 \
		va_list list;                                                                  \
		mode_t mode;                                                                   \
                                                                                               \
		va_start(list, flags);                                                         \
		mode = mode_of(flags, list);                                                   \
		va_end(list);                                                                  \
		return opened(REAL(name)(folder, path, flags, mode), was_there);               \
	}
OPEN_AT(openat)
OPEN_AT(openat64)

#define FOPEN(name)                                                                            \
	FILE *name(const char *path, const char *mode)                                         \
	{                                                                                      \
		bool was_there = is_there(AT_FDCWD, path);                                     \
		FILE *f = REAL(name)(path, mode);                                              \
                                                                                               \
		if (f)                                                                         \
			(void)opened(fileno(f), was_there);                                    \
		return f;                                                                      \
	}
FOPEN(fopen)
FOPEN(fopen64)

int mkdir(const char *path, mode_t mode)
{
	int failed = REAL(mkdir)(path, mode);

	if (failed == 0)
		say(mode, path);
	return failed;
}

int mkdirat(int folder, const char *path, mode_t mode)
{
	int failed = REAL(mkdirat)(folder, path, mode);

	if (failed == 0)
		say(mode, path);
	return failed;
}

int chmod(const char *path, mode_t mode)
{
	say(mode, path);
	return REAL(chmod)(path, mode);
}

int fchmod(int fd, mode_t mode)
{
	int failed = REAL(fchmod)(fd, mode);

	if (failed == 0)
		say_open(fd);
	return failed;
}
