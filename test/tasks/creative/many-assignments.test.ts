import { afterAll, beforeAll, expect, test } from 'vitest'
import { banner, startCreativeAgent } from '../../support/creative-agent.ts'
import type { MediaBuyAgent } from '../../support/media-buy-agent.ts'

const [CREATIVES, PACKAGES] = [60, 200]
let agent: MediaBuyAgent

beforeAll(async () => {
  agent = await startCreativeAgent()
  const ids = Array.from({ length: CREATIVES }, (_, index) => `c${index}`)
  await agent.run('sync_creatives', { creatives: ids.map((id) => banner(agent.url, id)) })
  const [of] = (await agent.create()).data.packages
  const { product_id, pricing_option_id } = of
  const assigned = { creative_assignments: ids.map((creative_id) => ({ creative_id })) }
  const packages = Array.from({ length: PACKAGES }, () => ({ product_id, pricing_option_id, budget: 100, ...assigned }))
  const { isError, data } = await agent.create({ packages })
  if (isError) throw new Error(JSON.stringify(data))
}, 60_000)
afterAll(() => agent?.stop())

test('a page of creatives names as many packages of each as it has room for, counts all, and says so', async () => {
  const { data } = await agent.run('list_creatives', { pagination: { max_results: CREATIVES } })
  const counts = data.creatives.map(
    ({ assignments }: { assignments: { assignment_count: number; assigned_packages: object[] } }) => [
      assignments.assignment_count,
      assignments.assigned_packages.length,
    ],
  )
  expect(new Set(counts.map(String))).toEqual(new Set([`${PACKAGES},166`]))
  expect(data.ext.notes).toEqual([
    expect.stringMatching(/^assigned_packages of "c\d+" and of 59 other creatives names the newest 166 of each; ask for fewer/),
  ])
  const one = (await agent.run('list_creatives', { filters: { creative_ids: ['c7'] } })).data
  expect(one.creatives[0].assignments.assigned_packages).toHaveLength(PACKAGES)
  expect(one.ext).toBeUndefined()
})
