/* What Apple documents of it (manual pages of macOS), as far as host/platform/darwin asks: for the
 * compiler alone. */
enum { ENOMEM = 12 };
