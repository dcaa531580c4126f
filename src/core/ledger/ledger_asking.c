#include "core/ledger/ledger_asking.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void sotto_asking_init(struct sotto_asking *a)
{
	a->fd = -1;
}

void sotto_asking_release(struct sotto_asking *a)
{
	if (a->fd >= 0)
		(void)close(a->fd);
	a->fd = -1;
}

static bool open_file(struct sotto_asking *a, const char *ledger)
{
	char *path = NULL;

	if (a->fd >= 0)
		return true;
	if (asprintf(&path, "%s-asking", ledger) < 0)
		return false;
	a->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
	free(path);
	return a->fd >= 0;
}

/* Locks of the open file, not of the process: two sessions of one process see each other. */
static struct flock byte_of(uint64_t number, short kind)
{
	return (struct flock){.l_type = kind,
			      .l_whence = SEEK_SET,
			      .l_start = (off_t)(number & INT64_MAX),
			      .l_len = 1};
}

bool sotto_asking_take(struct sotto_asking *a, const char *ledger, uint64_t number)
{
	struct flock lock = byte_of(number, F_WRLCK);

	return open_file(a, ledger) && fcntl(a->fd, F_OFD_SETLK, &lock) == 0;
}

void sotto_asking_leave(struct sotto_asking *a, uint64_t number)
{
	struct flock lock = byte_of(number, F_UNLCK);

	if (a->fd >= 0)
		(void)fcntl(a->fd, F_OFD_SETLK, &lock);
}

bool sotto_asking_is_taken(struct sotto_asking *a, const char *ledger, uint64_t number)
{
	struct flock lock = byte_of(number, F_WRLCK);

	return open_file(a, ledger) && fcntl(a->fd, F_OFD_GETLK, &lock) == 0 &&
	       lock.l_type != F_UNLCK;
}
