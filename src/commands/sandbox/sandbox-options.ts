import type { Options } from '../../cli/command/options.ts';

/** How a sandbox begins; `start` and `exec` take the same. */
export const sandboxOptions = {
  data: {
    type: 'json',
    placeholder: '@file',
    description: 'Start from this data (JSON, @file or -) and not from the sample',
  },
  empty: { type: 'flag', description: 'Start without people' },
  now: {
    type: 'text',
    placeholder: 'ISO time',
    description: 'What the clock says, for example 2026-03-01T12:00:00Z',
  },
  file: { type: 'file', placeholder: 'file', description: 'Keep the data in this file' },
  dialect: { type: 'text', choices: ['specification', 'live'], description: 'Which service it behaves like' },
} as const satisfies Options;
