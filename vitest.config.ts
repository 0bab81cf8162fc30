import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
    // Only with --coverage, that is npm run coverage: the rooms that keep a deletion and a key safe.
    coverage: {
      include: ['src/client/**', 'src/config/**', 'src/erasure/**'],
      reporter: ['text'],
      thresholds: {
        'src/client/**': { branches: 95 },
        'src/config/**': { branches: 95 },
        'src/erasure/**': { branches: 95 },
      },
    },
  },
});
