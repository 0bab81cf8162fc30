import { describe } from 'vitest';
import { golden } from '../support/golden.ts';

const wide = { terminal: { columns: 100 } };

describe('projects on the sandbox', () => {
  const { shows } = golden('projects');
  shows('lists projects on a terminal', 'projects list', wide);
  shows('lists projects through a pipe', 'projects list');
  shows('lists projects as json', 'projects list -o json');
  shows('lists chosen fields as csv', 'projects list -o csv --columns id,name');
});

describe('projects on the live sandbox', () => {
  const { shows } = golden('projects', { dialect: 'live' });
  shows('lists projects of the live dialect', 'projects list', wide);
});
