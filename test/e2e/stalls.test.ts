import { afterAll, beforeAll, expect, it } from 'vitest'
import { type MeasuredAgent, startMeasuredAgent } from '../../bench/stalls/agent.ts'
import { type Buyer, hostileInputs, prepareBuyer } from '../../bench/stalls/hostile.ts'
import { measureStall } from '../../bench/stalls/stall.ts'

/** A gross guard: `npm run bench:stalls` has the goals. Processor time, since a busy machine lengthens everything else. */
const MOST_CPU_MS = 1_000

let agent: MeasuredAgent
let buyer: Buyer

beforeAll(async () => {
  agent = await startMeasuredAgent()
  buyer = await prepareBuyer(agent)
})
afterAll(() => agent?.stop())

it('no input that is made to take long holds the server up', async () => {
  const inputs = hostileInputs(agent, buyer)
  expect(inputs.length).toBeGreaterThan(10)
  const slow: string[] = []
  for (const { title, ask } of inputs) {
    const { cpuMs, reply } = await measureStall(agent, ask, 2)
    expect(reply.body).not.toContain('SERVICE_UNAVAILABLE')
    if (cpuMs > MOST_CPU_MS) slow.push(`${title}: ${cpuMs} ms`)
  }
  expect(slow).toEqual([])
})
