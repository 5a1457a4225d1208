import { expect, it } from 'vitest'
import type { State } from '../../src/pipeline/state.ts'
import { afterLongWork, yielding } from '../../src/pipeline/yielding.ts'

/** The two members that decide. */
const state = (busyForMs: number, isInTransaction: boolean) =>
  ({ busySinceMs: performance.now() - busyForMs, ...(isInTransaction && { execution: {} }) }) as State

/** Whether the event loop got a turn before the step ran. */
async function gaveWay(busyForMs: number, isInTransaction: boolean): Promise<boolean> {
  let others = false
  let seen: boolean | undefined
  const step = yielding(async ({ busySinceMs }) => {
    seen = others
    expect(performance.now() - busySinceMs).toBeLessThan(others ? 1_000 : 100_000)
    return { payload: {}, replayed: false }
  })
  setImmediate(() => {
    others = true
  })
  await step(state(busyForMs, isInTransaction))
  return seen ?? false
}

it('a call that has kept the event loop lets others in before its next step, outside transactions', async () => {
  expect(await gaveWay(0, false)).toBe(false)
  expect(await gaveWay(10_000, false)).toBe(true)
  expect(await gaveWay(10_000, true)).toBe(false)
})

it('an answer that took long is written in a turn of its own, a quick one at once', async () => {
  for (const busyForMs of [0, 10_000]) {
    let others = false
    setImmediate(() => {
      others = true
    })
    expect(await afterLongWork(state(busyForMs, false), async () => 'answer')).toBe('answer')
    expect(others).toBe(busyForMs > 0)
  }
})
