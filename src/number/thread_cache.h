/*
 * thread_cache.h - what MPFR keeps for a thread is freed when the thread ends
 *
 * MPFR has caches of its own for every thread, which it frees by itself only at
 * the end of the process: a program that starts many threads would lose memory.
 */
#ifndef SOTTO_NUMBER_THREAD_CACHE_H
#define SOTTO_NUMBER_THREAD_CACHE_H

/* To be called by a thread that is about to use MPFR; cheap after the first time. */
void sotto_thread_cache_care(void);

#endif
