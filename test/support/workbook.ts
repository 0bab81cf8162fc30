import { deflateRawSync } from 'node:zlib';

/** The parts of a workbook by name; what is not given is made of `rows`. */
export type WorkbookParts = {
  /** The XML of the rows of the first sheet. */
  readonly rows: string;
  readonly columns?: string;
  readonly strings?: readonly string[];
  readonly styles?: string;
  readonly sheets?: string;
  readonly others?: Readonly<Record<string, string>>;
};

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** The bytes of an .xlsx workbook. */
export function makeWorkbook({
  rows,
  columns = '',
  strings = [],
  styles = '',
  sheets,
  others = {},
}: WorkbookParts) {
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`;
  return makeZip({
    '[Content_Types].xml': '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}">${sheets ?? '<sheets><sheet name="Requests" sheetId="1" r:id="rId1"/></sheets>'}</workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${[
      relation('rId1', 'worksheet', 'worksheets/sheet1.xml'),
      relation('rId2', 'worksheet', '/xl/worksheets/sheet2.xml'),
      relation('rId8', 'sharedStrings', 'sharedStrings.xml'),
      relation('rId9', 'styles', 'styles.xml'),
    ].join('')}</Relationships>`,
    'xl/sharedStrings.xml': `<sst xmlns="${MAIN}">${strings.map((text) => `<si>${text}</si>`).join('')}</sst>`,
    'xl/styles.xml': `<styleSheet xmlns="${MAIN}">${styles}</styleSheet>`,
    'xl/worksheets/sheet1.xml': sheetOf(rows, columns),
    'xl/worksheets/sheet2.xml': sheetOf('<row r="1"><c r="A1" t="str"><v>second</v></c></row>', ''),
    ...others,
  });
}

/** Rows of texts, from the first one on. */
export function inlineRows(rows: readonly (readonly string[])[]): string {
  const cell = (text: string) => `<c t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`;
  return rows.map((cells) => `<row>${cells.map(cell).join('')}</row>`).join('');
}

export function sheetOf(rows: string, columns = ''): string {
  return `<?xml version="1.0" encoding="UTF-8"?><worksheet xmlns="${MAIN}">${columns}<sheetData>${rows}</sheetData></worksheet>`;
}

/** The bytes of a ZIP archive. */
export function makeZip(files: Readonly<Record<string, string | Buffer>>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const path = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x800, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(path.length, 22);
    parts.push(Buffer.from('PK\x03\x04'), common, path, packed);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00'), common, place, path);
    offset += 30 + path.length + packed.length;
  }
  const listing = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06');
  end.writeUInt16LE(Object.keys(files).length, 8);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(listing.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, listing, end]);
}

/** The checksum of ZIP; Node has it only from 22.2 on. */
function crc32(bytes: Uint8Array): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc >>> 0;
}
