/* Duplicates a descriptor above a limit and closes the old one. */
#include "central/engine/worker/descriptor.h"

#include <fcntl.h>
#include <unistd.h>

bool sotto_descriptor_lift(int *fd, int least)
{
	int lifted = fcntl(*fd, F_DUPFD_CLOEXEC, least);

	if (lifted < 0)
		return false;
	(void)close(*fd);
	*fd = lifted;
	return true;
}

void sotto_descriptor_close(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}
