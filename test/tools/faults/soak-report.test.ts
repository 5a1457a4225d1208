import { describe, expect, it } from 'vitest'
import { soakMarkdown, soakResults } from '../../../tools/faults/soak-report.ts'
import type { Sample } from '../../../tools/faults/trend.ts'

const samples = (rise: number): Sample[] =>
  Array.from({ length: 30 }, (_empty, n) => ({ minute: n, rssMb: 100 + rise * n, handles: 40, p99Ms: 10 }))
const measured = {
  engine: 'SQLite',
  minutes: 30,
  most: 200,
  rate: 100,
  calls: 180_000,
  failures: 0,
  store: { bytesBefore: 1, bytesAfter: 2, mediaBuys: 45_000 },
  samples: samples(0),
} as const
const machine = { cpu: 'a processor', cores: 2, memoryGb: 8, node: 'v20' }

describe('the report of a soak', () => {
  it('finds nothing where all is flat, and says so', () => {
    const results = soakResults(measured)
    expect(results.problems).toEqual([])
    expect(soakMarkdown(results, machine, '2026-01-01')).toContain('\n\nFlat.\n\n')
  })

  it.each([
    ['memory that rises', { samples: samples(2) }, /^memory rises by 4\d/],
    ['calls that failed', { failures: 3 }, /^3 calls failed/],
    ['a rate that was not held', { calls: 90_000 }, /^only 50 of 100/],
  ])('finds %s', (_name, change, problem) => {
    const results = soakResults({ ...measured, ...change })
    expect(results.problems).toEqual([expect.stringMatching(problem)])
    expect(soakMarkdown(results, machine, '2026-01-01')).toContain('**Not flat: ')
  })
})
