import { expect, it } from 'vitest'
import { startBackgroundJob } from '../../../src/platform/scheduler/background-job.ts'

const NEVER_MS = 2 ** 30
const fail = (error: unknown) => {
  throw error
}

it('runs once more when it is woken at any moment of a run, its very end included', async () => {
  for (let ticks = 0; ticks < 20; ticks++) {
    let begun = 0
    const job = startBackgroundJob(
      async () => {
        begun += 1
        return false
      },
      NEVER_MS,
      fail,
    )
    job.wake()
    for (let tick = 0; tick < ticks; tick++) await Promise.resolve()
    const before = begun
    job.wake()
    await job.idle()
    expect(begun, `woken after ${ticks} turns`).toBeGreaterThan(before)
    await job.stop()
  }
})

it('lets timers run between two runs that follow each other', async () => {
  let stopped: Promise<void> | undefined
  const job = startBackgroundJob(async () => true, NEVER_MS, fail)
  setTimeout(() => {
    stopped = job.stop()
  })
  job.wake()
  await job.idle()
  await stopped
  expect(stopped).toBeDefined()
})
