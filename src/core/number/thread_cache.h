/*
 * thread_cache.h - frees what MPFR keeps for a thread when the thread ends
 *
 * MPFR has caches for every thread, which it frees only at the end of the process: a program that
 * starts many threads would lose memory.
 */
#ifndef SOTTO_THREAD_CACHE_H
#define SOTTO_THREAD_CACHE_H

/*
 * Called by a thread that is about to use MPFR: whoever opens or uses a session or a ledger, asks the accountant, or
 * works for the server.  Cheap after the first call.
 */
void sotto_thread_cache_care(void);

#endif
