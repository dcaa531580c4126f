/* SHA-256 by OpenSSL; two lower-case hexadecimal digits for each byte. */
#include "core/base/digest_text.h"

#include <openssl/evp.h>

void sotto_hex(const void *bytes, size_t n, char *out)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *b = bytes;

	for (size_t i = 0; i < n; i++) {
		out[2 * i] = digits[b[i] >> 4];
		out[2 * i + 1] = digits[b[i] & 15];
	}
	out[2 * n] = '\0';
}

enum sotto_status sotto_digest_text(const void *bytes, size_t n, char out[SOTTO_DIGEST_SIZE])
{
	unsigned char digest[(SOTTO_DIGEST_SIZE - 1) / 2];

	if (EVP_Digest(bytes, n, digest, NULL, EVP_sha256(), NULL) != 1)
		return SOTTO_ENOMEM;
	sotto_hex(digest, sizeof digest, out);
	return SOTTO_OK;
}
