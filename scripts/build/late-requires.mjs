/**
 * Makes the requires at the top of a CommonJS chunk run at their first use. What `import` loads before anything runs,
 * the built program loads when it gets there: `--help` never reads the code for requests, nor Node's own crypto.
 *
 * esbuild writes `var import_x = require("x");` once and `import_x.name` at each use; both become calls of a function
 * that remembers the module. An import without names stays as it is, since it is there for its effects.
 */
export function requireLate(code) {
  const pattern = /^var (import_\w+) = (.*\brequire\("[^"]+"\).*);$/gm;
  const names = [...code.matchAll(pattern)].map(([, name]) => name);
  if (names.length === 0) {
    return code;
  }
  const uses = new RegExp(`\\b(${names.join('|')})\\b(?= = |\\.)`, 'g');
  const called = code.replace(uses, (name, _, index) => {
    const before = code.slice(index - 4, index);
    if (before === 'var ') {
      return name;
    }
    // Without the brackets `new` would take the call for itself.
    return before === 'new ' ? `(${name}())` : `${name}()`;
  });
  const left = called.match(new RegExp(`\\b(?:${names.join('|')})\\b(?!\\(\\)\\)?\\.| = )`, 'g'));
  if (left !== null) {
    throw new Error(`uses of a required module in a form that is not known: ${left.join(', ')}`);
  }
  return called.replace(
    pattern,
    (_, name, load) => `var ${name}_loaded;\nfunction ${name}() {\n  return ${name}_loaded ??= ${load};\n}`,
  );
}
