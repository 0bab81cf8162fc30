import type { Options } from '../../../cli/command/options.ts';

/** The options of `insights check`. */
export const checkOptions = {
  expect: { type: 'repeated', placeholder: 'expectation', description: "What is to hold: 'last >= 100'" },
  maxDrop: {
    type: 'text',
    placeholder: 'percent',
    description: 'How much lower than the one before the last figure may be: 20%',
  },
  maxAge: { type: 'duration', placeholder: 'time', description: 'How old the result may be: 30min, 24h' },
  series: { type: 'text', placeholder: 'label', description: 'Only the series with this label' },
  breakdown: { type: 'text', placeholder: 'value', description: 'Only this value of the breakdown' },
} as const satisfies Options;
