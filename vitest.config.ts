import { defineConfig, type TestProjectConfiguration } from 'vitest/config';

/** One folder below `test`. Without isolation the modules of `src` are loaded once for all files of a worker. */
const project = (name: string, { isolate }: { readonly isolate: boolean }): TestProjectConfiguration => ({
  extends: true,
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    isolate,
    // No test that runs the built program tries random cases.
    setupFiles: [
      'test/support/tell-failures.ts',
      ...(name === 'smoke' ? [] : ['test/support/same-cases.ts']),
    ],
  },
});

export default defineConfig({
  test: {
    projects: [
      project('unit', { isolate: false }),
      project('contract', { isolate: false }),
      project('e2e', { isolate: false }),
      project('smoke', { isolate: true }),
      project('matrix', { isolate: false }),
    ],
    globalSetup: ['test/support/sql-texts.ts', 'test/support/temporary-home.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
    // Transformed modules are kept in node_modules under a hash of their content: most runs need few anew.
    experimental: { fsModuleCache: true },
    // Only with --coverage, that is npm run coverage: the rooms that keep a deletion and a key safe.
    coverage: {
      include: ['src/http/**', 'src/settings/**', 'src/erasure/**'],
      reporter: ['text'],
      thresholds: {
        'src/http/**': { branches: 95 },
        'src/settings/**': { branches: 95 },
        'src/erasure/**': { branches: 95 },
      },
    },
  },
});
