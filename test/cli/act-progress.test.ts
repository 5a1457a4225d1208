import { expect, it } from 'vitest'
import { actProgress } from '../../src/cli/act-progress.ts'

it('a long act says what it is at, a line a second at most; a short one says nothing', () => {
  const lines: string[] = []
  let nowMs = 0
  const progress = actProgress({ write: (text) => lines.push(text) }, () => nowMs)
  for (const [ms, text] of [
    [0, 'one'],
    [999, 'two'],
    [1_000, 'three'],
    [1_500, 'four'],
    [2_600, 'five'],
  ] as const) {
    nowMs = ms
    progress(text)
  }
  expect(lines).toEqual(['three\n', 'five\n'])
})
