import { describe, expect, it } from 'vitest'
import { type Sample, trendsOf } from '../../../tools/faults/trend.ts'

const run = (at: (n: number) => Partial<Sample>): Sample[] =>
  Array.from({ length: 50 }, (_empty, n) => ({ minute: n, rssMb: 100, handles: 40, p99Ms: 10, ...at(n) }))

describe('the trends of a soak', () => {
  it('are flat where figures only waver', () => {
    const trends = trendsOf(run((n) => ({ rssMb: 100 + (n % 2), handles: 40 + (n % 3), p99Ms: 10 + (n % 2) })))
    expect(trends.map(({ name, flat }) => [name, flat])).toEqual([
      ['memory', true],
      ['handles', true],
      ['p99', true],
    ])
  })

  it('leave the warm-up out', () => {
    expect(trendsOf(run((n) => ({ rssMb: n < 10 ? 50 : 100 })))[0]).toMatchObject({ slope: 0, flat: true })
  })

  it('say how fast memory leaks', () => {
    const [memory, handles] = trendsOf(run((n) => ({ rssMb: 100 + 2 * n })))
    expect(memory?.slope).toBeCloseTo(2)
    expect(memory?.flat).toBe(false)
    expect(handles?.flat).toBe(true)
  })

  it('say how sure they are', () => {
    const [calm] = trendsOf(run((n) => ({ rssMb: 100 + 2 * n + (n % 2) })))
    expect(calm?.confidence).toBeLessThan(0.05)
    expect(calm?.certain).toBe(true)
    // As the textbook has it: y = 1, 3, 2 over x = 0, 1, 2 has slope 0.5 with a standard error of sqrt(1.5 / 2).
    const three = [1, 3, 2].map((rssMb, minute) => ({ minute, rssMb, handles: 1, p99Ms: 1 }))
    expect(trendsOf(three)[0]?.slope).toBeCloseTo(0.5)
    expect(trendsOf(three)[0]?.confidence).toBeCloseTo(1.96 * Math.sqrt(0.75))
    const [wild] = trendsOf(run((n) => ({ rssMb: 100 + (n % 7) * 60 })))
    expect(wild?.certain).toBe(false)
  })

  it('notice handles that are never closed', () => {
    expect(trendsOf(run((n) => ({ handles: 40 + n })))[1]?.flat).toBe(false)
  })

  it('refuse to judge a run of two samples', () => {
    expect(() => trendsOf(run(() => ({})).slice(0, 2))).toThrow('too few')
  })
})
