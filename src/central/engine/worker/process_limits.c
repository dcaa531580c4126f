/*
 * Reads cores and memory, that of the container if it is less, and sets resource limits that
 * the process cannot raise again.
 */
#include "central/engine/worker/process_limits.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "core/base/failure.h"

enum { CORES_MAX = 4096, STACK = 8 << 20, SECOND = 1000000000 };

unsigned sotto_machine_cores(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n < 1 ? 1 : n > CORES_MAX ? CORES_MAX : (unsigned)n;
}

/* Of the container, where it has a limit of its own. */
static uint64_t container_memory(void)
{
	FILE *f = fopen("/sys/fs/cgroup/memory.max", "re");
	uint64_t bytes;

	if (!f)
		return UINT64_MAX;
	if (fscanf(f, "%" SCNu64, &bytes) != 1 || bytes == 0)
		bytes = UINT64_MAX;
	(void)fclose(f);
	return bytes;
}

static uint64_t machine_memory(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	uint64_t all = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size
					     : 4 * SOTTO_ENGINE_MEMORY_MIN;
	uint64_t ours = container_memory();

	return ours < all ? ours : all;
}

enum sotto_status
sotto_machine_limit(struct sotto_engine_limits *limits, struct sotto_error *err)
{
	unsigned most = 4 * sotto_machine_cores();

	if (limits->threads > SOTTO_ENGINE_THREADS_MAX)
		return sotto_fail(err, SOTTO_ERANGE,
				  "the engine runs with at most %d threads; give --threads %d "
				  "or fewer",
				  SOTTO_ENGINE_THREADS_MAX, SOTTO_ENGINE_THREADS_MAX);
	if (limits->threads == 0)
		limits->threads = sotto_machine_cores();
	if (limits->threads > SOTTO_ENGINE_THREADS_MAX)
		limits->threads = SOTTO_ENGINE_THREADS_MAX;
	if (limits->threads > most)
		limits->threads = most;
	if (limits->memory == 0) {
		limits->memory = machine_memory() / 5 * 4;
		if (limits->memory < SOTTO_ENGINE_MEMORY_MIN)
			limits->memory = SOTTO_ENGINE_MEMORY_MIN;
	}
	if (limits->memory < SOTTO_ENGINE_MEMORY_MIN)
		return sotto_fail(err, SOTTO_ERANGE,
				  "the engine needs at least 256MiB of memory; write memory: "
				  "1GiB into the policy, or more");
	return SOTTO_OK;
}

uint64_t sotto_machine_share(const struct sotto_engine_limits *limits)
{
	return limits->memory / 8 * 7;
}

static bool set_limit(__rlimit_resource_t what, rlim_t most)
{
	const struct rlimit limit = {most, most};

	return setrlimit(what, &limit) == 0;
}

/* Should the machine itself have no memory left, it is this process that ends. */
static void die_first(void)
{
	FILE *f = fopen("/proc/self/oom_score_adj", "we");

	if (!f)
		return;
	(void)fputs("1000", f);
	(void)fclose(f);
}

/* The address sanitizer's own memory, which is counted with the program's, fits no limit. */
#if defined(__SANITIZE_ADDRESS__)
enum { HAS_SHADOW = 1 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
enum { HAS_SHADOW = 1 };
#else
enum { HAS_SHADOW = 0 };
#endif
#else
enum { HAS_SHADOW = 0 };
#endif

/*
 * RLIMIT_DATA counts what can be written and is this process's own, stacks of threads with
 * it; RLIMIT_AS would count what an allocator has only reserved.
 */
/* By a timer: RLIMIT_CPU counts whole seconds only.  Its signal ends the process. */
static bool limit_processor(uint64_t nanoseconds)
{
	const struct itimerval limit = {
		.it_value = {.tv_sec = (time_t)(nanoseconds / SECOND),
			     .tv_usec = (suseconds_t)(nanoseconds % SECOND / 1000)}};

	return nanoseconds == 0 || setitimer(ITIMER_PROF, &limit, NULL) == 0;
}

enum sotto_status sotto_machine_confine(const struct sotto_engine_limits *limits)
{
	rlim_t memory = limits->memory + (rlim_t)limits->threads * STACK;

	die_first();
	(void)prctl(PR_SET_DUMPABLE, 0);
	if (!set_limit(RLIMIT_CORE, 0) || (!HAS_SHADOW && !set_limit(RLIMIT_DATA, memory)) ||
	    !limit_processor(limits->processor))
		return SOTTO_EIO;
	return SOTTO_OK;
}

enum sotto_status sotto_machine_forbid_writing(void)
{
	/* A write is then an error like any other. */
	if (signal(SIGXFSZ, SIG_IGN) == SIG_ERR || !set_limit(RLIMIT_FSIZE, 0))
		return SOTTO_EIO;
	return SOTTO_OK;
}
