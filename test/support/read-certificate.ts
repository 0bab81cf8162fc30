import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, 'certificates');

/** The file of the test authority. */
export const AUTHORITY = join(folder, 'authority.pem');

type Certificate = { readonly key: string; readonly cert: string; readonly authority: string };

/** The test authority and the certificates that it signed. */
export function readCertificate(name: 'server' | 'elsewhere' | 'client'): Certificate {
  return {
    key: read(`${name}-key-for-tests-only.pem`),
    cert: read(`${name}.pem`),
    authority: read('authority.pem'),
  };
}

/** Another authority with what it signed, all with the key of the server; an intermediate one signed `chained`. */
export function readOther(
  name: 'chained' | 'expired' | 'early',
): Certificate & { readonly intermediate: string } {
  return {
    key: read('server-key-for-tests-only.pem'),
    cert: read(`${name}.pem`),
    authority: read('root.pem'),
    intermediate: read('intermediate.pem'),
  };
}

function read(file: string): string {
  return readFileSync(join(folder, file), 'utf8');
}
