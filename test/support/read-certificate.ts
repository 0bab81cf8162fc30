import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, 'certificates');

/** The file of the test authority. */
export const AUTHORITY = join(folder, 'authority.pem');

/** The test authority and the certificates that it signed. */
export function readCertificate(name: 'server' | 'elsewhere' | 'client'): {
  key: string;
  cert: string;
  authority: string;
} {
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
  return {
    key: read(`${name}-key-for-tests-only.pem`),
    cert: read(`${name}.pem`),
    authority: read('authority.pem'),
  };
}
