/*
 * Repeats getrandom after a signal and keeps errno; anything short of all bytes is a failure,
 * and what was read is wiped.
 */
#include "core/random/generator/entropy.h"

#include <assert.h>
#include <errno.h>
#include <sys/random.h>

#include "core/base/wipe.h"

enum sotto_status sotto_entropy_read(uint8_t *out, size_t n)
{
	int saved = errno;
	ssize_t got;

	assert(n <= 256); /* up to there getrandom never gives less than asked */
	do
		got = getrandom(out, n, 0);
	while (got < 0 && errno == EINTR);
	errno = saved;
	if (got == (ssize_t)n)
		return SOTTO_OK;
	sotto_wipe(out, n);
	return SOTTO_EENTROPY;
}
