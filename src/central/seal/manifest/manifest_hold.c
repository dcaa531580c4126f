/*
 * A lock on the open file, not on its name: who asks has a shared one, and sealing waits for an exclusive one on
 * the file that it has replaced.  A lock that comes too late is seen by the name, which means another file.
 */
#include "central/seal/manifest/manifest_hold.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "central/seal/manifest/manifest.h"

enum { PATH_SIZE = 4096, TRIES = 3000, PAUSE = 20000000 /* nanoseconds */ };

int sotto_manifest_mark(const char *folder)
{
	char path[PATH_SIZE];

	if (snprintf(path, sizeof path, "%s/%s", folder, SOTTO_MANIFEST_NAME) >= PATH_SIZE)
		return -1;
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

bool sotto_manifest_is_held(int held, const char *folder)
{
	char path[PATH_SIZE];
	struct stat here, there;

	return held >= 0 &&
	       snprintf(path, sizeof path, "%s/%s", folder, SOTTO_MANIFEST_NAME) < PATH_SIZE &&
	       fstat(held, &here) == 0 && stat(path, &there) == 0 &&
	       here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

int sotto_manifest_hold(const char *folder)
{
	for (int i = 0; i < TRIES; i++) {
		int held = sotto_manifest_mark(folder);

		if (held < 0)
			return -1;
		while (flock(held, LOCK_SH) != 0)
			if (errno != EINTR) { /* a file system without locks */
				(void)close(held);
				return -1;
			}
		if (sotto_manifest_is_held(held, folder))
			return held;
		sotto_manifest_let_go(&held);
	}
	return -1;
}

void sotto_manifest_let_go(int *held)
{
	if (*held < 0)
		return;
	(void)flock(*held, LOCK_UN); /* a child of this process may have it open too */
	(void)close(*held);
	*held = -1;
}

bool sotto_manifest_wait(int mark)
{
	const struct timespec pause = {.tv_nsec = PAUSE};
	bool is_held = mark >= 0;

	for (int i = 0; is_held && i < TRIES; i++) {
		is_held = flock(mark, LOCK_EX | LOCK_NB) != 0 &&
			  (errno == EWOULDBLOCK || errno == EINTR);
		if (is_held)
			(void)nanosleep(&pause, NULL);
	}
	sotto_manifest_let_go(&mark);
	return !is_held;
}
