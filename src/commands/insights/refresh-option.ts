import { REFRESH_MODES } from '../../api/endpoints/parameters.ts';
import type { Option } from '../../cli/command/options.ts';

/** `--refresh` with one of the service's modes, or alone. */
export const refreshOption = {
  type: 'text',
  placeholder: 'mode',
  choices: REFRESH_MODES,
  bare: 'blocking',
  description: 'Whether to calculate, and when; alone it means blocking',
} as const satisfies Option;
