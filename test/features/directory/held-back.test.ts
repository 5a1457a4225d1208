import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadConfig } from '../../../src/config/load-config.ts'
import { compareWithSources } from '../../../src/features/directory/divergence.ts'
import { indexedRows } from '../../../src/features/directory/indexed-rows.ts'
import { explain } from '../../../src/features/directory/why.ts'
import { describeAuthorization } from '../../../src/operator/directory/describe-authorization.ts'
import { verifyPublisher } from '../../../src/operator/directory/verify-publisher.ts'
import { snakeMembers } from '../../../src/operator/snake-members.ts'
import { Schemas } from '../../../src/protocol/schemas.ts'
import { DAY, openDirectory, type TestDirectory } from '../../support/directory.ts'
import { type FakeWeb, startFakeWeb, wellKnown } from '../../support/fake-web/fake-web.ts'
import { grant, property } from '../../support/registry-world.ts'

const AGENT = 'https://sales.agent.example/mcp'
const OTHER = 'https://other.agent.example/mcp'
/** Publishers that revoke everything, and authorise an agent again two days later. */
const BACK = { 'back.example': AGENT, 'theirs-1.example': OTHER, 'theirs-2.example': OTHER }
const DOMAINS = Object.keys(BACK)

let web: FakeWeb
let directory: TestDirectory
let folder: string
beforeAll(async () => {
  web = await startFakeWeb()
  folder = mkdtempSync(join(tmpdir(), 'held-back-'))
  writeFileSync(join(folder, 'ca.pem'), web.ca)
  directory = await openDirectory(web.fetch())
  const file = (url: string, fields: object = {}) => ({
    properties: [property()],
    authorized_agents: [grant({ url })],
    ...fields,
  })
  const publish = (isRevoked: boolean) => {
    for (const [domain, agent] of Object.entries(BACK)) {
      const revoked_publisher_domains = [{ publisher_domain: domain, revoked_at: '2026-01-01T00:00:00Z' }]
      web.put(wellKnown(domain), file(agent, isRevoked ? { revoked_publisher_domains } : {}))
    }
  }
  web.put(wellKnown('steady.example'), file(AGENT))
  publish(true)
  await directory.add('steady.example', ...DOMAINS)
  await directory.refresh('all')
  await directory.pass(2 * DAY)
  publish(false)
  await directory.refresh('all')
})
afterAll(async () => {
  await directory.close()
  await web.close()
  rmSync(folder, { recursive: true })
})

async function verify(domain: string, store: typeof directory.store | undefined) {
  const flags = { mode: 'development', directory: { resolve: `127.0.0.1:${web.port}`, ca: join(folder, 'ca.pem') } }
  const config = loadConfig(new Schemas(), { environment: {}, flags })
  const [answer] = await verifyPublisher({ config, store, clock: directory.now }, { domain, agentUrl: AGENT })
  if (!answer) throw new Error('no answer')
  return describeAuthorization(snakeMembers(answer), AGENT)
}

const YES = 'yes: back.example authorises https://sales.agent.example/mcp for 1 of 1 properties (direct)'

it('verify tells what the file says now, and until when this directory holds it back', async () => {
  expect(await directory.rows(AGENT)).toEqual({ 'steady.example': 'direct - 1/1 authorized' })
  expect(await verify('back.example', directory.store)).toBe(
    `${YES}; held until 2026-03-08T00:00:00.000Z by this directory, because ${wellKnown('back.example')} revoked it`,
  )
  expect(await verify('back.example', undefined)).toBe(YES)
  expect(await verify('steady.example', directory.store)).toBe(YES.replace('back', 'steady'))
})

it('the index says as long as it shows the mark of the revocation, and after, until when it holds the publisher back', async () => {
  const fresh = await openDirectory(web.fetch())
  const revoked = { revoked_publisher_domains: [{ publisher_domain: 'late.example', revoked_at: '2026-01-01T00:00:00Z' }] }
  const file = { properties: [property()], authorized_agents: [grant({ url: AGENT })] }
  web.put(wellKnown('late.example'), file)
  await fresh.add('late.example')
  await fresh.refresh('all')
  const why = async () => (await explain(fresh.store.read, 'late.example', fresh.now(), AGENT)).not_listed_because
  expect(await why()).toEqual([])
  web.put(wellKnown('late.example'), { ...file, ...revoked })
  await fresh.refresh(['late.example'])
  expect(await fresh.rows(AGENT)).toEqual({ 'late.example': 'direct - 0/1 revoked' })
  expect(await why()).toEqual([`${wellKnown('late.example')} lists it in revoked_publisher_domains`])
  web.put(wellKnown('late.example'), file)
  await fresh.refresh(['late.example'])
  const held = `${wellKnown('late.example')} listed it in revoked_publisher_domains; it is held back until 2026-03-08T00:00:00.000Z`
  expect(await fresh.rows(AGENT)).toEqual({ 'late.example': 'direct - 0/1 revoked' })
  expect(await why()).toEqual([held])
  await fresh.close()
})

it('the index says nothing of what a file grants while it holds back a publisher that it never listed', async () => {
  const fresh = await openDirectory(web.fetch())
  const domain = 'first.example'
  const file = { properties: [property()], authorized_agents: [grant({ url: AGENT })] }
  const revoked = { revoked_publisher_domains: [{ publisher_domain: domain, revoked_at: '2026-01-01T00:00:00Z' }] }
  web.put(wellKnown(domain), { ...file, ...revoked })
  await fresh.add(domain)
  await fresh.refresh('all')
  web.put(wellKnown(domain), file)
  await fresh.refresh([domain])
  expect(await fresh.rows(AGENT)).toEqual({})
  const { not_listed_because: why } = await explain(fresh.store.read, domain, fresh.now(), AGENT)
  expect(why).toEqual([
    `${wellKnown(domain)} listed it in revoked_publisher_domains; it is held back until 2026-03-08T00:00:00.000Z`,
  ])
  await fresh.close()
})

it('a comparison counts publishers that have to do with the agent, not those that are held back for others', async () => {
  const now = directory.now()
  const report = await compareWithSources(AGENT, indexedRows(directory.store.read, AGENT, now), { fetch: web.fetch(), now })
  expect(report.checked).toBe(2)
  expect(report.divergences.map(({ publisherDomain }) => publisherDomain)).toEqual(['back.example'])
})

it('after the hold the index shows what the file says', async () => {
  await directory.pass(5 * DAY)
  await directory.refresh('all')
  expect(await directory.rows(AGENT)).toMatchObject({ 'back.example': 'direct - 1/1 authorized' })
  expect(await verify('back.example', directory.store)).toBe(YES)
})

it('lookup, verify and divergence say the same of a publisher that a manager alone names, each by what it asks', async () => {
  const domain = 'named.example'
  const managerFile = wellKnown('stranger.example')
  web.put(managerFile, {
    properties: [property({ publisher_domain: domain })],
    authorized_agents: [grant({ url: AGENT })],
  })
  await directory.add('stranger.example')
  await directory.visitDue()
  expect((await directory.rows(AGENT))[domain]).toBe('adagents_authoritative stranger.example 1/1 authorized')
  const no = /^no: named\.example does not authorise .*there is no file \(404\)/
  expect(await verify(domain, undefined)).toMatch(no)
  const listed = await verify(domain, directory.store)
  expect(listed).toMatch(no)
  expect(listed).toContain(
    `; this directory lists it by ${managerFile} alone (adagents_authoritative), which names the publisher`,
  )
  const now = directory.now()
  const report = await compareWithSources(AGENT, indexedRows(directory.store.read, AGENT, now), { fetch: web.fetch(), now })
  expect([report.listedByManagerAlone, report.confirmedByManagerAlone]).toEqual([1, 1])
  expect(report.divergences.map(({ publisherDomain }) => publisherDomain)).not.toContain(domain)
})
