import { usageError } from '../errors.ts';

/** Whether the environment protects whatever project is acted on. Throws a usage error for a value that is neither. */
export function readProtected(environment: Readonly<Record<string, string | undefined>>): boolean {
  const text = environment.HOGCTL_PROTECTED?.trim().toLowerCase() ?? '';
  if (text === '1' || text === 'true') {
    return true;
  }
  if (text === '' || text === '0' || text === 'false') {
    return false;
  }
  throw usageError('HOGCTL_PROTECTED is neither 1 nor 0', 'set it to 1 to protect the project, or unset it');
}
