import type { Reporter, TestModule } from 'vitest/node';

type Counts = { readonly passed: number; readonly failed: number; readonly skipped: number };

/** A file or a group whose own code failed counts as one failed test: what was to run in it did not. */
function brokenParts(module: TestModule): number {
  const suites = [...module.children.allSuites()].filter((suite) => suite.errors().length > 0);
  return suites.length + (module.errors().length > 0 ? 1 : 0);
}

function count(modules: readonly TestModule[], unhandled: number): Counts {
  const states = modules.flatMap((module) =>
    [...module.children.allTests()].map((test) => test.result().state),
  );
  const inState = (state: string): number => states.filter((candidate) => candidate === state).length;
  const broken = modules.reduce((sum, module) => sum + brokenParts(module), 0);
  // A run in which nothing was found to run has proved nothing.
  const empty = modules.length === 0 ? 1 : 0;
  return {
    passed: inState('passed'),
    // A test that is still pending when the run ends was cut off.
    failed: inState('failed') + inState('pending') + broken + unhandled + empty,
    skipped: inState('skipped'),
  };
}

/** Ends a run with `N passed, N failed` on a line of its own; skipped tests are counted on the line before. */
// biome-ignore lint/style/noDefaultExport: vitest loads a reporter by the default export of its file
export default function plainLineReporter(): Reporter {
  return {
    onTestRunEnd(modules, unhandledErrors) {
      const { passed, failed, skipped } = count(modules, unhandledErrors.length);
      if (skipped > 0) {
        process.stdout.write(`${skipped} skipped\n`);
      }
      process.stdout.write(`${passed} passed, ${failed} failed\n`);
    },
  };
}
