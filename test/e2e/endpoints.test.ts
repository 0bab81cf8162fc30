import { describe } from 'vitest';
import { golden } from '../support/golden.ts';

describe('endpoints on the sandbox', () => {
  const { shows } = golden('endpoints');
  shows('shows every operation on a terminal', 'endpoints', { terminal: { columns: 120 } });
  shows('shows every operation on a narrow terminal', 'endpoints', { terminal: { columns: 80 } });
  shows('shows every operation through a pipe', 'endpoints');
  shows('shows every operation as ndjson', 'endpoints -o ndjson --columns spec_id,command,allowed');
  shows(
    'shows the table alone without a host',
    'endpoints -o csv --columns spec_id,command,allowed --host ftp://x',
  );
});

describe('endpoints on the live sandbox', () => {
  const { shows } = golden('endpoints', { dialect: 'live' });
  shows('shows what a key may run', 'endpoints -o csv --columns spec_id,scope,command,allowed');
});
