import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { matchSchemas } from '../../../src/protocol/match-schemas.ts'
import { type FakeWeb, redirect, startFakeWeb, status, text, wellKnown } from '../../support/fake-web/fake-web.ts'
import { contextRequest, identityRequest, SELLER } from '../../support/match-router.ts'
import { type ReferenceProvider, sha256, startReferenceProvider } from '../../support/trusted-match-provider.ts'

const START = '2026-03-10T12:00:00Z'
const NEWS = 'news.example'
const SPORT = 'sport.example'
const validError = matchSchemas().validator('trusted-match/error.json')
const property = (domain: string) => ({
  property_id: 'site',
  property_type: 'website',
  name: domain,
  identifiers: [{ type: 'domain', value: domain }],
  publisher_domain: domain,
})
const fileOf = (domain: string, entry: object = {}) => ({
  $schema: 'https://adcontextprotocol.org/schemas/v3/adagents.json',
  properties: [property(domain)],
  authorized_agents: [
    { url: SELLER, authorized_for: 'all', authorization_type: 'property_ids', property_ids: ['site'], ...entry },
  ],
})
const available = (package_id: string) => ({ package_id, media_buy_id: 'mb', seller_agent: { agent_url: SELLER } })

describe('a seller that is enrolled for publishers (specification, "Sync-Time Validation")', () => {
  let web: FakeWeb
  let provider: ReferenceProvider

  beforeAll(async () => {
    web = await startFakeWeb()
  })
  afterAll(() => web?.close())
  beforeEach(async () => {
    for (const domain of [NEWS, SPORT]) web.put(wellKnown(domain), fileOf(domain))
    web.forgetRequests()
    provider = await startReferenceProvider(
      { sellers: [{ agentUrl: SELLER, keys: [{ sha256: sha256('sync-key') }], publishers: [NEWS, SPORT] }] },
      { outbound: web.fetch() },
    )
    return () => provider.stop()
  })

  const sync = async (...ids: string[]) => (await provider.sync('sync-key', ids.map(available))).value
  const refusedFor = async (reason: RegExp) => {
    const { accepted, errors } = await sync('a', 'b')
    expect(accepted).toBe(0)
    expect(errors.map(({ request_id, code }: { request_id: string; code: string }) => [request_id, code])).toEqual([
      ['a', 'seller_not_authorized'],
      ['b', 'seller_not_authorized'],
    ])
    expect(validError(errors[0])).toEqual([])
    expect(errors[0].message).toMatch(reason)
  }
  const offered = async (id: string) => {
    const { value } = await provider.ask('/context', contextRequest({ request_id: id }))
    return value.offers.map(({ package_id }: { package_id: string }) => package_id)
  }
  const eligible = async (id: string) => {
    const request = identityRequest({ request_id: id, consent: { gdpr: false }, country: undefined })
    return (await provider.ask('/identity', request)).value.eligible_package_ids
  }
  const stored = async () =>
    (await provider.store.read.selectFrom('match_packages').select('package_id').execute()).map(({ package_id }) => package_id)

  it('syncs while every publisher authorises it, whose files are read once in five minutes', async () => {
    expect(await sync('a')).toEqual({ accepted: 1, errors: [] })
    await expect.poll(() => offered('1'), { timeout: 60_000 }).toEqual(['a'])
    expect(await eligible('2')).toEqual(['a'])
    expect(await sync('a', 'b')).toEqual({ accepted: 2, errors: [] })
    expect([...web.requests].sort()).toEqual([wellKnown(NEWS), wellKnown(SPORT)])
    provider.setClock('2026-03-10T12:05:01Z')
    expect(await sync('a')).toEqual({ accepted: 1, errors: [] })
    expect(web.requests).toHaveLength(4)
  })

  it('is refused where one publisher names others alone, or restricts it to another time', async () => {
    web.put(wellKnown(SPORT), fileOf(SPORT, { url: 'https://other.example/mcp' }))
    provider.setClock('2026-03-10T12:06:00Z')
    await refusedFor(/^adagents\.json of sport\.example does not name https:\/\/\S+ in authorized_agents/)
    web.put(wellKnown(SPORT), fileOf(SPORT, { effective_from: '2026-04-01T00:00:00Z' }))
    provider.setClock('2026-03-10T12:12:00Z')
    await refusedFor(/or not now$/)
    web.put(wellKnown(SPORT), fileOf(SPORT))
    await refusedFor(/not now/)
    // A refusal is repeated for half a minute only.
    provider.setClock('2026-03-10T12:12:31Z')
    expect((await sync('a')).accepted).toBe(1)
  })

  it.each([
    ['is not there', status(404)],
    ['answers an error', status(500)],
    ['is no JSON', text('<html>')],
    ['is behind a redirect', redirect('https://www.news.example/.well-known/adagents.json')],
  ])('is refused where a file %s, and what was synced is not matched after five minutes', async (_name, page) => {
    expect((await sync('a')).accepted).toBe(1)
    await expect.poll(() => offered('1'), { timeout: 60_000 }).toEqual(['a'])
    web.put('https://www.news.example/.well-known/adagents.json', fileOf(NEWS))
    web.put(wellKnown(NEWS), page)
    provider.setClock('2026-03-10T12:04:59Z')
    expect(await offered('2')).toEqual(['a'])
    provider.setClock('2026-03-10T12:05:01Z')
    expect([await offered('3'), await eligible('4')]).toEqual([[], []])
    await refusedFor(/^adagents\.json of news\.example cannot be read: /)
    expect(await stored()).toEqual(['a'])
    // The publisher is back: what was validated before counts again.
    web.put(wellKnown(NEWS), fileOf(NEWS))
    provider.setClock('2026-03-10T12:06:00Z')
    expect((await sync('a')).accepted).toBe(1)
    await expect.poll(() => offered('5'), { timeout: 60_000 }).toEqual(['a'])
  })

  it('loses its packages when a publisher removes it, until it syncs again', async () => {
    await sync('a')
    web.put(wellKnown(NEWS), {
      ...fileOf(NEWS),
      authorized_agents: fileOf(NEWS, { url: 'https://other.example/mcp' }).authorized_agents,
    })
    provider.setClock('2026-03-10T12:06:00Z')
    await refusedFor(/news\.example/)
    expect(await stored()).toEqual([])
    expect(provider.lines.filter((line) => line.includes('a seller is not authorised'))).toHaveLength(1)
    web.put(wellKnown(NEWS), fileOf(NEWS))
    provider.setClock('2026-03-10T12:07:00Z')
    expect(await offered('1')).toEqual([])
    expect((await sync('a')).accepted).toBe(1)
    await expect.poll(() => offered('2'), { timeout: 60_000 }).toEqual(['a'])
  })

  it('is not matched from the moment at which its authorisation ends', async () => {
    web.put(wellKnown(NEWS), fileOf(NEWS, { effective_until: '2026-03-10T12:08:00Z' }))
    provider.setClock('2026-03-10T12:06:00Z')
    await sync('a')
    await expect.poll(() => offered('1'), { timeout: 60_000 }).toEqual(['a'])
    provider.setClock('2026-03-10T12:08:00Z')
    expect([await offered('2'), await eligible('3')]).toEqual([[], []])
  })

  it('follows one pointer, and no second', async () => {
    const target = 'https://files.example/adagents.json'
    web.put(wellKnown(NEWS), { authoritative_location: target })
    web.put(target, fileOf(NEWS))
    provider.setClock('2026-03-10T12:06:00Z')
    expect((await sync('a')).accepted).toBe(1)
    web.put(target, { authoritative_location: 'https://files.example/second.json' })
    web.put('https://files.example/second.json', fileOf(NEWS))
    provider.setClock('2026-03-10T12:12:00Z')
    await refusedFor(/pointer/)
  })
})

it('a seller that is enrolled by its key alone is not looked up', async () => {
  const web = await startFakeWeb()
  const sellers = [{ agentUrl: SELLER, keys: [{ sha256: sha256('sync-key') }] }]
  const provider = await startReferenceProvider({ sellers }, { outbound: web.fetch() })
  try {
    provider.setClock(START)
    expect((await provider.sync('sync-key', [available('a')])).value).toEqual({ accepted: 1, errors: [] })
    expect(web.requests).toEqual([])
  } finally {
    await provider.stop()
    await web.close()
  }
})
