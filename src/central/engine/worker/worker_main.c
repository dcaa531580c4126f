/*
 * sotto-worker: what `sotto worker` does, in a program that holds nothing else.  It starts in a
 * third of the time, and the process that reads private rows has no part of the ledger, of the
 * policy or of the network in it.
 */
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "central/engine/worker/worker_loop.h"

/* Below this the kernel's work for a page at a time is not worth a call more. */
enum { LARGE = 64 << 10, PAGE = 4096 };

/*
 * The engine reads files in blocks of 256 KiB, each into memory that nobody has used yet.  The
 * kernel gives such memory page by page while it copies, in 64 interruptions, which take as long
 * as the copying.  Here it is asked for all pages at once.  Every one of them would have been
 * needed.  A kernel that does not know the request gives them as before.
 */
__attribute__((visibility("default"))) ssize_t
pread(int file, void *to, size_t count, off_t from)
{
	uintptr_t first = (uintptr_t)to / PAGE * PAGE, after = (uintptr_t)to + count;

	if (count >= LARGE)
		(void)madvise((void *)first, after - first, MADV_POPULATE_WRITE);
	return pread64(file, to, count, from);
}

int main(void)
{
	struct sotto_error err = {""};

	if (sotto_worker_loop(&err) == SOTTO_OK)
		return 0;
	fprintf(stderr, "sotto-worker: %s\n", err.text);
	return 1;
}
