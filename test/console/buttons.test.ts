import { afterAll, beforeAll, expect, it } from 'vitest'
import { operatorOn } from '../../src/compose/operator.ts'
import { compileRoutes, findRoute } from '../../src/console/find-route.ts'
import type { Act } from '../../src/operator/act.ts'
import { ACTS } from '../../src/operator/acts.ts'
import { createKey } from '../../src/operator/keys/create-key.ts'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { CONSOLE_PAGES } from '../support/console-pages.ts'
import { consoleRouteTable } from '../support/console-routes.ts'
import { banner } from '../support/creative-agent.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
let person: ConsoleClient
let base: string
const routes = compileRoutes(consoleRouteTable())

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news'), productDocument('takeover', {}, { approval: 'manual' })])
  person = await signedIn(agent, 'ada', 'administrator', agent.tenant)
  await signedIn(agent, 'ben', 'viewer', agent.tenant)
  base = `/console/t/${agent.tenant}`
})
afterAll(() => agent?.stop())

/** The changing acts that forms and links of a page lead to, but the one that the page is a form of. */
async function actsOn(path: string): Promise<ReadonlySet<string>> {
  const { text } = await person.get(path)
  const own = findRoute(routes, 'GET', path.slice('/console'.length).replace(/\?.*/, ''))
  const places = [
    ...[...text.matchAll(/<form[^>]* method="post" action="([^"?#]+)/g)].map(([, to = '']) => ['POST', to] as const),
    ...[...text.matchAll(/<a[^>]* href="([^"?#]+)/g)].map(([, to = '']) => ['GET', to] as const),
  ]
  const names = places.flatMap(([method, to]) => {
    const found = to.startsWith('/console/') ? findRoute(routes, method, to.slice('/console'.length)) : undefined
    return found?.kind === 'route' && found.route.act !== undefined ? [found.route.act] : []
  })
  const changing = new Set(ACTS.filter(({ changes }) => changes).map(({ name }) => name))
  return new Set(names.filter((name) => changing.has(name) && !(own.kind === 'route' && own.route.act === name)))
}

/** What happens while nobody may carry an act out. */
async function withoutRoles<T>(act: Act, work: () => Promise<T>): Promise<T> {
  const { roles } = act
  Object.defineProperty(act, 'roles', { value: [] })
  try {
    return await work()
  } finally {
    Object.defineProperty(act, 'roles', { value: roles })
  }
}

it('a button asks for the roles of the act that it leads to', async () => {
  const { data } = await agent.create()
  await agent.run('sync_creatives', { creatives: [banner(agent.url, 'c-1')] })
  await performAs(operatorOn(agent.server.store, agent.config), agent.tenant, createKey, { buyer: 'buyer' })
  await agent.create({ packages: [{ product_id: 'takeover', pricing_option_id: 'cpm', budget: 500 }] })
  const pages = [
    ...CONSOLE_PAGES,
    `orders/${data.media_buy_id}`,
    'products/news',
    'buyers/buyer',
    'creatives?status=approved',
  ].map((path) => `${base}/${path}`)
  const wrong: string[] = []
  const seen = new Set<string>()
  for (const path of pages)
    for (const name of await actsOn(path)) {
      const act = ACTS.find((each) => each.name === name)
      if (!act) continue
      seen.add(name)
      if ((await withoutRoles(act, () => actsOn(path))).has(name)) wrong.push(`${path.slice(base.length)}: ${name}`)
    }
  expect(wrong).toEqual([])
  expect(seen.size).toBeGreaterThan(20)
})
