import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'

/** A workbook (ECMA-376) with one sheet of inline texts and numbers. */
export function workbook(rows: readonly (readonly (string | number)[])[]): Uint8Array {
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
  const packaged = 'http://schemas.openxmlformats.org/package/2006'
  const cell = (value: string | number, at: string) =>
    typeof value === 'number' ? `<c r="${at}"><v>${value}</v></c>` : `<c r="${at}" t="inlineStr"><is><t>${value}</t></is></c>`
  const lines = rows.map(
    (cells, row) =>
      `<row r="${row + 1}">${cells.map((value, column) => cell(value, `${String.fromCharCode(65 + column)}${row + 1}`)).join('')}</row>`,
  )
  const kind = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
  const files = {
    '[Content_Types].xml': `<Types xmlns="${packaged}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${kind}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${kind}.worksheet+xml"/></Types>`,
    '_rels/.rels': `<Relationships xmlns="${packaged}/relationships"><Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="Prices" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packaged}/relationships"><Relationship Id="rId1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${main}"><sheetData>${lines.join('')}</sheetData></worksheet>`,
  }
  return zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])))
}

/** A workbook whose cells all refer to one text. */
export function workbookOfOneText(text: string, rows: number, columns: number): Uint8Array {
  const files = unzipSync(workbook([['x']]))
  const row = (r: number) =>
    Array.from({ length: columns }, (_, c) => `<c r="${String.fromCharCode(65 + c)}${r}" t="s"><v>0</v></c>`).join('')
  const sheet = Array.from({ length: rows }, (_, at) => `<row r="${at + 1}">${row(at + 1)}</row>`).join('')
  const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
  const relations = strFromU8(files['xl/_rels/workbook.xml.rels'] ?? new Uint8Array())
  const strings = `<Relationship Id="rId2" Type="${office}/sharedStrings" Target="sharedStrings.xml"/>`
  return zipSync({
    ...files,
    'xl/worksheets/sheet1.xml': strToU8(`<worksheet ${main}><sheetData>${sheet}</sheetData></worksheet>`),
    'xl/sharedStrings.xml': strToU8(`<sst ${main}><si><t>${text}</t></si></sst>`),
    'xl/_rels/workbook.xml.rels': strToU8(relations.replace('</Relationships>', `${strings}</Relationships>`)),
  })
}
