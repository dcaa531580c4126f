/* The program: runs the command that the arguments name. */
#include <locale.h>
#include <sys/resource.h>

#include "frame/commands.h"

/* A core file would hold exact values. */
static void forbid_core_files(void)
{
	const struct rlimit none = {0, 0};

	(void)setrlimit(RLIMIT_CORE, &none);
}

int main(int argc, char **argv)
{
	forbid_core_files();
	(void)setlocale(LC_CTYPE, "C.UTF-8"); /* for widths in tables; numbers stay plain */
	return command_main(&command_root, (const char *const *)argv, (size_t)argc);
}
