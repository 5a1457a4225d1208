import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { whenUsedUp } from '../../../src/platform/decode/processor-deadline.ts'

let usedMs = 0
let mainMs = 0
beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(process, 'cpuUsage').mockImplementation((before) => ({ user: usedMs * 1000 - (before?.user ?? 0), system: 0 }))
  vi.spyOn(performance, 'eventLoopUtilization').mockImplementation((before) => ({
    ...{ idle: 0, utilization: 0 },
    active: mainMs - (before?.active ?? 0),
  }))
  ;[usedMs, mainMs] = [1_000, 400]
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** What ended a thread, and after how many seconds of the clock; each of them has `used` of the process and `main` of its main thread. */
async function endedAt(used: number, main: number, processorMs = 10_000): Promise<string> {
  let ended = ''
  const stop = whenUsedUp(processorMs, (limit) => {
    ended = limit
  })
  for (let second = 1; second <= 200; second++) {
    usedMs += used
    mainMs += main
    await vi.advanceTimersByTimeAsync(1_000)
    if (ended !== '') return `${ended} at ${second} s`
  }
  stop()
  return 'never'
}

describe('a thread ends', () => {
  it('when it has used its processor time', async () => {
    expect(await endedAt(1_000, 0)).toBe('10 seconds of processor time at 10 s')
  })

  it('not while it waits for a processor, which others have', async () => {
    expect(await endedAt(250, 0)).toMatch(/^10 seconds of processor time at 4\d s$/)
    expect(await endedAt(1_000, 750)).toMatch(/^10 seconds of processor time at 4\d s$/)
  })

  it('by the clock in any case', async () => {
    expect(await endedAt(0, 0)).toBe('60 seconds at 60 s')
    expect(await endedAt(0, 0, 50_000)).toBe('120 seconds at 120 s')
  })

  it('never once its document is done', async () => {
    const ended = vi.fn()
    whenUsedUp(10, ended)()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(ended).not.toHaveBeenCalled()
  })
})
