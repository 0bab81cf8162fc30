import type { Options } from '../../cli/command/options.ts';

export const loginOptions = {
  name: { type: 'text', placeholder: 'name', description: 'What to call the project here (project-<id>)' },
  protected: { type: 'flag', description: 'Destructive commands want its name typed' },
  keyStdin: { type: 'flag', description: 'Read the key from standard input' },
  dialect: {
    type: 'text',
    choices: ['specification', 'live'],
    description: 'Form of the requests, where it is not found out',
  },
} as const satisfies Options;
