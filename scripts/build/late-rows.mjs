import { readFileSync } from 'node:fs';

/** Where operations stand as rows of one object, laid out as the formatter lays them out. */
const tables = /[\\/]src[\\/]api[\\/]endpoints[\\/]\w+\.ts$/;

const HEAD = `const once = (table, name, value) => {
  Object.defineProperty(table, name, { value, enumerable: true });
  return value;
};
`;

/**
 * An esbuild plugin that makes each row of the tables of operations when it is first asked for: a command needs one or
 * two of them, and to make all of them costs a fiftieth of a small command. A table in another layout ends the build.
 */
export const lateRows = {
  name: 'late-rows',
  setup(bundler) {
    bundler.onLoad({ filter: tables }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const contents = text.replaceAll(
        /^ {2}(\w+): (\{\n[\s\S]*?^ {2}\}),$/gm,
        (_, name, row) => `  get ${name}() { return once(this, '${name}', ${row}); },`,
      );
      const ids = text.match(/^ {4}id: '/gm)?.length ?? 0;
      const made = contents.match(/return once\(this, '\w+', \{\n {4}id: '/g)?.length ?? 0;
      if (ids !== made) throw new Error(`${path}: of ${ids} operations ${made} stand as rows`);
      return { contents: HEAD + contents, loader: 'ts' };
    });
  },
};

/** An esbuild plugin that leaves JSON a text, which V8 reads faster than the same as code. */
export const jsonAsText = {
  name: 'json-as-text',
  setup(bundler) {
    bundler.onLoad({ filter: /[\\/]src[\\/].*\.json$/ }, ({ path }) => {
      const text = JSON.stringify(JSON.parse(readFileSync(path, 'utf8')));
      return { contents: `export default JSON.parse(${JSON.stringify(text)});` };
    });
  },
};
