import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { SafeFetch } from '../../../src/platform/net/safe-fetch.ts'
import { openDirectory, type TestDirectory } from '../../support/directory.ts'
import { HOUR, Model, type Site, wellKnownOf } from './model.ts'

const DOMAINS = ['p0.example', 'p1.example', 'p2.example', 'm0.example', 'm1.example']
const SHARED = ['https://m0.example/shared.json', 'https://files.example/shared.json']
const URLS = [...DOMAINS.map(wellKnownOf), ...SHARED]
const AGENTS = ['https://a0.example', 'https://a1.example']

type Command =
  | { readonly do: 'publish'; readonly url: string; readonly site: Site }
  | { readonly do: 'ads'; readonly domain: string; readonly manager: string | undefined }
  | { readonly do: 'refresh'; readonly domain: string }
  | { readonly do: 'pass'; readonly hours: number }

const domain = fc.constantFrom(...DOMAINS)
const inline: fc.Arbitrary<Site> = fc.record({
  kind: fc.constant('inline' as const),
  properties: fc.array(fc.record({ id: fc.constantFrom('a', 'b'), domain }, { requiredKeys: ['id'] }), {
    minLength: 1,
    maxLength: 5,
  }),
  entries: fc.array(
    fc.oneof(
      fc.record({ agent: fc.constantFrom(...AGENTS), ids: fc.subarray(['a', 'b'], { minLength: 1 }) }),
      fc.record({ agent: fc.constantFrom(...AGENTS), domains: fc.subarray(DOMAINS, { minLength: 1 }) }),
    ),
    { maxLength: 3 },
  ),
  revoked: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.subarray(DOMAINS, { maxLength: 2 }) }),
})
const pointer: fc.Arbitrary<Site> = fc.constantFrom(...SHARED).map((to) => ({ kind: 'pointer', to }))
const outage: fc.Arbitrary<Site> = fc.constantFrom<Site>({ kind: 'absent' }, { kind: 'down' })
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('publish' as const), url: fc.constantFrom(...URLS), site: inline }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('publish' as const), url: fc.constantFrom(...URLS.slice(0, 5)), site: pointer }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('publish' as const), url: fc.constantFrom(...URLS), site: outage }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('ads' as const), domain, manager: fc.option(domain, { nil: undefined }) }),
  },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('refresh' as const), domain }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('pass' as const), hours: fc.constantFrom(1, 12, 25, 60, 170) }) },
)

/** The wire form of a model site. */
function documentOf(site: Extract<Site, { kind: 'inline' | 'pointer' }>): object {
  if (site.kind === 'pointer') return { authoritative_location: site.to }
  return {
    properties: site.properties.map(({ id, domain: publisher_domain }) => ({
      property_type: 'website',
      name: id,
      property_id: id,
      identifiers: [{ type: 'domain', value: 'x.example' }],
      ...(publisher_domain !== undefined && { publisher_domain }),
    })),
    authorized_agents: site.entries.map(({ agent, ids, domains }) => ({
      url: agent,
      authorized_for: 'all',
      ...(ids
        ? { authorization_type: 'property_ids', property_ids: ids }
        : {
            authorization_type: 'publisher_properties',
            publisher_properties: [{ publisher_domains: domains, selection_type: 'all' }],
          }),
    })),
    revoked_publisher_domains: site.revoked.map((publisher_domain) => ({ publisher_domain, revoked_at: '2020-01-01T00:00:00Z' })),
  }
}

/** Serves the model's web without a network; the ETag is the content. */
const fetchFrom =
  (model: Model): SafeFetch =>
  async (url, request) => {
    const answer = (status: number, body = '', etag?: string) => ({
      status,
      url,
      body: Buffer.from(body),
      contentType: 'application/json',
      etag,
      lastModified: undefined,
      retryAfter: undefined,
    })
    if (url.endsWith('/ads.txt')) {
      const manager = model.ads.get(new URL(url).hostname)
      return manager === undefined ? answer(404) : answer(200, `MANAGERDOMAIN=${manager}`)
    }
    const site = model.sites.get(url)
    if (!site || site.kind === 'absent') return answer(404)
    if (site.kind === 'down') return answer(503)
    const body = JSON.stringify(documentOf(site))
    const etag = `"${Buffer.from(body).toString('base64url')}"`
    return request.etag === etag ? answer(304) : answer(200, body, etag)
  }

async function step(command: Command, model: Model, directory: TestDirectory): Promise<void> {
  model.lastRows = model.rows()
  if (command.do === 'publish') model.sites.set(command.url, command.site)
  else if (command.do === 'ads') {
    if (command.manager === undefined) model.ads.delete(command.domain)
    else model.ads.set(command.domain, command.manager)
  } else if (command.do === 'refresh') await refresh(command.domain, model, directory)
  else {
    const from = model.now
    model.pass(command.hours * HOUR)
    await directory.pass(command.hours * HOUR)
    // A self-revocation that ends by time is acted on at the publisher's refresh, which its schedule brings about then.
    for (const [name, publisher] of model.publishers) {
      if (publisher.blockedUntil > from && publisher.blockedUntil <= model.now) await refresh(name, model, directory)
    }
  }
}

async function refresh(name: string, model: Model, directory: TestDirectory): Promise<void> {
  model.lastRows = model.rows()
  model.refresh(name)
  await directory.add(name)
  await directory.refresh([name])
}

async function indexRows(directory: TestDirectory): Promise<Record<string, string>> {
  const rows: Record<string, string> = {}
  for (const agent of AGENTS)
    for (const [name, row] of Object.entries(await directory.rows(agent))) rows[`${agent} ${name}`] = row
  return rows
}

const RUNS = Number(process.env.MODEL_RUNS ?? 40)

it(
  'the index agrees with the model after every step of random webs',
  async () => {
    let compared = 0
    let shown = 0
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 10, maxLength: 30 }), async (commands) => {
        const model = new Model()
        const directory = await openDirectory(fetchFrom(model))
        model.now = directory.now().getTime()
        try {
          for (const each of commands) {
            await step(each, model, directory)
            const rows = model.rows()
            expect(await indexRows(directory)).toEqual(rows)
            compared += 1
            shown += Object.keys(rows).length
          }
        } finally {
          await directory.close()
        }
      }),
      { numRuns: RUNS },
    )
    // The runs must have had something to agree on.
    expect(shown).toBeGreaterThan(compared / 10)
  },
  60_000 + RUNS * 1_000,
)
