import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FRESHNESS } from '../../src/domain/directory/freshness.ts'
import { addDomains } from '../../src/features/directory/crawl-list.ts'
import { crawl } from '../../src/features/directory/crawler.ts'
import type { FakeWeb } from './fake-web/fake-web.ts'
import { AGENT, BRAND, PUBLISHER, startRegistryWorld } from './registry-world.ts'
import { startAgent, type TestAgent } from './start-agent.ts'

/** The official command line client, as a developer runs it. */
const ADCP = join(createRequire(import.meta.url).resolve('@adcp/sdk/package.json'), '../bin/adcp.js')

/** Commands that read, and what they print. */
export const REGISTRY_COMMANDS: readonly (readonly [words: readonly string[], printed: string])[] = [
  [['brand', BRAND], 'Brand: Nova'],
  [['brands', BRAND, 'nobody.example'], "No brand found for 'nobody.example'"],
  [['property', PUBLISHER], `Property: ${PUBLISHER}\n  Verified: Yes`],
  [['properties', PUBLISHER], `- ${AGENT}`],
  [['agents', '--type', 'sales'], 'Agents: 2 registered'],
  [['publishers'], PUBLISHER],
  [['stats'], 'publishers: 1'],
  [['validate', PUBLISHER], 'Validation: PASS'],
  [['validate', 'nobody.example'], 'Validation: FAIL'],
  [['validate-publisher', PUBLISHER], 'valid: true'],
  [['lookup', PUBLISHER], `- ${AGENT}`],
  [['discover', AGENT], 'capabilities: ["create_media_buy","get_products"]'],
  [['check-auth', AGENT, 'domain', PUBLISHER], 'Authorized: Yes'],
]

/**
 * The official client's registry commands against the registry of this server; each is a process that takes seconds to load.
 * @param commands those of {@link REGISTRY_COMMANDS} to run
 */
export function registryCommandsContract(commands: typeof REGISTRY_COMMANDS): void {
  describe('the official client’s registry commands', () => {
    let web: FakeWeb
    let agent: TestAgent
    let key: string
    beforeAll(async () => {
      web = await startRegistryWorld()
      agent = await startAgent({ demo: true, safeFetch: web.fetch() })
      key = await agent.addBuyer({ principal: 'org', scopes: ['registry'] })
      agent.server.registry.upkeep.wake()
      await agent.server.registry.upkeep.idle()
      const { store } = agent.server
      const clock = () => new Date()
      const deps = {
        store,
        fetch: web.fetch(),
        clock,
        random: () => 0.5,
        limits: FRESHNESS,
        worker: 'test',
        warn: () => undefined,
      }
      await addDomains(deps, [PUBLISHER])
      await crawl(deps, { concurrency: 1 })
    })
    afterAll(async () => {
      await agent.stop()
      await web.close()
    })

    function adcp(...words: string[]): Promise<{ code: number; output: string }> {
      const args = [ADCP, 'registry', ...words, '--registry-url', new URL(agent.url).origin]
      const env = { ...process.env, ADCP_SKIP_VERSION_CHECK: '1' }
      return new Promise((resolve) => {
        execFile(process.execPath, args, { env, timeout: 30_000 }, (error, stdout, stderr) =>
          resolve({ code: error ? 1 : 0, output: stdout + stderr }),
        )
      })
    }

    test.each(commands)('%j', async (words, expected) => {
      const { code, output } = await adcp(...words)
      expect(output).toContain(expected)
      expect(code).toBe(0)
    })

    test('saves a brand and a publisher with a key of an organisation, and not without', async () => {
      expect(
        (await adcp('save-brand', 'saved.example', 'Saved', '{"colors":{"primary":"#112233"}}', '--auth', key)).output,
      ).toContain('Saved successfully')
      expect((await adcp('brand', 'saved.example')).output).toContain('Colors:      primary: #112233')
      expect((await adcp('save-property', 'saved.example', AGENT, '--auth', key)).output).toContain('Revision: 1')
      expect((await adcp('property', 'saved.example')).output).toContain('Verified: No')
      expect((await adcp('save-brand', 'other.example', 'Other', '--auth', agent.key)).output).toContain('403')
    })
  })
}
