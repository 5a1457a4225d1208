import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FRESHNESS } from '../../src/domain/directory/freshness.ts'
import { addDomains } from '../../src/features/directory/crawl-list.ts'
import { crawl } from '../../src/features/directory/crawler.ts'
import { Schemas } from '../../src/protocol/schemas.ts'
import type { FakeWeb } from '../support/fake-web/fake-web.ts'
import { AGENT, BRAND, PUBLISHER, startRegistryWorld } from '../support/registry-world.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'
import { CommandLine } from './command-line.ts'

/** The official command line client, as a developer runs it. */
const ADCP = join(createRequire(import.meta.url).resolve('@adcp/sdk/package.json'), '../bin/adcp.js')

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
    const deps = { store, fetch: web.fetch(), clock, random: () => 0.5, limits: FRESHNESS, worker: 'test', warn: () => undefined }
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

  test.each([
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
  ])('%j', async (words, expected) => {
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

describe('the commands of this agent', () => {
  const cli = new CommandLine()
  afterAll(() => cli.close())

  test('adagents build makes a file that follows the official schema, and validate says so', async () => {
    await cli.json('init', '--demo')
    const environment = ['--data', cli.data]
    const config = join(cli.folder, 'config.json')
    writeFileSync(config, JSON.stringify({ publicUrl: 'https://ads.seller.example' }))
    const file = join(cli.folder, 'adagents.json')
    const { code, stdout, stderr } = await cli.run(['adagents', 'build', ...environment, '--config', config])
    expect(code, stderr).toBe(0)
    const document = JSON.parse(stdout)
    expect(new Schemas().validator('adagents.json')(document)).toEqual([])
    expect(document.authorized_agents[0].url).toBe('https://ads.seller.example/mcp')

    writeFileSync(file, stdout)
    expect(await cli.json('adagents', 'validate', file)).toMatchObject({ valid: true, errors: [], authorized_agents: 1 })
    writeFileSync(file, JSON.stringify({ authorized_agents: [{ url: 'https://a.example/mcp' }] }))
    const refused = await cli.run(['adagents', 'validate', file, '--json'])
    expect(refused.code).toBe(1)
    expect(JSON.parse(refused.stdout).errors.join()).toContain('authorized_agents[0]')
    // Nothing outside is reached, so the publisher's domain serves nothing.
    const diff = await cli.run(['adagents', 'diff', ...environment, '--config', config, '--json'])
    expect(diff.code).toBe(1)
    expect(JSON.parse(diff.stdout)).toMatchObject({ same: false, served_from: null, extra_properties: [] })
  })

  test('registry add says why an agent is not taken; list, refresh and remove work on what is there', async () => {
    const refused = await cli.run(['registry', 'add', 'http://127.0.0.1:9/mcp', '--data', cli.data])
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('could not be verified: the address is not https')
    const server = await cli.serve()
    await expect
      .poll(async () => (await cli.json('registry', 'list', '--capability', 'get_products')).agents, { timeout: 20_000 })
      .toMatchObject([{ agent_url: server.mcpUrl, source: 'own', health: 'online' }])
    expect((await cli.json('registry', 'list', '--channel', 'none')).agents).toEqual([])
    expect(await cli.json('registry', 'refresh')).toEqual({ checked: 0 })
    expect(await cli.json('registry', 'remove', server.mcpUrl)).toMatchObject({ removed: true })
    expect((await cli.run(['registry', 'remove', server.mcpUrl, '--data', cli.data])).stderr).toContain('does not know')
  })
})
