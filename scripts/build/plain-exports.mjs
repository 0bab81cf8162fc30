const HELPERS = ['__toESM', '__toCommonJS', '__copyProps', '__export', '__hasOwnProp', '__getProtoOf'];
/** A chunk that has nothing but exports of one other chunk. */
const HANDS_ON =
  /^var (\w+)_loaded;\nfunction \1\(\) \{\n {2}return \1_loaded \?\?= require\("([^"]+)"\);\n\}\nmodule\.exports = \{ (?:get (\w+)\(\) \{ return \1\(\)\.\3; \}(?:, )?)+ \};\n$/;
const MORE_HELPERS = ['__getOwnPropNames', '__getOwnPropDesc', '__defProp', '__create'];

/**
 * Gives a chunk one object of plain properties as its exports. esbuild defines a getter for each export and copies all of
 * them behind getters of their own, which costs a start with 30 chunks a twentieth. A name that is set again after its
 * definition keeps its getter.
 *
 * The object is there when the chunk has run, so chunks may not need each other in a circle; `refuseCircles` looks.
 */
export function exportPlainly(code) {
  const made =
    /^var stdin_exports = \{\};\n__export\(stdin_exports, \{\n([\s\S]*?)\n\}\);\nmodule\.exports = __toCommonJS\(stdin_exports\);\n/m;
  const found = code.match(made);
  if (found === null) {
    return code;
  }
  const rest = code
    .replace(made, '')
    .replace(/^\/\/ Annotate.*\n0 && \(module\.exports = \{[^}]*\}\);\n/m, '');
  const names = found[1].split(',\n').map((line) => toExport(line, rest));
  return `${rest.trimEnd()}\nmodule.exports = { ${names.join(', ')} };\n`;
}

/**
 * Takes what a dynamic import gives as it is, where esbuild would copy it behind getters once more, and a chunk that only
 * hands on what another one exports by that other one. What is no ES module has no `default` then.
 */
export function importPlainly(code, codes) {
  return code.replaceAll(/\.then\(\(\) => __toESM\(require\("([^"]+)"\)\)\)/g, (_, id) => {
    const handedOn = codes.get(id.replace('./', ''))?.match(HANDS_ON)?.[2];
    return `.then(() => require("${handedOn ?? id}"))`;
  });
}

function toExport(line, code) {
  const found = line.match(/^ {2}("[^"]+"|[\w$]+): \(\) => (.+)$/);
  if (found === null) {
    throw new Error(`an export in a form that is not known: ${line}`);
  }
  const [, name, value] = found;
  const isPlain = /^[\w$]+$/.test(value) && !isSetAgain(value, code);
  return isPlain ? `${name}: ${value}` : `get ${name}() { return ${value}; }`;
}

/** Anything that may set the name beyond its definition; a name that is taken for set costs a little time only. */
function isSetAgain(name, code) {
  const word = `(?<![\\w$.])${name.replaceAll('$', '\\$')}(?![\\w$])`;
  const sets = new RegExp(
    `${word}\\s*(?:=(?![=>])|[-+*/%&|^?<>]{1,3}=(?!=)|\\+\\+|--)|(?:\\+\\+|--)\\s*${word}`,
    'g',
  );
  const unpacked = new RegExp(`[[{,.]\\s*(?:[\\w$]+: )?${word}\\s*(?:,[^;()]*)?[\\]}]\\s*=(?![=>])`);
  return [...code.matchAll(sets)].length > 1 || unpacked.test(code);
}

/** Leaves out what esbuild put at the head of a chunk and nothing needs any more. */
export function leaveOutUnused(code) {
  const definition = (name) =>
    new RegExp(`^var ${name} = (?:[\\w.]+|.*\\{\\n[\\s\\S]*?^\\}|.*\\([\\s\\S]*?^\\)\\)|.*);\\n`, 'm');
  return [...HELPERS, ...MORE_HELPERS].reduce(
    (left, name) => (left.split(name).length === 2 ? left.replace(definition(name), '') : left),
    code,
  );
}

/** Throws where chunks, given as pairs of name and code, need each other in a circle when they are loaded. */
export function refuseCircles(chunks) {
  const needs = new Map(chunks.map(([name, code]) => [name, namesOf(code)]));
  const done = new Set();
  const visit = (name, path) => {
    if (path.includes(name))
      throw new Error(`chunks need each other in a circle: ${[...path, name].join(' -> ')}`);
    if (done.has(name)) return;
    for (const next of needs.get(name) ?? []) visit(next, [...path, name]);
    done.add(name);
  };
  for (const name of needs.keys()) visit(name, []);
}

const namesOf = (code) =>
  [...code.matchAll(/_loaded \?\?= .*?require\("\.\/([^"]+)"\)/g)].map(([, name]) => name);
