/** `npm run story`: a year at a publisher, see USAGE. */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { playYear } from './play-year.ts'
import { printYear } from './print-year.ts'
import { yearCsv, yearSheet } from './year-sheet.ts'
import { yearWorkbook } from './year-workbook.ts'

const USAGE = `npm run story -- [--json] [--csv FILE] [--xlsx FILE]
Plays 2026 at a publisher in Stockholm on the real server: orders of buyers, of the publisher's people and of another ad server, with twelve closes, corrections, a cancellation, a make-good, credit notes and payments.
Prints each invoice with its lines and what is open at the end; --json: all of it, with what was counted and done, as test/clients/python/year_of_publisher.py reads it to compute every amount anew.
--csv and --xlsx write the invoices as a sheet whose sums are formulas over its rows.`

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    csv: { type: 'string' },
    xlsx: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) process.stdout.write(`${USAGE}\n`)
else {
  const facts = await playYear((text) => process.stderr.write(`${text}\n`))
  const sheet = yearSheet(facts)
  if (values.csv !== undefined) writeFileSync(values.csv, yearCsv(sheet))
  if (values.xlsx !== undefined) writeFileSync(values.xlsx, await yearWorkbook(sheet))
  process.stdout.write(values.json ? `${JSON.stringify(facts)}\n` : `${printYear(facts).join('\n')}\n`)
}
