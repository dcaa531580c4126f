/*
 * Every exported function that returns a status refuses NULL and survives zeroed
 * structs; every one that releases or frees takes NULL, and zeroed structs where it
 * releases.  The table of calls is made from the headers by tools/api-calls.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "testlib/tap.h"

enum { ARGUMENTS_MAX = 16, ZEROS = 1 << 14, RETURNED = 100, SECONDS = 20 };

struct api_call {
	const char *name;
	int (*nulls)(void); /* the status, or -1 */
	int (*zeros)(void);
	bool returns_status; /* and takes a pointer */
};

/* Memory of zeros for one argument. */
static void *zeroed(int argument)
{
	static _Alignas(64) char memory[ARGUMENTS_MAX][ZEROS];

	return memory[argument];
}

/* A rational that is zero: zeroed, or made by _init. */
static bool rationals_are_made;
static void *rational(int argument);

#include "api/calls.h"

static void *rational(int argument)
{
	static struct sotto_rational zero[ARGUMENTS_MAX];

	if (rationals_are_made)
		sotto_rational_init(&zero[argument]);
	return &zero[argument];
}

enum { CALLS = sizeof api_calls / sizeof api_calls[0] };

/* What a call came to in a child of its own: RETURNED + 1 + status, or something else. */
static int outcome(int (*call)(void))
{
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		const struct rlimit limit = {SECONDS, SECONDS}, none = {0, 0};
		int quiet = open("/dev/null", O_RDWR);

		(void)setrlimit(RLIMIT_CPU, &limit);
		(void)setrlimit(RLIMIT_CORE, &none);
		dup2(quiet, 0);
		dup2(quiet, 2);
		_exit(RETURNED + 1 + call());
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		abort();
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool ends_in(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n >= m && strcmp(name + n - m, end) == 0;
}

static bool ends_something(const char *name)
{
	return ends_in(name, "_release") || ends_in(name, "_free") || ends_in(name, "_close");
}

static void null_is_refused_by_every_function_with_a_status(void)
{
	for (size_t i = 0; i < CALLS; i++) {
		const struct api_call *c = &api_calls[i];
		int got;

		if (!c->returns_status && !ends_something(c->name))
			continue; /* nothing to refuse with: the header says what it needs */
		got = outcome(c->nulls);
		tap_check(got >= RETURNED, __FILE__, __LINE__, "%s crashes with NULL", c->name);
		if (c->returns_status)
			tap_check(got != RETURNED + 1 + SOTTO_OK, __FILE__, __LINE__,
				  "%s takes NULL for a value", c->name);
	}
}

static void zeroed_structs_are_valid_empty_values(void)
{
	for (size_t i = 0; i < CALLS; i++) {
		const struct api_call *c = &api_calls[i];

		if (c->returns_status || ends_in(c->name, "_release"))
			tap_check(outcome(c->zeros) >= RETURNED, __FILE__, __LINE__,
				  "%s crashes with zeroed structs", c->name);
	}
}

/* 0/0 compares equal to everything in GMP: whoever forgot about it answers differently. */
static void a_zeroed_rational_is_the_same_as_zero(void)
{
	for (size_t i = 0; i < CALLS; i++) {
		const struct api_call *c = &api_calls[i];
		int zeroed_one, made_one;

		if (!c->returns_status)
			continue;
		rationals_are_made = false;
		zeroed_one = outcome(c->zeros);
		rationals_are_made = true;
		made_one = outcome(c->zeros);
		tap_check(zeroed_one == made_one, __FILE__, __LINE__,
			  "%s: status %d with a zeroed rational, %d with zero", c->name,
			  zeroed_one - RETURNED - 1, made_one - RETURNED - 1);
	}
}

static bool is_listed(const char *name)
{
	for (size_t i = 0; i < CALLS; i++)
		if (strcmp(api_calls[i].name, name) == 0)
			return true;
	return false;
}

static void every_exported_symbol_is_called(void)
{
	FILE *f = fopen("tools/symbols.txt", "r");
	char name[200];
	size_t n = 0;

	REQUIRE(f != NULL);
	while (fscanf(f, "%199s", name) == 1) {
		tap_check(is_listed(name), __FILE__, __LINE__, "%s is in no header", name);
		n++;
	}
	fclose(f);
	CHECK_INT(n, CALLS);
}

int main(void)
{
	RUN(every_exported_symbol_is_called);
	RUN(null_is_refused_by_every_function_with_a_status);
	RUN(zeroed_structs_are_valid_empty_values);
	RUN(a_zeroed_rational_is_the_same_as_zero);
	return tap_done();
}
