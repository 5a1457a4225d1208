import { describe, expect, it } from 'vitest'
import { ripenings, windowAt, windowStages } from '../../../src/domain/media-buy/measurement-window.ts'

const DAY = 86_400_000
const stages = windowStages([
  { window_id: 'c7', duration_days: 7, expected_availability_days: 22 },
  { window_id: 'live', duration_days: 0, expected_availability_days: 1 },
  { window_id: 'c3', duration_days: 3 },
])

describe('measurement windows', () => {
  it('follow one another by when their figures are there, the first with the report itself', () => {
    expect(stages).toEqual([
      { windowId: 'live', afterMs: 0 },
      { windowId: 'c3', afterMs: 3 * DAY },
      { windowId: 'c7', afterMs: 22 * DAY },
    ])
    expect(windowStages(undefined)).toEqual([])
  })

  it.each([
    [-1, 'live', false],
    [0, 'live', false],
    [3 * DAY - 1, 'live', false],
    [3 * DAY, 'c3', false],
    [22 * DAY, 'c7', true],
  ])('%d ms after the period it is %s', (afterMs, windowId, isLast) => {
    expect(windowAt(stages, afterMs)).toEqual({ windowId, isLast })
  })

  it('ripen at the moments of all packages together', () => {
    const other = windowStages([
      { window_id: 'tentative', duration_days: 0 },
      { window_id: 'final', duration_days: 0, expected_availability_days: 3 },
    ])
    expect(ripenings([stages, other, []])).toEqual([3 * DAY, 22 * DAY])
    expect(windowAt([], 0)).toBeUndefined()
  })
})
