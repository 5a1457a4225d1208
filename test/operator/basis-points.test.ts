import { expect, it } from 'vitest'
import { basisPoints, percentOf, readPercent } from '../../src/operator/basis-points.ts'

it('reads per cent as people write them; the field refuses the rest', () => {
  const { check } = basisPoints('discount')
  const cases = [
    ['', 0],
    ['0', 0],
    ['2,5', 250],
    ['2.05', 205],
    ['100', 10_000],
  ] as const
  for (const [text, points] of cases) expect([text, readPercent(text), check(readPercent(text))]).toEqual([text, points, true])
  for (const text of ['100.01', '-1', '2.505', 'x', '2 %', '1000'])
    expect([text, check(readPercent(text))]).toEqual([text, false])
  for (const points of [0, 250, 205, 10_000]) expect(readPercent(percentOf(points))).toBe(points)
})
