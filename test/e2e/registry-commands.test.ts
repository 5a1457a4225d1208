import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { Schemas } from '../../src/protocol/schemas.ts'
import { CommandLine } from '../../tools/agent/command-line.ts'
import { REGISTRY_COMMANDS, registryCommandsContract } from '../support/registry-commands-contract.ts'

// One of each kind; the extended tests run all.
registryCommandsContract(REGISTRY_COMMANDS.filter(([[name]]) => /^(?:agents|validate|check-auth)$/.test(name ?? '')))

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
    // Nothing outside is reached, so what the publisher's domain serves is not known.
    const diff = await cli.run(['adagents', 'diff', ...environment, '--config', config, '--json'])
    expect(diff.code).toBe(2)
    expect(JSON.parse(diff.stdout)).toMatchObject({ same: false, served_from: null, extra_properties: [] })
  })

  test('registry add says why an agent is not taken; list, refresh and remove work on what is there', async () => {
    const refused = await cli.run(['registry', 'add', 'http://127.0.0.1:9/mcp', '--data', cli.data])
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('could not be verified: the address is not https')
    const server = await cli.serve()
    await expect
      .poll(async () => (await cli.json('registry', 'list', '--capability', 'get_products')).items, { timeout: 60_000 })
      .toMatchObject([{ agent_url: server.mcpUrl, source: 'own', health: 'online' }])
    expect((await cli.json('registry', 'list', '--channel', 'none')).items).toEqual([])
    expect(await cli.json('registry', 'refresh')).toEqual({ checked: 0 })
    expect(await cli.json('registry', 'remove', server.mcpUrl)).toMatchObject({ removed: true })
    expect((await cli.run(['registry', 'remove', server.mcpUrl, '--data', cli.data])).stderr).toContain('does not know')
  })
})
