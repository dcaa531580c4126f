/*
 * Registers one pthread key whose destructor frees MPFR's caches; each thread that computes
 * marks itself with it.
 */
#include "core/number/thread_cache.h"

#include <mpfr.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int has_key;

static void end_thread(void *marked)
{
	(void)marked;
	mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE);
}

static void make_key(void)
{
	has_key = pthread_key_create(&key, end_thread) == 0;
}

/* Any value but NULL has the function called when the thread ends. */
void sotto_thread_cache_care(void)
{
	(void)pthread_once(&once, make_key);
	if (has_key && !pthread_getspecific(key))
		(void)pthread_setspecific(key, &key);
}
