/*
 * Locks one byte of the file for each entry (open file description locks), and compares the
 * file with its name afterwards, because the last user may have removed it meanwhile.
 */
#include "core/ledger/ledger_asking.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void sotto_asking_init(struct sotto_asking *a)
{
	*a = (struct sotto_asking){.fd = -1};
}

/* The file that the name means now; another one may have taken it away and made a new one. */
static bool is_current(const struct sotto_asking *a)
{
	struct stat here, there;

	return a->fd >= 0 && a->path && fstat(a->fd, &here) == 0 &&
	       stat(a->path, &there) == 0 && here.st_dev == there.st_dev &&
	       here.st_ino == there.st_ino;
}

/*
 * The last one takes the file away.  Whoever opened it meanwhile finds after locking that it
 * is not current any more, and makes a new one; whoever holds a lock keeps it from going.
 */
void sotto_asking_release(struct sotto_asking *a)
{
	struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	if (a->process == getpid() && is_current(a) && fcntl(a->fd, F_OFD_SETLK, &all) == 0 &&
	    is_current(a))
		(void)unlink(a->path);
	if (a->fd >= 0)
		(void)close(a->fd);
	free(a->path);
	sotto_asking_init(a);
}

static bool open_file(struct sotto_asking *a, const char *ledger)
{
	if (is_current(a))
		return true;
	if (a->fd >= 0)
		(void)close(a->fd);
	a->fd = -1;
	if (!a->path && asprintf(&a->path, "%s-asking", ledger) < 0) {
		a->path = NULL;
		return false;
	}
	a->fd = open(a->path, O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
	a->process = getpid();
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
	enum { TRIES = 100 };
	struct flock lock = byte_of(number, F_WRLCK);

	for (int i = 0; i < TRIES && open_file(a, ledger); i++)
		if (fcntl(a->fd, F_OFD_SETLK, &lock) == 0 && is_current(a))
			return true;
	return false;
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
