/*
 * Reads /proc: children are the processes whose parent is this one, and limits come from the
 * files of each.
 */
#include "testlib/children.h"

#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Its state and its parent; false if it is gone. */
static bool read_stat(pid_t pid, char *state, pid_t *parent)
{
	char path[64], line[512] = "", *end;
	FILE *f;

	(void)snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	end = fgets(line, sizeof line, f) ? strrchr(line, ')') : NULL;
	(void)fclose(f);
	return end && sscanf(end + 1, " %c %d", state, parent) == 2;
}

size_t children_find(pid_t *out, size_t most)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	size_t n = 0;

	while (d && (e = readdir(d)) != NULL) {
		pid_t pid = (pid_t)strtol(e->d_name, NULL, 10), parent;
		char state;

		if (!isdigit((unsigned char)e->d_name[0]) || !read_stat(pid, &state, &parent) ||
		    parent != getpid() || state == 'Z')
			continue;
		if (n < most)
			out[n] = pid;
		n++;
	}
	if (d)
		(void)closedir(d);
	return n;
}

pid_t children_only(void)
{
	pid_t pid;

	return children_find(&pid, 1) == 1 ? pid : 0;
}

size_t children_signal(int signal)
{
	pid_t pids[64];
	size_t n = children_find(pids, 64);

	for (size_t i = 0; i < n && i < 64; i++)
		(void)kill(pids[i], signal);
	return n;
}

bool process_runs(pid_t pid)
{
	pid_t parent;
	char state;

	return read_stat(pid, &state, &parent) && state != 'Z' && state != 'X';
}

/* The rest of the line that begins so in a file of /proc/PID; false if there is none. */
static bool find_line(pid_t pid, const char *file, const char *name, char *rest, size_t size)
{
	char path[64], line[512];
	bool found = false;
	FILE *f;

	(void)snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
	f = fopen(path, "re");
	while (f && !found && fgets(line, sizeof line, f)) {
		found = strncmp(line, name, strlen(name)) == 0;
		if (found)
			(void)snprintf(rest, size, "%s", line + strlen(name));
	}
	if (f)
		(void)fclose(f);
	return found;
}

long long process_limit(pid_t pid, const char *name)
{
	char rest[512];
	long long limit;

	return find_line(pid, "limits", name, rest, sizeof rest) &&
			       sscanf(rest, " %lld", &limit) == 1
		       ? limit
		       : -1;
}

bool process_dies_first(pid_t pid)
{
	char rest[512];

	return find_line(pid, "oom_score_adj", "1000", rest, sizeof rest);
}

size_t process_threads(pid_t pid)
{
	char rest[512];

	return find_line(pid, "status", "Threads:", rest, sizeof rest)
		       ? (size_t)strtoul(rest, NULL, 10)
		       : 0;
}
