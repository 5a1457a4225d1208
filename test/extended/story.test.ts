import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { strFromU8, unzipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { YearFacts } from '../../tools/story/facts.ts'
import { playYear } from '../../tools/story/play-year.ts'
import { printYear } from '../../tools/story/print-year.ts'
import { yearCsv, yearSheet } from '../../tools/story/year-sheet.ts'
import { yearWorkbook } from '../../tools/story/year-workbook.ts'
import { findPython, runScript } from '../support/python.ts'

const found = await findPython()
// biome-ignore lint/suspicious/noConsole: a skipped test says why
if ('reason' in found) console.log(`The year of a publisher is not computed anew: ${found.reason}.`)

let year: YearFacts
const folder = mkdtempSync(join(tmpdir(), 'story-'))
// Less than a minute on a machine that does nothing else.
beforeAll(async () => {
  year = await playYear()
}, 900_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What the script says of facts and their sheet; rejects with its differences. */
function computed(facts: YearFacts, sheet = yearSheet(facts)): Promise<unknown> {
  const [file, csv] = [join(folder, 'year.json'), join(folder, 'year.csv')]
  writeFileSync(file, JSON.stringify(facts))
  writeFileSync(csv, yearCsv(sheet))
  return runScript('python' in found ? found.python : '', 'year_of_publisher.py', [file, csv], '')
}

describe('a year at a publisher', () => {
  it('has every kind of document and of line, and reads in a terminal and as a workbook with formulas', async () => {
    const kinds = new Set(year.invoices.flatMap(({ lines }) => lines.map(({ kind }) => kind)))
    expect([...kinds].sort()).toEqual(['adjustment', 'charge', 'credit', 'delivery'])
    expect(new Set(year.invoices.map(({ month }) => month)).size).toBe(12)
    const states = new Set(year.invoices.map(({ state }) => state))
    expect([...states].sort()).toEqual(['credit', 'credited', 'open', 'overdue', 'paid'])
    expect(new Set(year.invoices.map(({ tax_code: code }) => code))).toEqual(new Set(['S', 'AE']))
    const text = printYear(year).join('\n')
    for (const { invoice_id: id } of year.invoices) expect(text).toContain(id)
    const { 'xl/worksheets/sheet1.xml': cells = new Uint8Array() } = unzipSync(await yearWorkbook(yearSheet(year)))
    expect(strFromU8(cells)).toContain('<f>F2*G2/H2</f>')
  })

  it.skipIf('reason' in found)(
    'comes to the same by a calculation that shares nothing with the program, and by the sheet',
    async () => {
      expect(await computed(year)).toMatchObject({ months: 12, invoices: year.invoices.length, differences: [] })
    },
  )

  it.skipIf('reason' in found)('an amount of an öre more is found', async () => {
    const [first, ...others] = year.invoices
    if (!first) throw new Error('no invoice was written')
    const wrong = { ...year, invoices: [{ ...first, payable: first.payable + 0.01 }, ...others] }
    await expect(computed(wrong)).rejects.toThrow(`${first.invoice_id}: payable is`)
    await expect(computed(year, yearSheet(wrong))).rejects.toThrow(`${first.invoice_id} differs by -0.01`)
  })
})
