import type { SandboxKey } from './authorise.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const LENGTH = 40;

const READING = [
  'person:read',
  'activity_log:read',
  'cohort:read',
  'insight:read',
  'sharing_configuration:read',
  'access_control:read',
  'query:read',
  'project:read',
  'user:read',
];

/** Three keys to try scopes with: one that may do everything, one that reads, one that sees persons only. */
export function makeKeys(random: () => number): readonly SandboxKey[] {
  return [
    { key: makeKey(random), label: 'everything', scopes: ['*'] },
    { key: makeKey(random), label: 'reading', scopes: READING },
    { key: makeKey(random), label: 'persons', scopes: ['person:read'] },
  ];
}

function makeKey(random: () => number): string {
  const characters = Array.from({ length: LENGTH }, () => ALPHABET[Math.floor(random() * ALPHABET.length)]);
  return `phx_${characters.join('')}`;
}
