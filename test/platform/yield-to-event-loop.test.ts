import { expect, it } from 'vitest'
import { yieldToEventLoop } from '../../src/platform/concurrency/yield-to-event-loop.ts'

/** Longer than work may take in a turn. */
const LONG_MS = 12

function busy(milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

/** How many pieces of work went on in each turn of the event loop, when all gave way at once. */
async function piecesOfTurns(count: number, milliseconds: number): Promise<readonly number[]> {
  const turns = [0]
  let isOver = false
  const next = () => {
    turns.push(0)
    if (!isOver) setImmediate(next)
  }
  setImmediate(next)
  await Promise.all(
    Array.from({ length: count }, async () => {
      await yieldToEventLoop()
      turns.push((turns.pop() ?? 0) + 1)
      busy(milliseconds)
    }),
  )
  isOver = true
  return turns
}

it('of long pieces of work one goes on in a turn, and none is left out', async () => {
  const turns = await piecesOfTurns(20, LONG_MS)
  expect(Math.max(...turns)).toBe(1)
  expect(turns.reduce((sum, pieces) => sum + pieces, 0)).toBe(20)
})

it('short ones go on together', async () => {
  const turns = await piecesOfTurns(50, 0)
  expect(turns.filter((pieces) => pieces > 0).length).toBeLessThan(25)
})
