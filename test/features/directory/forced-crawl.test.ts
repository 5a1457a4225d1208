import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { operatorOn } from '../../../src/compose/operator.ts'
import { loadConfig } from '../../../src/config/load-config.ts'
import { crawlPublishers } from '../../../src/operator/directory/crawl-publishers.ts'
import { Schemas } from '../../../src/protocol/schemas.ts'
import { openDirectory, type TestDirectory } from '../../support/directory.ts'
import { adsTxt, type FakeWeb, startFakeWeb, text, wellKnown } from '../../support/fake-web/fake-web.ts'
import { grant, property } from '../../support/registry-world.ts'

const AGENT = 'https://sales.agent.example/mcp'
const SHARED = 'https://files.example/shared.json'
const POINTING = ['one.example', 'two.example']
const MANAGED = ['three.example', 'four.example']

let web: FakeWeb
let directory: TestDirectory
let folder: string
beforeAll(async () => {
  web = await startFakeWeb()
  folder = mkdtempSync(join(tmpdir(), 'forced-crawl-'))
  writeFileSync(join(folder, 'ca.pem'), web.ca)
  directory = await openDirectory(web.fetch())
  for (const domain of POINTING) web.put(wellKnown(domain), { authoritative_location: SHARED })
  for (const domain of MANAGED) web.put(adsTxt(domain), text('MANAGERDOMAIN=manager.example\n'))
})
afterAll(async () => {
  await directory.close()
  await web.close()
  rmSync(folder, { recursive: true })
})

/** Two managers' files: one is pointed at, the other is named by ads.txt. */
function publish(revoked: readonly string[]): void {
  const file = (domains: readonly string[]) => ({
    properties: domains.map((domain) => property({ publisher_domain: domain })),
    authorized_agents: [grant({ url: AGENT })],
    revoked_publisher_domains: revoked.map((publisher_domain) => ({ publisher_domain, revoked_at: '2026-01-01T00:00:00Z' })),
  })
  web.put(SHARED, file(POINTING))
  web.put(wellKnown('manager.example'), file(MANAGED))
}

async function crawl(request: { readonly all?: true; readonly domain?: string }): Promise<Record<string, string>> {
  const flags = { mode: 'development', directory: { resolve: `127.0.0.1:${web.port}`, ca: join(folder, 'ca.pem') } }
  const config = loadConfig(new Schemas(), { environment: {}, flags })
  const operator = { ...operatorOn(directory.store, config), clock: directory.now }
  web.forgetRequests()
  await crawlPublishers(operator, { ...request, log: { warn: () => undefined } })
  const rows = Object.entries(await directory.rows(AGENT))
  return Object.fromEntries(rows.map(([domain, row]) => [domain, row.split(' ').at(-1) ?? '']))
}

it('a crawl of all reads every file, those that publishers share once, however recently it was read', async () => {
  publish([])
  await directory.add(...POINTING, ...MANAGED)
  await crawl({ all: true })
  await directory.pass(5_000)
  publish(['one.example', 'three.example'])
  expect(await crawl({ all: true })).toEqual({
    'four.example': 'authorized',
    'one.example': 'revoked',
    'three.example': 'revoked',
    'two.example': 'authorized',
  })
  const asked = [SHARED, wellKnown('manager.example')].map((url) => web.requests.filter((each) => each === url).length)
  expect(asked).toEqual([1, 1])
})

it.each([
  ['the managers first', ['a-manager.example', 'a-target.example'], ['z-one.example', 'z-two.example', 'z-three.example']],
  ['the managers last', ['z-manager.example', 'z-target.example'], ['a-one.example', 'a-two.example', 'a-three.example']],
])('a file that is read for its own domain and for others is asked for once, with %s', async (_name, managers, members) => {
  const [manager = '', target = ''] = managers
  const [one = '', two = '', three = ''] = members
  const publishFiles = (revoked: readonly string[]) => {
    for (const domain of managers) {
      const file = {
        properties: [domain, ...members].map((each) => property({ publisher_domain: each })),
        authorized_agents: [grant({ url: AGENT })],
        revoked_publisher_domains: revoked.map((each) => ({ publisher_domain: each, revoked_at: '2026-01-01T00:00:00Z' })),
      }
      web.put(wellKnown(domain), file)
    }
  }
  publishFiles([])
  for (const domain of [one, two]) web.put(adsTxt(domain), text(`MANAGERDOMAIN=${manager}\n`))
  web.put(wellKnown(three), { authoritative_location: wellKnown(target) })
  await directory.add(...managers, ...members)
  const counts = () => {
    const urls = web.requests.filter((url) => [...managers, ...members].includes(new URL(url).hostname))
    return urls.filter((url, index) => urls.indexOf(url) !== index)
  }
  // The first time, once more, with the files unchanged, and with all of them changed.
  for (const revoked of [[], [], members]) {
    publishFiles(revoked)
    const rows = await crawl({ all: true })
    expect(counts()).toEqual([])
    expect(members.map((domain) => rows[domain])).toEqual(members.map(() => (revoked.length > 0 ? 'revoked' : 'authorized')))
    await directory.pass(5_000)
  }
})

it('a crawl of one publisher reads the file that it shares, however recently it was read', async () => {
  publish(['one.example', 'two.example'])
  await directory.pass(5_000)
  expect(await crawl({ domain: 'two.example' })).toMatchObject({ 'two.example': 'revoked' })
})
