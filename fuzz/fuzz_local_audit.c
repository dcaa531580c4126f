/* Reports of a foreign encoder, with and without the parameters of a collection. */
#include "local/design/local_audit.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

/* At most this much is read: an audit of more only takes longer. */
enum { BYTES_MAX = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static const char text[] = "protocol oue\nsize 4\nepsilon 1\n";
	struct sotto_client_params params;
	struct audit_found found = {.proved = 0};
	struct sotto_error err = {""};
	char path[64];
	int fd;

	if (n > BYTES_MAX)
		return 0;
	fd = memfd_create("reports", 0);
	if (fd < 0 || write(fd, bytes, n) != (ssize_t)n ||
	    sotto_local_params_parse(text, strlen(text), &params, &err) != SOTTO_OK)
		__builtin_trap();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	(void)audit_reports(path, NULL, .01, &found, &err);
	audit_found_release(&found);
	found = (struct audit_found){.proved = 0};
	(void)audit_reports(path, &params, .01, &found, &err);
	audit_found_release(&found);
	close(fd);
	return 0;
}
