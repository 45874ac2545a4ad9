/* Code that may not go while something of it runs. */
#ifndef PAIL_PLATFORM_PIN_H
#define PAIL_PLATFORM_PIN_H

/* Keeps the shared object that this is linked into in memory from the first pail_pin to the last
 * pail_unpin, whoever calls dlclose. If that was called meanwhile, the object goes with the first
 * dlclose, of anything, that comes after the last pail_unpin has returned. Costs a thread that
 * sleeps; where it cannot be had the object stays for good. Thread-safe. */
void pail_pin(void);
void pail_unpin(void);

#endif /* PAIL_PLATFORM_PIN_H */
