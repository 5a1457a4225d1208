import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FRESHNESS } from '../../../src/domain/directory/freshness.ts'
import { addDomains } from '../../../src/features/directory/crawl-list.ts'
import { crawl } from '../../../src/features/directory/crawler.ts'
import { readArchive } from '../../../src/platform/decode/contract-archive.ts'
import { PINNED_WHEEL } from '../../../tools/contracts/pinned-wheel.ts'
import { type FakeWeb, json, wellKnown } from '../../support/fake-web/fake-web.ts'
import { AGENT, grant, PUBLISHER, property, startRegistryWorld } from '../../support/registry-world.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'
import { wheelIsMissing } from '../../support/wheel.ts'

const SCHEMA = 'adcp/_schemas/3.2/aao/agent-publishers.json'

describe.skipIf(wheelIsMissing)('answers of the directory and the schema of 3.2', () => {
  let web: FakeWeb
  let agent: TestAgent
  beforeAll(async () => {
    web = await startRegistryWorld()
    agent = await startAgent({ safeFetch: web.fetch() })
    const deps = {
      store: agent.server.store,
      fetch: web.fetch(),
      clock: () => new Date(),
      random: () => 0.5,
      limits: FRESHNESS,
      worker: 'test',
      warn: () => undefined,
    }
    web.put(wellKnown('pointer.example'), json({ authoritative_location: 'https://manager.example/file.json' }))
    web.put('https://manager.example/file.json', json({ properties: [property()], authorized_agents: [grant()] }))
    await addDomains(deps, [PUBLISHER, 'pointer.example'])
    await crawl(deps, { concurrency: 2 })
  })
  afterAll(async () => {
    await agent?.stop()
    await web?.close()
  })

  it.each(['', '?include=properties', '?limit=1', '?status=revoked'])('agree for "%s"', async (query) => {
    const folder = fileURLToPath(new URL(`../../../.cache/contracts/${PINNED_WHEEL.sha256}/archive/`, import.meta.url))
    const files = await readArchive(folder + readdirSync(folder)[0], (path) => path === SCHEMA)
    const ajv = new Ajv({ strict: false, allErrors: true })
    addFormats.default(ajv)
    const validate = ajv.compile(JSON.parse(new TextDecoder().decode(files.get(SCHEMA))))
    const url = `${agent.url.replace('/mcp', '')}/v1/agents/${encodeURIComponent(AGENT)}/publishers${query}`
    const body = JSON.parse(await (await fetch(url)).text())
    expect(validate(body), JSON.stringify(validate.errors)).toBe(true)
    expect(body.publishers).toHaveLength(query === '' || query.startsWith('?i') ? 2 : query === '?limit=1' ? 1 : 0)
  })
})
