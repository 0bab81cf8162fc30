import { systemCode } from '../../errors.ts';

/** What the system refused, in words. */
export function systemReason(cause: unknown): string {
  const code = systemCode(cause) ?? 'unknown';
  const texts: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such file or directory',
    EACCES: 'permission denied',
    EISDIR: 'it is a directory',
    ENOSPC: 'the disk is full',
    EROFS: 'the disk is read-only',
  };
  return texts[code] ?? code;
}
