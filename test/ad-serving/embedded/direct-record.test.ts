import { describe, expect, it } from 'vitest'
import { directRecordOf, noted } from '../../../src/ad-serving/embedded/direct-record.ts'
import type { DirectRecord } from '../../../src/ad-serving/embedded/stored-documents.ts'

const act = { now: new Date('2026-03-01T12:00:00Z'), person: 'console:ada' }
const texts = (count: number) => Array.from({ length: count }, (_, index) => `line-${index}: added`)
const storedAs = (direct: DirectRecord) => ({
  ...{ orderId: 'o', anchor: 'direct:o', state: 'active' as const },
  document: JSON.stringify({ settings: {}, direct }),
})

describe('the record of a direct order', () => {
  it('names the first 50 texts of a change, and says how many more there are', () => {
    const { history } = noted(undefined, texts(5_000), act)
    expect(history[0]?.summary).toEqual([...texts(50), 'and 4950 more'])
  })

  it('keeps the newest changes whose texts together are at most 1,000', () => {
    let record = noted(undefined, texts(5_000), act)
    expect(noted(storedAs(record), ['paused'], act).history[0]).toEqual(record.history[0])
    for (let change = 0; change < 60; change++) record = noted(storedAs(record), texts(5_000), act)
    expect(record.revision).toBe(61)
    expect(record.history.at(-1)?.revision).toBe(61)
    expect(record.history.flatMap(({ summary }) => summary).length).toBeLessThanOrEqual(1_000)
    expect(record.history).toHaveLength(19)
  })

  it('shortens what was stored before there was a bound', () => {
    const long = { revision: 1, history: [{ revision: 1, at: act.now.toISOString(), person: act.person, summary: texts(5_000) }] }
    const { history } = noted(storedAs(long), ['paused'], act)
    expect(history.map(({ summary }) => summary.length)).toEqual([51, 1])
    expect(directRecordOf(storedAs(long)).revision).toBe(1)
  })
})
