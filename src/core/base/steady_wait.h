/*
 * steady_wait.h - waits on a condition variable for a time that no change of the calendar clock
 * makes longer or shorter
 */
#ifndef SOTTO_STEADY_WAIT_H
#define SOTTO_STEADY_WAIT_H

#include <pthread.h>
#include <stdint.h>

/* Initializes a condition variable for sotto_steady_wait; destroyed by pthread_cond_destroy. */
void sotto_steady_condition(pthread_cond_t *c);

/* Waits until c is signalled or that many nanoseconds have passed; the lock is held. */
void sotto_steady_wait(pthread_cond_t *c, pthread_mutex_t *lock, uint64_t nanoseconds);

#endif
