#!/usr/bin/python3
"""Writes workbooks with odd features into a folder, and expected.json: per file what a person sees in the column.

Needs Debian's python3-openpyxl and python3-xlsxwriter. `addresses` are those that a reader of the
sheet sees and must be read; `refuse` says that an error is the only right answer; `kind` and `args` go to hogctl.
"""
import json, os, re, sys, zipfile, datetime, shutil
import openpyxl
from openpyxl.styles import Font, Alignment
from openpyxl.worksheet.table import Table, TableStyleInfo
from openpyxl.comments import Comment
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.formatting.rule import FormulaRule
from openpyxl.chart import BarChart, Reference
import xlsxwriter

out = sys.argv[1]
os.makedirs(out, exist_ok=True)
expected = {}
A = ['ana.berg@example.org', 'Greta.Santos@example.org', 'luis.cohen@example.org', 'zoe.novak@example.org']

def want(name, addresses=A, refuse=False, kind='emails', args=(), note=''):
    expected[name] = dict(addresses=list(addresses), refuse=refuse, kind=kind, args=list(args), note=note)
    return os.path.join(out, name)

def book(rows=None, title='Requests'):
    wb = openpyxl.Workbook(); ws = wb.active; ws.title = title
    for row in (rows or [['ticket', 'email']] + [[f'R-{i+1}', a] for i, a in enumerate(A)]): ws.append(row)
    return wb, ws

def edit(source, target, changes):
    """Copies an archive; changes maps a part to a function of its text, or to bytes of a new part."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, 'w', zipfile.ZIP_DEFLATED) as new:
        for item in old.infolist():
            body = old.read(item.filename)
            for part, change in changes.items():
                if callable(change) and re.fullmatch(part, item.filename):
                    got = change(body.decode())
                    body = got if isinstance(got, bytes) else got.encode()
            new.writestr(item.filename, body)
        for part, change in changes.items():
            if not callable(change): new.writestr(part, change)

# --- openpyxl -------------------------------------------------------------------------------------------------
wb, ws = book(); wb.save(want('plain.xlsx'))
plain = os.path.join(out, 'plain.xlsx')

wb, ws = book([['ticket', 'received', 'email']] + [[f'R-{i}', datetime.date(2026, 6, i + 1), a] for i, a in enumerate(A)])
from openpyxl.utils.datetime import CALENDAR_MAC_1904
wb.epoch = CALENDAR_MAC_1904; wb.save(want('dates-1904.xlsx'))

wb, ws = book([['ticket', 'email'], [1, '="ana.berg"&"@example.org"'], [2, 'luis.cohen@example.org']])
wb.save(want('formula-no-value.xlsx', ['luis.cohen@example.org'], refuse=True))

wb, ws = book([['ticket', 'email'], [1, A[0]], [2, None], [3, A[2]]]); ws.merge_cells('B2:B3')
wb.save(want('merged-down.xlsx', [A[0], A[2]]))
wb, ws = book([['ticket', 'email', None], [1, A[0], None], [2, A[1], None]]); ws.merge_cells('B1:C1'); ws.merge_cells('B2:C2'); ws.merge_cells('B3:C3')
wb.save(want('merged-across.xlsx', A[:2]))
wb, ws = book([['Requests of June', None], ['ticket', 'email']] + [[i, a] for i, a in enumerate(A)]); ws.merge_cells('A1:B1')
wb.save(want('title-above.xlsx', A))
wb, ws = book([[None, None], [None, None], ['ticket', 'email']] + [[i, a] for i, a in enumerate(A)]); wb.save(want('two-empty-rows-above.xlsx'))
wb, ws = book([['ticket', 'email'], [1, A[0]], [None, None], [2, A[1]], [None, None], [3, A[2]], [4, A[3]]]); wb.save(want('gaps.xlsx'))

def hidden_sheet(state):
    wb, ws = book(); ws2 = wb.create_sheet('Old', 0); ws2.append(['ticket', 'email']); ws2.append(['R-9', 'old.person@example.org']); ws2.sheet_state = state
    wb.active = 1; return wb
hidden_sheet('hidden').save(want('hidden-sheet-first.xlsx', A, refuse=True))
hidden_sheet('veryHidden').save(want('very-hidden-sheet-first.xlsx', A, refuse=True))
hidden_sheet('hidden').save(want('hidden-sheet-chosen.xlsx', A, args=['--sheet', 'Requests']))
wb, ws = book(); ws.row_dimensions[3].hidden = True; wb.save(want('hidden-row.xlsx', [A[0], A[2], A[3]], refuse=True))
wb, ws = book(); ws.column_dimensions['A'].hidden = True; wb.save(want('hidden-column-other.xlsx', A, refuse=True))
wb, ws = book(); ws.column_dimensions['B'].hidden = True; wb.save(want('hidden-column-email.xlsx', [], refuse=True))
wb, ws = book(); ws.auto_filter.ref = 'A1:B5'; ws.auto_filter.add_filter_column(1, [A[0]]); [setattr(ws.row_dimensions[r], 'hidden', True) for r in (3, 4, 5)]
wb.save(want('filtered.xlsx', [A[0]], refuse=True))
wb, ws = book(); ws.auto_filter.ref = 'A1:B5'; ws.auto_filter.add_filter_column(1, [A[0]]); wb.save(want('filter-not-applied.xlsx', A, note='filter is written, rows are not hidden: Excel shows all until it is applied'))
wb, ws = book(); ws.row_dimensions.group(3, 4, hidden=True); wb.save(want('grouped-rows.xlsx', [A[0], A[3]], refuse=True))
wb, ws = book(); ws.sheet_format.zeroHeight = True
for r in (1, 2): ws.row_dimensions[r].height = 15
wb.save(want('rows-hidden-by-default.xlsx', [A[0]], refuse=True, note='sheetFormatPr zeroHeight=1; rows 1 and 2 have a height of their own'))
wb, ws = book(); ws.sheet_format.defaultColWidth = 0; wb.save(want('columns-of-width-0-by-default.xlsx', A, refuse=True))
wb, ws = book(); ws.row_dimensions[3].height = 0.5; wb.save(want('row-of-half-a-point.xlsx', [A[0], A[2], A[3]], refuse=True))
wb, ws = book(); ws.column_dimensions['A'].width = 0.1; wb.save(want('column-of-a-tenth.xlsx', A))

wb, ws = book(); ws['B3'].number_format = ';;;'; wb.save(want('text-format-hides.xlsx', [A[0], A[2], A[3]], refuse=True, note='format ;;; shows no text either'))
wb, ws = book([['ticket', 'email'], [1, 'ana.berg'], [2, 'luis.cohen']])
for r in (2, 3): ws.cell(r, 2).number_format = '@"@example.org"'
wb.save(want('text-format-adds.xlsx', ['ana.berg@example.org', 'luis.cohen@example.org'], note='a person sees ana.berg@example.org'))
wb, ws = book(); ws['B3'].font = Font(color='00FFFFFF'); wb.save(want('white-on-white.xlsx'))
wb, ws = book(); ws['B3'].font = Font(strike=True); wb.save(want('struck-through.xlsx', note='a struck-through line often means: done, or not this one'))

wb, ws = book(); t = Table(displayName='Requests', ref='A1:B5'); t.tableStyleInfo = TableStyleInfo(name='TableStyleMedium9'); ws.add_table(t); wb.save(want('table.xlsx'))
wb, ws = book([['ticket', 'email']] + [[i, a] for i, a in enumerate(A)] + [['Total', 4]])
t = Table(displayName='Requests', ref='A1:B6', totalsRowCount=1); ws.add_table(t); wb.save(want('table-totals.xlsx', A, refuse=True))
wb, ws = book(); ws.append([]); ws.append([]); ws.append(['Made by', 'HR, 12 June']); wb.save(want('note-below.xlsx', A, refuse=True))

wb, ws = book([['n' + str(i) for i in range(16383)] + ['email']] + [['x'] + [None] * 16382 + [a] for a in A]); wb.save(want('wide-16384.xlsx'))
wb, ws = book([['ticket', 'email']] + [[i, a] for i, a in enumerate(A)]); ws['XFD3'] = 'note'; wb.save(want('stray-cell-far-right.xlsx', A, note='a cell in column XFD of row 3, above which no name stands'))
wb, ws = book(); ws['C3'] = 'called back'; wb.save(want('note-beside-table.xlsx'))

wb, ws = book([['ticket', 'email'], [1, 'Ana'], [2, A[1]]]); ws['B2'].hyperlink = 'mailto:' + A[0]; ws['B2'].value = 'Ana'; wb.save(want('mailto-with-name.xlsx', [A[1]], refuse=True))
wb, ws = book(); ws['B2'].hyperlink = 'mailto:someone.else@example.org'; ws['B2'].value = A[0]; wb.save(want('mailto-of-another.xlsx'))
wb, ws = book(); [setattr(ws.cell(r, 2), 'hyperlink', 'mailto:' + A[r - 2]) for r in range(2, 6)]; wb.save(want('mailto-plain.xlsx', A))
wb, ws = book([['ticket', 'email'], [1, '=HYPERLINK("mailto:ana.berg@example.org","ana.berg@example.org")']]); wb.save(want('hyperlink-formula.xlsx', [], refuse=True))

wb, ws = book(); ws['B3'].comment = Comment('not this one', 'HR'); ws.add_data_validation(DataValidation(type='list', formula1='"a@example.org,b@example.org"')); ws.conditional_formatting.add('B2:B5', FormulaRule(formula=['$B2="x@example.org"'])); wb.save(want('comment-validation-condition.xlsx'))
wb, ws = book([['ticket', 'email'], [1, A[0] + '\n' + A[1]], [2, A[2]]]); wb.save(want('two-in-one-cell.xlsx', A[:3], refuse=True))
wb, ws = book([['ticket', 'email'], [1, A[0] + '; ' + A[1]], [2, A[2]]]); wb.save(want('two-with-semicolon.xlsx', A[:3], refuse=True))
wb, ws = book([['ticket', 'email'], [1, A[0] + '\u00a0'], [2, '\u200b' + A[2]]]); wb.save(want('unseen-characters.xlsx', [], refuse=True))
wb, ws = book([['ticket', 'email'], [1, ' ' + A[0] + ' '], [2, A[2]]]); wb.save(want('spaces-trim.xlsx', [A[0], A[2]], args=['--trim']))
wb, ws = book([['ticket', 'email'], [1, A[0]], [2, '#N/A'], [3, True], [4, datetime.date(2026, 3, 1)]]); ws['B3'].data_type = 'e'; wb.save(want('error-bool-date.xlsx', [A[0]], refuse=True))
wb, ws = book([['ticket', 'Email'], [1, A[0]]]); wb.save(want('header-capital.xlsx', A[:1]))
wb, ws = book([['ticket', ' email '], [1, A[0]]]); wb.save(want('header-spaces.xlsx', A[:1]))
wb, ws = book([['email', 'email'], [A[0], A[1]]]); wb.save(want('two-columns-email.xlsx', [], refuse=True))
wb, ws = book([['email', 'Email'], [A[0], A[1]]]); wb.save(want('two-columns-by-case.xlsx', [], refuse=True, note='email and Email: only one is read'))
wb, ws = book([['email']] + [[a] for a in A]); wb.save(want('one-column.xlsx'))
wb, ws = book([[a] for a in A]); wb.save(want('one-column-no-header.xlsx', A, args=['--no-column']))
wb, ws = book(); ws.protection.sheet = True; ws.protection.set_password('x'); wb.save(want('sheet-protected.xlsx'))
wb, ws = book(); ws.print_area = 'A1:B3'; wb.save(want('print-area.xlsx'))
wb, ws = book(); cs = wb.create_chartsheet('Chart', 0); c = BarChart(); c.add_data(Reference(ws, min_col=1, min_row=1, max_row=3)); cs.add_chart(c); wb.save(want('chart-sheet-first.xlsx', A, note='a note must name the sheet that has the column'))
wb, ws = book(); ws2 = wb.create_sheet('More'); ws2.append(['ticket', 'email']); ws2.append([9, 'more@example.org']); wb.save(want('second-sheet-more.xlsx', A, note='a note must name the other sheet'))
wb, ws = book(); ws.sheet_view.rightToLeft = True; wb.save(want('right-to-left.xlsx'))
wb, ws = book([['ticket', 'email']] + [[i, a] for i, a in enumerate(['müller@exämple.de', '用户@例子.广告', 'o\u2019neil@example.org'])]); wb.save(want('international.xlsx', ['müller@exämple.de', '用户@例子.广告', 'o\u2019neil@example.org']))
wb, ws = book([['ticket', 'email']] + [[i, f'person{i}@example.org'] for i in range(1200)]); wb.save(want('rows-1200.xlsx', [f'person{i}@example.org' for i in range(1200)]))

# ids
ids = [('00042', 42, '00000'), ('user-7', 7, '"user-"0'), ('1,234', 1234, '#,##0'), ('1.23E+15', 1234567890123456, '0.00E+00'), ('0012-345', 12345, '0000-000')]
wb, ws = book([['ticket', 'distinct_id'], ['a', 42], ['b', 7]]); ws['B2'].number_format = '00000'; ws['B3'].number_format = '"user-"0'
wb.save(want('ids-formats.xlsx', ['00042', 'user-7'], kind='distinct-ids'))
for n, (seen, value, code) in enumerate(ids[2:]):
    wb, ws = book([['ticket', 'distinct_id'], ['a', value]]); ws['B2'].number_format = code
    wb.save(want(f'ids-format-{n}.xlsx', [seen], kind='distinct-ids', refuse=n < 2, note=code))
wb, ws = book([['ticket', 'distinct_id'], ['a', 12345678901234567890], ['b', 9007199254740993], ['c', 0.1], ['d', 1e21], ['e', 123456789012]]); wb.save(want('ids-large.xlsx', [], kind='distinct-ids', refuse=True))
wb, ws = book([['ticket', 'distinct_id'], ['a', 123456789012], ['b', 12345678901]]); wb.save(want('ids-12-digits.xlsx', ['123456789012', '12345678901'], kind='distinct-ids', note='General shows 12 digits as 1.23457E+11'))
for n, code in enumerate(['[>=1000]0;00000', '[$-407]00000', '00000_)', '* 00000', '[Red]00000', '00000;-00000;""', '0%', '# ?/?', '[h]:mm', '_-* 00000_-', '?????', '0000000000000000000']):
    value = 42
    wb, ws = book([['ticket', 'distinct_id'], ['a', value], ['b', 4242]])
    for r in (2, 3): ws.cell(r, 2).number_format = code
    seen = {'[>=1000]0;00000': ['00042', '4242'], '0%': ['4200%', '424200%'], '0000000000000000000': ['0000000000000000042', '0000000000000004242'], '[h]:mm': ['1008:00', '101808:00'], '# ?/?': ['42', '4242'], '?????': ['42', '4242']}.get(code, ['00042', '04242'])
    wb.save(want(f'ids-code-{n}.xlsx', seen, kind='distinct-ids', note=code))

# --- xlsxwriter ------------------------------------------------------------------------------------------------
def xw(name, fill, options=None, **more):
    wb = xlsxwriter.Workbook(want(name, **more), options or {}); ws = wb.add_worksheet('Requests'); ws.write_row(0, 0, ['ticket', 'email']); fill(wb, ws); wb.close()
def rows(wb, ws):
    for i, a in enumerate(A): ws.write_row(i + 1, 0, [f'R-{i}', a])
xw('xw-plain.xlsx', rows)
xw('xw-inline.xlsx', rows, {'constant_memory': True})
def rich(wb, ws):
    bold = wb.add_format({'bold': True}); ws.write_rich_string(1, 1, bold, 'ana', '.berg@', bold, 'example.org'); ws.write(2, 1, A[1])
xw('xw-rich.xlsx', rich, addresses=A[:2])
def rich_inline(wb, ws): rich(wb, ws)
xw('xw-rich-inline.xlsx', rich_inline, {'constant_memory': True}, addresses=A[:2])
def urls(wb, ws):
    for i, a in enumerate(A): ws.write_url(i + 1, 1, 'mailto:' + a)
xw('xw-mailto.xlsx', urls)
def urls2(wb, ws):
    for i, a in enumerate(A): ws.write_url(i + 1, 1, 'mailto:' + a, string='mailto:' + a)
xw('xw-mailto-shown.xlsx', urls2)
def zero(wb, ws):
    for i, a in enumerate(A): ws.write_formula(i + 1, 1, f'=LOWER("{a}")')
xw('xw-formula-zero.xlsx', zero, addresses=[], refuse=True, note='formulas whose stored value is 0')
def empty(wb, ws):
    ws.write(1, 1, A[0])
    for i, a in enumerate(A[1:]): ws.write_formula(i + 2, 1, f'=LOWER("{a}")', None, '')
xw('xw-formula-empty-text.xlsx', empty, addresses=[A[0]], refuse=True, note='formulas whose stored value is an empty text')
def good(wb, ws):
    for i, a in enumerate(A): ws.write_formula(i + 1, 1, f'=LOWER("{a}")', None, a.lower())
xw('xw-formula-value.xlsx', good, addresses=[a.lower() for a in A])
def array(wb, ws):
    ws.write_dynamic_array_formula('B2:B5', '=UNIQUE(D2:D5)', None, A[0])
    for i, a in enumerate(A[1:]): ws.write_string(i + 2, 1, a)
xw('xw-dynamic-array.xlsx', array)
def spill(wb, ws):
    ws.write_dynamic_array_formula('B2', '=UNIQUE(D2:D5)', None, A[0])
    for i, a in enumerate(A): ws.write(i + 1, 3, a)
xw('xw-spill-not-calculated.xlsx', spill, addresses=[A[0]], refuse=False, note='a dynamic array of which only the first value is stored: Excel shows 4 addresses')
def table(wb, ws): ws.add_table('A1:B5', {'data': [[f'R-{i}', a] for i, a in enumerate(A)], 'columns': [{'header': 'ticket'}, {'header': 'email'}]})
xw('xw-table.xlsx', table)
def date1904(wb, ws): rows(wb, ws); ws.write_datetime(1, 2, datetime.datetime(2026, 6, 1), wb.add_format({'num_format': 'dd.mm.yyyy'}))
xw('xw-1904.xlsx', date1904, {'date_1904': True})
def numbers(wb, ws): rows(wb, ws); ws.write_string(5, 1, '1.23E+15'); 
xw('xw-string-number.xlsx', numbers, refuse=True)
def control(wb, ws): ws.write(1, 1, A[0]); ws.write(2, 1, 'lu\x01is@example.org'); ws.write(3, 1, 'x_x0041_y@example.org')
xw('xw-escapes.xlsx', control, addresses=[A[0]], refuse=True)
def escaped(wb, ws): ws.write(1, 1, A[0]); ws.write(2, 1, 'a_x0041_b@example.org')
xw('xw-escape-literal.xlsx', escaped, addresses=[A[0], 'a_x0041_b@example.org'], note='a real _x0041_ in an address')

# --- made by hand ----------------------------------------------------------------------------------------------
src = os.path.join(out, 'xw-plain.xlsx')
STRICT = [('http://schemas.openxmlformats.org/spreadsheetml/2006/main', 'http://purl.oclc.org/ooxml/spreadsheetml/main'), ('http://schemas.openxmlformats.org/officeDocument/2006/relationships', 'http://purl.oclc.org/ooxml/officeDocument/relationships')]
def strict(text):
    for old, new in STRICT: text = text.replace(old, new)
    return text
edit(src, want('strict.xlsx'), {r'.*\.(xml|rels)': strict})
def phonetic(text): return text.replace('<t>ana.berg@example.org</t>', '<t>ana.berg@example.org</t><rPh sb="0" eb="3"><t>アナ</t></rPh><phoneticPr fontId="1"/>')
edit(src, want('phonetic.xlsx'), {'xl/sharedStrings.xml': phonetic})
edit(src, want('prefixed.xlsx'), {'xl/worksheets/sheet1.xml': lambda t: re.sub(r'<(/?)(\w)', r'<\1x:\2', t).replace('<x:?xml', '<?xml').replace('xmlns=', 'xmlns:x=').replace('<?x:xml', '<?xml')})
def utf16(text): return text.replace('encoding="UTF-8"', 'encoding="UTF-16"').encode('utf-16')
edit(src, want('parts-utf16.xlsx'), {'xl/sharedStrings.xml': utf16})
edit(src, want('cells-without-places.xlsx'), {'xl/worksheets/sheet1.xml': lambda t: re.sub(r' r="[A-Z]*\d+"', '', t)})
edit(src, want('rows-in-disorder.xlsx', A, note='row 1 with the names stands last in the file'), {'xl/worksheets/sheet1.xml': lambda t: re.sub(r'(<sheetData>)(<row r="1".*?</row>)(.*)(</sheetData>)', r'\1\3\2\4', t)})
edit(src, want('row-twice.xlsx', A, note='row 3 twice with other people: a reader sees one'), {'xl/worksheets/sheet1.xml': lambda t: re.sub(r'(<row r="3".*?</row>)', r'\1\1', t)})
edit(src, want('shared-string-missing.xlsx', [], refuse=True), {'xl/sharedStrings.xml': lambda t: re.sub(r'<si><t>zoe.*?</si>', '', t)})
edit(src, want('rels-relative-dots.xlsx'), {'xl/_rels/workbook.xml.rels': lambda t: t.replace('Target="worksheets/', 'Target="../xl/worksheets/').replace('Target="sharedStrings', 'Target="./sharedStrings')})
edit(src, want('rels-percent.xlsx'), {'xl/_rels/workbook.xml.rels': lambda t: t.replace('Target="worksheets/sheet1', 'Target="worksheets/sheet%31')})
edit(src, want('shared-strings-other-case.xlsx'), {'xl/_rels/workbook.xml.rels': lambda t: t.replace('sharedStrings.xml', 'SharedStrings.xml')})
edit(src, want('ignorable-choice.xlsx', A, note='mc:AlternateContent around cells: reader takes one branch'), {'xl/worksheets/sheet1.xml': lambda t: t.replace('<worksheet ', '<worksheet xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:zz="urn:zz" ').replace('<sheetData>', '<sheetData><mc:AlternateContent><mc:Choice Requires="zz"><row r="9"><c r="A9" t="inlineStr"><is><t>x</t></is></c><c r="B9" t="inlineStr"><is><t>nobody@example.org</t></is></c></row></mc:Choice></mc:AlternateContent>')})
# written as a stream, with data descriptors
class Pipe:
    def __init__(self, f): self.f = f
    def write(self, b): return self.f.write(b)
    def flush(self): self.f.flush()
with open(want('streamed.xlsx'), 'wb') as f, zipfile.ZipFile(src) as old, zipfile.ZipFile(Pipe(f), 'w', zipfile.ZIP_DEFLATED) as new:
    for item in old.infolist():
        with new.open(item.filename, 'w') as part: part.write(old.read(item.filename))
with zipfile.ZipFile(src) as old, zipfile.ZipFile(want('stored.xlsx'), 'w', zipfile.ZIP_STORED) as new:
    for item in old.infolist(): new.writestr(item.filename, old.read(item.filename))
with zipfile.ZipFile(src) as old, zipfile.ZipFile(want('bzip2.xlsx', A, refuse=True), 'w', zipfile.ZIP_BZIP2) as new:
    for item in old.infolist(): new.writestr(item.filename, old.read(item.filename))
with zipfile.ZipFile(src) as old, zipfile.ZipFile(want('backslashes.xlsx'), 'w', zipfile.ZIP_DEFLATED) as new:
    for item in old.infolist():
        info = zipfile.ZipInfo('x'); info.filename = item.filename.replace('/', '\\'); new.writestr(info, old.read(item.filename))
with zipfile.ZipFile(want('binary.xlsb', [], refuse=True), 'w') as new:
    new.writestr('[Content_Types].xml', '<Types/>'); new.writestr('xl/workbook.bin', b'\0')
shutil.copyfile(src, want('template.xltx')); shutil.copyfile(src, want('macros.xlsm')); shutil.copyfile(src, want('no-extension', A))
edit(src, want('workbook-elsewhere.xlsx', A), {'_rels/.rels': lambda t: t.replace('xl/workbook.xml', 'excel/book.xml')})

json.dump(expected, open(os.path.join(out, 'expected.json'), 'w'), indent=1, ensure_ascii=False)
print(len(expected), 'files')
