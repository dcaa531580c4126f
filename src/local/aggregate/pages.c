/* Anonymous memory from mmap, with huge pages if the system gives them. */
#include "local/aggregate/pages.h"

#include <sys/mman.h>

void *sotto_pages_new(size_t bytes, int large)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	if (large)
		(void)madvise(p, bytes, MADV_HUGEPAGE); /* only faster if it works */
	return p;
}

void sotto_pages_free(void *pages, size_t bytes)
{
	if (pages)
		(void)munmap(pages, bytes);
}
