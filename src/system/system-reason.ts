import { systemCode } from '../errors.ts';

/** What the system refused, in words. */
export function systemReason(cause: unknown): string {
  const code = systemCode(cause) ?? 'unknown';
  const texts: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such file or directory',
    EACCES: 'permission denied',
    EISDIR: 'it is a directory',
    ENOTDIR: 'a part of its path is no directory',
    ENAMETOOLONG: 'its name is too long',
    EPERM: 'the system does not permit it',
    ENOSPC: 'the disk is full',
    EDQUOT: 'the disk space that is allowed is used up',
    EFBIG: 'the file would become larger than is allowed',
    EIO: 'the disk failed',
    EROFS: 'the disk is read-only',
    ELOOP: 'its links lead in a circle',
    EEXIST: 'something of that name is there',
    EMFILE: 'too many files are open',
    EXDEV: 'it lies on another disk',
  };
  return texts[code] ?? code;
}
