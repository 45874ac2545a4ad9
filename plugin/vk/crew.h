/* Threads that help with copying: made when they are first needed, asleep in between. */
#ifndef PAIL_VK_CREW_H
#define PAIL_VK_CREW_H

#include "device.h"

/* threads: the caller's among them; 0: as many as there are processors. Makes none yet. */
pail_status pail_vk_crew_create(struct pail_vk_device *dev, uint32_t threads,
                                struct pail_error *err);
void pail_vk_crew_destroy(struct pail_vk_device *dev);

/* Has each helper call work(user) once, and does not wait for them. Returns false, and nobody
 * helps, where there are none or they help somebody else. After true, call pail_vk_crew_end. */
bool pail_vk_crew_begin(struct pail_vk_device *dev, void (*work)(void *user), void *user);

/* Returns when no helper is in `work` any more; who has not begun it will not. */
void pail_vk_crew_end(struct pail_vk_device *dev);

#endif /* PAIL_VK_CREW_H */
