import type { Options } from '../../cli/command/options.ts';

/** The options of `api`. */
export const apiOptions = {
  field: {
    type: 'fields',
    short: 'f',
    description: 'A field with a typed value; a[b]=1 reaches inside, a[]=1 adds to a list',
  },
  input: {
    type: 'file',
    reads: 'standard input',
    placeholder: 'file',
    description: 'Send this JSON file as the body; - is standard input',
  },
  paginate: { type: 'flag', description: 'Follow next to the end, and print all rows as one JSON list' },
  include: { type: 'flag', description: 'Print the status and the headers of the answer too' },
  curl: { type: 'flag', description: 'Print the curl command instead, with $HOGCTL_API_KEY for the key' },
} as const satisfies Options;
