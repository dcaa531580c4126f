/*
 * The drawing thread sleeps on a condition variable, with all signals blocked, until a fifth of
 * a second has passed or the call is over.
 */
#include "show/waiting.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

enum { STEP_NS = 200000000, SECOND_NS = 1000000000 };

static struct timespec soon(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_nsec += STEP_NS;
	if (t.tv_nsec >= SECOND_NS) {
		t.tv_nsec -= SECOND_NS;
		t.tv_sec++;
	}
	return t;
}

static void *draw(void *waiting)
{
	struct waiting *w = waiting;

	(void)pthread_mutex_lock(&w->lock);
	while (!w->ends) {
		struct timespec until = soon();

		(void)pthread_cond_timedwait(&w->change, &w->lock, &until);
		if (!w->ends)
			progress_step(&w->progress, 0);
	}
	(void)pthread_mutex_unlock(&w->lock);
	return NULL;
}

/* Signals are for the thread that waits. */
static bool start(struct waiting *w)
{
	sigset_t all, before;
	bool started;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	started = pthread_create(&w->thread, NULL, draw, w) == 0;
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return started;
}

void waiting_begin(struct waiting *w, const char *label)
{
	pthread_condattr_t attributes;

	*w = (struct waiting){.ends = false};
	(void)snprintf(w->label, sizeof w->label, "%s", label);
	progress_begin(&w->progress, w->label, 0);
	if (w->progress.silent || pthread_mutex_init(&w->lock, NULL) != 0)
		return;
	(void)pthread_condattr_init(&attributes);
	(void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&w->change, &attributes);
	(void)pthread_condattr_destroy(&attributes);
	w->runs = start(w);
}

void waiting_say(struct waiting *w, const char *label)
{
	if (!w->runs)
		return;
	(void)pthread_mutex_lock(&w->lock);
	(void)snprintf(w->label, sizeof w->label, "%s", label);
	(void)pthread_mutex_unlock(&w->lock);
}

void waiting_end(struct waiting *w)
{
	if (!w->runs)
		return;
	(void)pthread_mutex_lock(&w->lock);
	w->ends = true;
	(void)pthread_cond_signal(&w->change);
	(void)pthread_mutex_unlock(&w->lock);
	(void)pthread_join(w->thread, NULL);
	progress_end(&w->progress);
	fflush(w->progress.stream);
	(void)pthread_cond_destroy(&w->change);
	(void)pthread_mutex_destroy(&w->lock);
	w->runs = false;
}
