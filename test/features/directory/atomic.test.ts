import { expect, it } from 'vitest'
import { parseLookup } from '../../../src/domain/directory/lookup-query.ts'
import { readEnvelope } from '../../../src/features/directory/lookup.ts'
import type { SafeFetch } from '../../../src/platform/net/safe-fetch.ts'
import { createDirectoryReader } from '../../../src/store/directory/directory-lookup.ts'
import { openDirectory, putWithoutFile } from '../../support/directory.ts'

const AGENT = 'https://agent.example'
const DOMAINS = Array.from({ length: 900 }, (_, index) => `site${index}.example`)

/** A manager's file in which every publisher has `count` properties. */
function file(count: number): string {
  return JSON.stringify({
    properties: DOMAINS.flatMap((publisher_domain) =>
      Array.from({ length: count }, (_, index) => ({
        property_type: 'website',
        name: 'Site',
        property_id: `p${index}`,
        identifiers: [{ type: 'domain', value: publisher_domain }],
        tags: ['all'],
        publisher_domain,
      })),
    ),
    authorized_agents: [{ url: AGENT, authorized_for: 'all', authorization_type: 'property_tags', property_tags: ['all'] }],
  })
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

it('a reader sees a manager’s file as it was or as it is, never half of each', async () => {
  let body = file(1)
  const fetch: SafeFetch = async (url) => ({
    status: url.includes('manager.example') ? 200 : 404,
    url,
    body: Buffer.from(body),
    contentType: 'application/json',
    etag: undefined,
    lastModified: undefined,
    retryAfter: undefined,
  })
  const directory = await openDirectory(fetch)
  await directory.add('manager.example')
  await putWithoutFile(directory.store, DOMAINS, directory.now())
  await directory.refresh(['manager.example'])
  const reader = createDirectoryReader(directory.store.read)
  const seen: string[] = []
  let rounds = 0
  let reading = true
  const reads = (async () => {
    while (reading) {
      const { publishers } = await readEnvelope(
        reader,
        parseLookup({ agentUrl: AGENT, limit: 1000 }, directory.now()),
        directory.now(),
      )
      seen.push([...new Set(publishers.map((row) => row.properties_authorized))].join(), String(publishers.length))
      rounds += 1
      await turn()
    }
  })()
  /** Until a reading has begun and ended: the one that runs by now may have begun before. */
  const isRead = async () => {
    for (const after = rounds + 2; rounds < after; ) await turn()
  }
  await isRead()
  for (const count of [2, 3, 1, 2]) {
    body = file(count)
    await directory.refresh(['manager.example'])
    await isRead()
  }
  reading = false
  await reads
  await directory.close()
  expect(new Set(seen)).toEqual(new Set(['1', '2', '3', '900']))
})
