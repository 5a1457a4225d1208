import { expect, it } from 'vitest'
import { creditedPart, creditNote, leftOfLine } from '../../../src/domain/billing/credit-note.ts'
import { sampleInvoice, sampleLine } from '../../support/invoice-samples.ts'

const fee = (micros: number, reason: string) => {
  const {
    quantity: _quantity,
    rateMicros: _rate,
    ...line
  } = sampleLine(micros, { kind: 'charge', unit: 'fee', per: 1, lineId: '' })
  return { ...line, reason }
}
const invoice = sampleInvoice({}, [sampleLine(500_000_000), fee(1_000_000_000, 'studio'), fee(333_330_000, 'rush')])
const facts = (number: string) => ({ number, reason: 'agreed', issuedOn: '2026-04-05' })
const noteOf = (number: string, position: number, micros: number) => {
  const line = invoice.lines[position - 1]
  if (!line) throw new Error('the sample has no such line')
  return creditNote(invoice, facts(number), [creditedPart(line, position, micros)])
}

it('a part that is given back is of one line, though others are of the same order and month', () => {
  const notes = [noteOf('C1', 2, 900_000_000)]
  expect([1, 2, 3].map((at) => leftOfLine(invoice, at, notes))).toEqual([500_000_000, 100_000_000, 333_330_000])
  notes.push(noteOf('C2', 3, 333_330_000))
  expect([1, 2, 3, 4].map((at) => leftOfLine(invoice, at, notes))).toEqual([500_000_000, 100_000_000, 0, 0])
  expect(notes.map(({ lines }) => lines[0]?.reason)).toEqual(['studio', 'rush'])
})

it('of a delivery that the same invoice corrects, no more is left than both bill', () => {
  const corrected = sampleInvoice({}, [sampleLine(500_000_000), { ...sampleLine(-100_000_000), kind: 'adjustment' }])
  expect(leftOfLine(corrected, 1, [])).toBe(400_000_000)
  const [line] = corrected.lines
  if (!line) throw new Error('the sample has no line')
  expect(leftOfLine(corrected, 1, [creditNote(corrected, facts('C1'), [creditedPart(line, 1, 150_000_000)])])).toBe(250_000_000)
})

it('of a credit note that numbers no line, each that it may be of has so much less', () => {
  const note = noteOf('C1', 2, 900_000_000)
  const older = { ...note, lines: note.lines.map(({ creditedLine: _line, ...line }) => line) }
  expect([1, 2, 3].map((at) => leftOfLine(invoice, at, [older]))).toEqual([500_000_000, 100_000_000, -566_670_000])
})

/** Of an order of one line, charges are of that line. */
const ofTheLine = [{ ...fee(900_000_000, 'studio'), lineId: 'mb_1-1' }, sampleLine(500_000_000)]

it('a credit of the same month may give back another invoice: it leaves a delivery and a fee as they are', () => {
  const given = { ...fee(-1_500_000_000, 'agreed'), lineId: 'mb_1-1', kind: 'credit' as const }
  const credited = sampleInvoice({}, [...ofTheLine, given])
  expect([1, 2].map((at) => leftOfLine(credited, at, []))).toEqual([900_000_000, 500_000_000])
})

it('a correction that a credit note gave back is of the delivery, not of a fee of the same line and month', () => {
  const billed = sampleInvoice({}, ofTheLine)
  const note = creditNote(billed, facts('C1'), [sampleLine(400_000_000, { kind: 'adjustment' })])
  expect([1, 2].map((at) => leftOfLine(billed, at, [note]))).toEqual([900_000_000, 100_000_000])
})
