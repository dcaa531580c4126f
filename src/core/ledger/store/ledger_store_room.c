/*
 * Room for an answer before its charge.  SQLite asks the disk for room when it writes, and an answer is
 * written last: on a full disk it would be paid for and lost.  So blocks are taken for the log beyond its end,
 * which whoever writes to the disk meanwhile cannot have.  A file system that cannot do that is left alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/failure.h"
#include "core/ledger/store/ledger_store.h"

enum { ROOM = 1 << 20 };

/* The limit of this process counts as the disk's end: fallocate does not ask for it. */
static bool is_full(int fd)
{
	struct rlimit most;
	struct stat log;

	if (fstat(fd, &log) != 0)
		return false;
	if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY &&
	    (rlim_t)log.st_size + ROOM > most.rlim_cur)
		return true;
	return fallocate(fd, FALLOC_FL_KEEP_SIZE, log.st_size, ROOM) != 0 &&
	       (errno == ENOSPC || errno == EDQUOT);
}

enum sotto_status sotto_store_reserve(const struct sotto_store *s, struct sotto_error *err)
{
	char *log = NULL;
	bool full;
	int fd;

	if (asprintf(&log, "%s-wal", s->path) < 0)
		return SOTTO_ENOMEM;
	fd = open(log, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	free(log);
	if (fd < 0)
		return SOTTO_OK; /* SQLite will say why it cannot write */
	full = is_full(fd);
	(void)close(fd);
	return full ? sotto_fail(err, SOTTO_EIO,
				 "the ledger %s could not be written: the disk is full",
				 s->path)
		    : SOTTO_OK;
}
