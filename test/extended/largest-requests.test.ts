import { afterAll, beforeAll, expect, it } from 'vitest'
import { type MeasuredAgent, startMeasuredAgent } from '../../bench/stalls/agent.ts'
import { type Buyer, knownOf, prepareBuyer } from '../../bench/stalls/hostile.ts'
import { largestRequests } from '../../bench/stalls/largest.ts'
import { callOf, measureStall } from '../../bench/stalls/stall.ts'
import { Schemas } from '../../src/protocol/schemas.ts'
import { BASE_TASKS } from '../support/base-tasks.ts'

/** A gross guard: `npm run bench:stalls` has the goals. Processor time, since a busy machine lengthens everything else. */
const MOST_CPU_MS = 1_000

const schemas = new Schemas()
let agent: MeasuredAgent
let buyer: Buyer

beforeAll(async () => {
  agent = await startMeasuredAgent()
  buyer = await prepareBuyer(agent)
})
afterAll(() => agent?.stop())

it.each(BASE_TASKS.map(({ name }) => name))('the largest legal requests of %s', async (name) => {
  const slow: string[] = []
  for (const { title, args } of largestRequests(schemas, name, knownOf(buyer))) {
    const measure = (rounds: number) => measureStall(agent, () => callOf(agent.key, name, args()), rounds)
    const first = await measure(1)
    if (first.reply.status >= 500 || first.reply.body.includes('SERVICE_UNAVAILABLE'))
      slow.push(`${title}: ${first.reply.body.slice(0, 300)}`)
    // Measured again, since a collection of garbage may fall into one request.
    else if (first.cpuMs > MOST_CPU_MS && (await measure(2)).cpuMs > MOST_CPU_MS) slow.push(`${title}: ${first.cpuMs} ms`)
  }
  expect(slow).toEqual([])
})
