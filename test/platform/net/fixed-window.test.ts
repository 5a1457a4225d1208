import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fixedWindows } from '../../../src/platform/net/fixed-window.ts'

describe('fixed windows', () => {
  it('let a limit through in each window, which its bucket begins with its first use', () => {
    let now = 1000
    const count = fixedWindows(2, 60_000, () => now)
    expect([count('a'), count('a'), count('a')]).toEqual([undefined, undefined, 60_000])
    now += 20_000
    expect([count('b'), count('a')]).toEqual([undefined, 40_000])
    now += 40_000
    expect([count('a'), count('b'), count('b')]).toEqual([undefined, undefined, 20_000])
  })

  it('refuse everything at a limit of nothing', () => {
    const count = fixedWindows(0, 1000, () => 5)
    expect([count('a'), count('a')]).toEqual([1000, 1000])
  })

  it('agree with a count of every use by itself', () => {
    const uses = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat({ max: 40 })), { maxLength: 200 })
    fc.assert(
      fc.property(uses, fc.integer({ min: 0, max: 4 }), (steps, limit) => {
        let now = 0
        const count = fixedWindows(limit, 100, () => now)
        const begun = new Map<string, { at: number; used: number }>()
        for (const [bucket, later] of steps) {
          now += later
          const known = begun.get(bucket)
          const window = known && now < known.at + 100 ? known : { at: now, used: 0 }
          window.used += 1
          begun.set(bucket, window)
          expect(count(bucket)).toBe(window.used > limit ? window.at + 100 - now : undefined)
        }
      }),
    )
  })
})
