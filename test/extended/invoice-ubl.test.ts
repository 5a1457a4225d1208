import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { InvoiceDocument } from '../../src/domain/billing/invoice-document.ts'
import { invoiceUbl } from '../../src/operator/billing/invoice-ubl.ts'
import { atOnce } from '../../src/platform/concurrency/steps.ts'
import { sampleInvoice } from '../support/invoice-samples.ts'
import { findJava, judge, judgeClasses } from '../support/java.ts'

const { reason } = await findJava()
// biome-ignore lint/suspicious/noConsole: a skipped test says why
if (reason !== undefined) console.log(`The rules of EN 16931 do not judge: ${reason}.`)

const folder = mkdtempSync(join(tmpdir(), 'invoice-ubl-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A country without a VAT number. */
const { vatId: _vat, ...american } = {
  ...sampleInvoice().buyer,
  address: { street: '1 Road', postalCode: '10001', city: 'New York', country: 'US' },
}
const { dueOn: _due, ...undated } = sampleInvoice()
const ofEarlier = undated.lines.map((line, index) => ({ ...line, ofInvoice: `2026-0${index + 1}-0001` }))
const CASES: Readonly<Record<string, InvoiceDocument>> = {
  'reverse-charge': sampleInvoice(),
  rate: sampleInvoice({ tax: { kind: 'rate', percent: 25.5 }, language: 'sv' }),
  'rate-of-nothing': sampleInvoice({ tax: { kind: 'rate', percent: 0 } }),
  exempt: sampleInvoice({ tax: { kind: 'exempt', reason: 'agreed' } }),
  'outside-scope': sampleInvoice({ tax: { kind: 'outside_scope' }, buyer: american, currency: 'USD', language: 'en' }),
  yen: sampleInvoice({ currency: 'JPY' }),
  'credit-note': sampleInvoice({ ...undated, kind: 'credit_note', refersTo: '2026-03-0001', reason: 'late reports' }),
  'credit-note-of-several': { ...sampleInvoice({ ...undated, kind: 'credit_note' }), lines: ofEarlier },
}

describe.skipIf(reason !== undefined)('the rules of EN 16931 (1.3.16)', () => {
  test('accept every kind of invoice and credit note, and refuse a wrong sum', async () => {
    const files = Object.entries(CASES).map(([name, document]): [string, string] => [`${name}.xml`, atOnce(invoiceUbl(document))])
    const wrong = CASES['reverse-charge'] as InvoiceDocument
    expect(files.at(-1)?.[1].match(/<cac:BillingReference>/g)).toHaveLength(ofEarlier.length)
    files.push(['wrong.xml', atOnce(invoiceUbl({ ...wrong, payableMicros: wrong.payableMicros + 10_000 }))])
    for (const [name, text] of files) writeFileSync(join(folder, name), text)
    const lines = await judge(
      await judgeClasses('ubl-java'),
      files.map(([name]) => join(folder, name)),
    )
    expect(lines.slice(0, -1)).toEqual(Object.keys(CASES).map((name) => `${name}.xml accepted`))
    expect(lines.at(-1)).toContain('BR-CO-1')
  }, 300_000)
})
