import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { CLOCK_PRELOAD, CLOCK_SHIFT_VARIABLE, clockShiftTo } from '../../tools/agent/clock.ts'
import { keyOf } from '../../tools/agent/start-agent.ts'

/** What a fresh process sees whose clock is shifted. */
function shifted(shiftMs: number | string, expression: string): unknown {
  const env = { ...process.env, [CLOCK_SHIFT_VARIABLE]: String(shiftMs) }
  const script = `console.log(JSON.stringify(${expression}))`
  return JSON.parse(execFileSync(process.execPath, ['--import', CLOCK_PRELOAD, '--eval', script], { env, encoding: 'utf8' }))
}

describe('clockShiftTo', () => {
  test('is the way from now to the anchor', () => {
    expect(clockShiftTo('2026-03-16T12:00:00Z', Date.parse('2026-03-17T12:00:00Z'))).toBe(-86_400_000)
    expect(() => clockShiftTo('yesterday', 0)).toThrow('yesterday')
  })
})

describe('shift-clock.mjs', () => {
  test('shifts every way to ask for the time, and nothing else', () => {
    const day = 86_400_000
    const seen = shifted(
      -day,
      `[Date.now(), new Date().getTime(), Date.parse(Date()), new Date(5).getTime(), Date.UTC(1970, 0, 1),
        new Date() instanceof Date, new (class extends Date {})().getTime(), new (new Date().constructor)().getTime()]`,
    ) as number[]
    const expected = Date.now() - day
    for (const index of [0, 1, 2, 6, 7]) expect(Math.abs(seen[index]! - expected)).toBeLessThan(10_000)
    expect(seen.slice(3, 6)).toEqual([5, 0, true])
  })

  test('does nothing without a shift or with a wrong one', () => {
    for (const nothing of ['0', 'soon']) {
      expect(Math.abs((shifted(nothing, 'Date.now()') as number) - Date.now())).toBeLessThan(10_000)
    }
  })
})

describe('keyOf', () => {
  test('reads the key that init prints', () => {
    expect(keyOf('{"data":"d","tenant":"t","agent_url":"u","key":"k"}')).toBe('k')
    expect(() => keyOf('{"data":"d"}')).toThrow('no key')
  })
})
