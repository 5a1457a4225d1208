import { expect, it } from 'vitest'
import { createShutdown } from '../../src/platform/shutdown.ts'

it('ends what was started, the newest first, one after the other', async () => {
  const { started, run } = createShutdown()
  const ended: string[] = []
  const slowly = async (part: string) => {
    await Promise.resolve()
    ended.push(part)
  }
  expect(started('store', slowly)).toBe('store')
  started('job', slowly)
  started('socket', (part) => void ended.push(part))
  await run()
  expect(ended).toEqual(['socket', 'job', 'store'])
})

it('ends the rest also when something fails, and throws the first failure', async () => {
  const { started, run } = createShutdown()
  const ended: string[] = []
  started('store', (part) => void ended.push(part))
  started('job', () => Promise.reject(new Error('the job fails')))
  started('socket', () => {
    throw new Error('the socket fails')
  })
  await expect(run()).rejects.toThrow('the socket fails')
  expect(ended).toEqual(['store'])
})

it('ends everything once, however often it is asked to', async () => {
  const { started, run } = createShutdown()
  let times = 0
  started('store', () => void times++)
  await Promise.all([run(), run()])
  await run()
  expect(times).toBe(1)
})

it('waits no longer for a part that does not end when the time is over, and ends the rest', async () => {
  const { started, run } = createShutdown()
  const ended: string[] = []
  started('store', async (part) => {
    await new Promise((resolve) => setTimeout(resolve, 20))
    ended.push(part)
  })
  started('endless', () => new Promise(() => {}))
  started('socket', (part) => void ended.push(part))
  await run(50)
  expect(ended).toEqual(['socket', 'store'])
})
