import { expect, it } from 'vitest'
import { TurnGate } from '../../../src/platform/net/turn-gate.ts'

const SPACING_MS = 20
const STARTS = 5

it('spaces the starts of what is asked of one key, and lets another key go on meanwhile', async () => {
  const gate = new TurnGate({ atOnce: 8, spacingMs: SPACING_MS })
  let last = 0
  const order: string[] = []
  const ask = (host: string) =>
    gate.run(host, async () => {
      order.push(host)
      if (host === 'one.example') last = performance.now()
    })
  const began = performance.now()
  await Promise.all([...Array.from({ length: STARTS }, () => ask('one.example')), ask('two.example')])
  // Timers count from the beginning of the turn they are set in, so that they may fire early by what the turn has taken; half is beyond that.
  expect(last - began).toBeGreaterThan(((STARTS - 1) * SPACING_MS) / 2)
  expect(order.indexOf('two.example')).toBe(1)
})

it('gives the place of work that fails to the next in line', async () => {
  const gate = new TurnGate({ atOnce: 1, spacingMs: 0 })
  const failed = gate.run('one.example', () => Promise.reject(new Error('down')))
  const next = gate.run('one.example', async () => 'served')
  await expect(failed).rejects.toThrow('down')
  expect(await next).toBe('served')
})
