import fc from 'fast-check';

/**
 * The same random cases in each run, so that what fails fails again: others are tried with `HOGCTL_SEED=4`, and new ones
 * each time with `HOGCTL_FUZZ`.
 */
const { HOGCTL_SEED, HOGCTL_FUZZ } = process.env;
if (HOGCTL_SEED !== undefined || HOGCTL_FUZZ === undefined)
  fc.configureGlobal({ seed: Number(HOGCTL_SEED ?? 17) });
