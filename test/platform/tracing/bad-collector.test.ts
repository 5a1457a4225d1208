import type { ServerResponse } from 'node:http'
import { expect, it } from 'vitest'
import { type SpanCollector, startSpanCollector } from '../../support/span-collector.ts'
import { startAgent } from '../../support/start-agent.ts'

/** More spans than a batch holds. */
const CALLS = 100

async function serveWith({ endpoint }: Pick<SpanCollector, 'endpoint'>, calls: number) {
  const log: string[] = []
  const agent = await startAgent({ onLog: (line) => log.push(line), flags: { 'tracing.endpoint': endpoint } })
  const replies = []
  for (let count = 0; count < calls; count++) replies.push(await agent.buyer.call('get_adcp_capabilities'))
  return { agent, replies, warnings: () => log.filter((line) => line.includes('tracing.endpoint')) }
}

it('a collector that refuses is warned of once, and calls go on', async () => {
  const collector = await startSpanCollector((_request, response) => response.writeHead(400).end('no'))
  const { agent, replies, warnings } = await serveWith(collector, CALLS)
  await agent.stop()
  expect(replies.filter(({ isError }) => !isError)).toHaveLength(CALLS)
  expect(collector.bodies.length).toBeGreaterThan(1)
  expect(warnings()).toHaveLength(1)
  await collector.close()
})

it('a collector that never answers delays neither calls nor the end', async () => {
  const open: ServerResponse[] = []
  const collector = await startSpanCollector((_request, response) => open.push(response))
  const { agent, replies } = await serveWith(collector, 3)
  await agent.stop()
  expect(replies.every(({ isError }) => !isError)).toBe(true)
  // It was asked, and the process did not wait until it gave up asking.
  expect(open).toHaveLength(1)
  expect(open[0]?.destroyed).toBe(false)
  await collector.close()
})

it('a collector that is not there does not either', async () => {
  const gone = await startSpanCollector()
  await gone.close()
  const { agent, replies } = await serveWith(gone, 3)
  await agent.stop()
  expect(replies.every(({ isError }) => !isError)).toBe(true)
})
