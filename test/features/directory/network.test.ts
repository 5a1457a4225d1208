import { afterAll, beforeAll, expect, it } from 'vitest'
import { parseLookup } from '../../../src/domain/directory/lookup-query.ts'
import { readEnvelope } from '../../../src/features/directory/lookup.ts'
import { createDirectoryReader } from '../../../src/store/directory/directory-lookup.ts'
import { openDirectory, putWithoutFile, type TestDirectory } from '../../support/directory.ts'
import { type FakeWeb, startFakeWeb, wellKnown } from '../../support/fake-web/fake-web.ts'
import { LARGEST_NETWORK, managedNetwork, networkDomain } from '../../support/fake-web/worlds.ts'

let web: FakeWeb
let directory: TestDirectory
beforeAll(async () => {
  web = await startFakeWeb()
  directory = await openDirectory(web.fetch())
})
afterAll(async () => {
  await directory.close()
  await web.close()
})

it('indexes 6,800 domains without a file of their own behind one file, and pages through them', async () => {
  const file = JSON.stringify(managedNetwork(LARGEST_NETWORK))
  expect(file.length).toBeGreaterThan(2_400_000)
  web.put(wellKnown('manager.example'), JSON.parse(file))
  const domains = Array.from({ length: 6_800 }, (_, index) => networkDomain(index))
  await directory.add('manager.example')
  await putWithoutFile(directory.store, domains, directory.now())
  await directory.refresh(['manager.example'])
  expect(web.requests).toEqual([wellKnown('manager.example')])
  for (const limit of [200, 1000]) {
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const query = parseLookup({ agentUrl: LARGEST_NETWORK.agent, limit, include: ['properties'], cursor }, directory.now())
      const envelope = await readEnvelope(createDirectoryReader(directory.store.read), query, directory.now())
      for (const row of envelope.publishers) {
        expect(row).toMatchObject({ discovery_method: 'adagents_authoritative', manager_domain: 'manager.example' })
        expect(row.property_ids).toHaveLength(row.properties_authorized)
      }
      seen.push(
        ...envelope.publishers.map((row) => `${row.publisher_domain} ${row.properties_authorized}/${row.properties_total}`),
      )
      cursor = envelope.next_cursor ?? undefined
    } while (cursor !== undefined)
    expect(seen).toEqual(domains.map((domain, index) => `${domain} ${index < 43 ? '2/2' : '1/1'}`))
  }
  // Each of them is on the crawl list once.
  const { due } = await directory.store.read
    .selectFrom('directory_publishers')
    .select((eb) => eb.fn.countAll<number>().as('due'))
    .where('origin', '=', 'manager')
    .executeTakeFirstOrThrow()
  expect(Number(due)).toBe(6_800)
}, 120_000)
