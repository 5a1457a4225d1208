import { afterAll, beforeAll, expect, it } from 'vitest'
import { operatorOn } from '../../src/compose/operator.ts'
import { BASE_SOURCE } from '../../src/protocol/contract-source.ts'
import { Schemas } from '../../src/protocol/schemas.ts'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { crawlConsole } from '../support/console-crawl.ts'
import { EXAMPLES, SETUP, START } from '../support/differential-corpus.ts'
import { hostileRequests } from '../support/hostile-requests.ts'
import { setTenant } from '../support/operator.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

/** Ends attributes and elements, then makes an element. */
const PAYLOAD = `'"></textarea></title></pre><xss-probe>`
/** Texts of a request that are tried; the members of large requests repeat. */
const MOST_OF_A_TASK = 30

let agent: TestAgent
let person: ConsoleClient
let base: string
let now = START

beforeAll(async () => {
  agent = await startAgent({ demo: true, conformance: true, clock: () => new Date(now) })
  base = `/console/t/${agent.tenant}`
  await setTenant(operatorOn(agent.server.store, agent.config), agent.tenant, { governanceAgent: true })
  person = await signedIn(agent, 'reader', 'administrator', agent.tenant)
})
afterAll(() => agent.stop())

/** Pages on which a payload became an element, and how many show it as a text; `each`: of one kind at most. */
async function look(starts: readonly string[], each?: number): Promise<{ made: readonly string[]; shown: number }> {
  const texts = [...(await crawlConsole(person, starts, each))]
  const made = texts.filter(([, text]) => text.includes('<xss-probe')).map(([address]) => address)
  return { made, shown: texts.filter(([, text]) => text.includes('&lt;xss-probe')).length }
}

it('shows every text of every task of a buyer as a text, on every page', async () => {
  const names = new Map([['@agent@', agent.url]])
  const ask = (task: string, request: object) => {
    now += 1_000
    const filled = [...names].reduce((text, [name, value]) => text.replaceAll(name, value), JSON.stringify(request))
    return agent.buyer.call(task, JSON.parse(filled))
  }
  for (const { task, request, names: wanted } of SETUP) {
    const text = JSON.stringify((await ask(task, request)).data)
    for (const [name, pattern] of Object.entries(wanted)) names.set(name, pattern.exec(text)?.[1] ?? '')
  }
  const buyer = /buyers\/([\w-]+)"/.exec((await person.get(`${base}/buyers`)).text)?.[1] ?? ''
  const calls = `${base}/buyers/${buyer}/calls`
  await person.get(calls)
  expect((await person.post(calls)).status).toBeLessThan(400)

  const schemas = new Schemas(BASE_SOURCE)
  const accepted = new Set<string>()
  for (const [task, [example]] of Object.entries(EXAMPLES)) {
    const path = schemas.pathsOf(task)?.request
    if (path === undefined || example === undefined) continue
    const hostile = hostileRequests(schemas, schemas.document(path), example, (_member, kind, most) => {
      const text = kind === 'address' ? `https://brand.example/${PAYLOAD}` : PAYLOAD
      return text.length <= most ? text : '"><xss-probe>'.slice(0, most)
    })
    for (const [index, { request }] of hostile.slice(0, MOST_OF_A_TASK).entries()) {
      const fresh = 'idempotency_key' in example ? { idempotency_key: `hostile-corpus-${task}-${index}` } : {}
      const { isError } = await ask(task, { ...request, ...fresh })
      if (!isError) accepted.add(task)
    }
    expect([task, (await look([calls])).made]).toEqual([task, []])
  }
  // Tasks whose texts nothing else tries in the console.
  for (const task of ['sync_plans', 'sync_catalogs', 'sync_audiences', 'activate_signal', 'si_send_message', 'get_rights'])
    expect([task, accepted.has(task)]).toEqual([task, true])
  const { made, shown } = await look([`${base}/home`, `${base}/activity`, `${base}/inbox`, '/console/account'], 60)
  expect(made).toEqual([])
  // The recorded calls, and pages of what was kept; console-hostile-texts.test.ts looks at each page.
  expect(shown).toBeGreaterThan(1)
})

it('shows what the publisher itself imports and writes as a text, too', async () => {
  const operator = operatorOn(agent.server.store, agent.config)
  await setTenant(operator, agent.tenant, { name: `News ${PAYLOAD}` })
  const csv = `product_id,name\r\n"${PAYLOAD.replaceAll('"', '""')}","${PAYLOAD.replaceAll('"', '""')}"`
  await person.get(`${base}/products/import`)
  const sent = await person.upload(
    `${base}/products/import`,
    { name: `rates ${PAYLOAD}.csv`, text: csv },
    { step: 'file', mode: 'merge' },
  )
  expect(sent.text).toContain('&lt;xss-probe')
  expect(sent.text).not.toContain('<xss-probe')
  for (const path of ['/buyers', '/settings/publisher', '/settings/approvals', '/people/invite', '/settings/ad-servers']) {
    await person.get(`${base}/settings`)
    const fields = {
      id: PAYLOAD,
      name: PAYLOAD,
      domain: PAYLOAD,
      task: PAYLOAD,
      role: PAYLOAD,
      type: PAYLOAD,
      time_zone: PAYLOAD,
    }
    const isPublisher = path === '/settings/publisher'
    const sentTo = isPublisher ? person.fillIn(`${base}/settings`, path, fields) : person.post(base + path, fields)
    const { text } = await sentTo
    expect([path, text.includes('<xss-probe')]).toEqual([path, false])
  }
  for (const query of [
    'orders?search=',
    'orders?status=',
    'activity?who=',
    'products?search=',
    'reports?by=',
    'creatives?cursor=',
    'inbox?done=',
  ]) {
    const { text } = await person.get(`${base}/${query}${encodeURIComponent(PAYLOAD)}`)
    expect([query, text.includes('<xss-probe')]).toEqual([query, false])
  }
  const visitor = await fetch(`${new URL(agent.url).origin}/console/sign-in?next=${encodeURIComponent(PAYLOAD)}`)
  expect(await visitor.text()).not.toContain('<xss-probe')
  expect((await look([`${base}/home`, `${base}/products`])).made).toEqual([])
})
