import { readFileSync } from 'node:fs';

/** The test authority and the certificates that it signed. */
export function readCertificate(name: 'server' | 'elsewhere' | 'client'): {
  key: string;
  cert: string;
  authority: string;
} {
  const read = (file: string): string =>
    readFileSync(new URL(`./certificates/${file}`, import.meta.url), 'utf8');
  return {
    key: read(`${name}-key-for-tests-only.pem`),
    cert: read(`${name}.pem`),
    authority: read('authority.pem'),
  };
}
