import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CommandLine } from '../../tools/agent/command-line.ts'

const commands = new CommandLine()
const agent_url = 'http://127.0.0.1:3000/mcp'

const run = (...args: string[]) => commands.run([...args, '--data', commands.data])

beforeAll(async () => {
  await commands.json('init', '--demo')
})
afterAll(() => commands.close())

describe('identity', () => {
  it('init makes each key once, and says what to publish', async () => {
    const first = await commands.json('identity', 'init')
    expect(first).toMatchObject({ agent_url, brand_json: { agents_entry: { type: 'sales', url: agent_url } } })
    expect(first.keys.map(({ purpose, state }: Record<string, string>) => `${purpose} ${state}`).sort()).toEqual([
      'governance-signing active',
      'request-signing active',
      'webhook-signing active',
    ])
    expect((await commands.json('identity', 'init')).keys).toEqual(first.keys)
  })

  it('show fails while there is no https address', async () => {
    const { code, stdout } = await run('identity', 'show')
    expect(code).toBe(1)
    expect(stdout).toContain('problem: http://127.0.0.1:3000 is not https')
  })

  it('rotate announces a key that does not sign yet; a compromised one goes at once', async () => {
    const { items: rotations } = await commands.json('identity', 'rotate')
    expect(rotations.map(({ step }: { step: string }) => step)).toEqual(['announced', 'announced', 'announced'])
    expect((await commands.json('identity', 'rotate')).items[0].step).toBe('waiting')
    expect((await commands.json('identity', 'rotate', '--compromised')).items[0].retired).toHaveLength(2)
    expect((await commands.json('identity', 'init')).keys).toHaveLength(3)
  })
})

describe('doctor', () => {
  it('says what is wrong, with an exit code', async () => {
    const { code, stdout } = await run('doctor')
    expect(code).toBe(1)
    expect(stdout).toContain(`WARNING  address: ${agent_url} is plain http on this machine`)
    expect(stdout).toContain('PROBLEM  connection: nothing listens at this address and port')
    const json = await run('doctor', 'https://nobody.invalid/mcp', '--json')
    expect(json.code).toBe(1)
    expect(JSON.parse(json.stdout)).toMatchObject({
      healthy: false,
      findings: [
        { check: 'address', outcome: 'ok' },
        { check: 'connection', outcome: 'problem' },
      ],
    })
  })
})

describe('certificates', () => {
  it('are pinned by name, one agent each, and unpinned', async () => {
    await commands.json('buyers', 'add', 'other')
    await commands.json('certificates', 'pin', 'demo-buyer', 'dns:Buyer.Example')
    expect(await commands.json('certificates', 'list')).toEqual({
      items: [{ name: 'dns:buyer.example', buyer: 'demo-buyer', principal: 'demo-buyer' }],
      next_cursor: null,
    })
    expect((await run('certificates', 'pin', 'other', 'dns:buyer.example')).stderr).toContain('is pinned to demo-buyer')
    expect((await run('certificates', 'pin', 'other', 'dns:*.example')).code).toBe(1)
    expect((await run('certificates', 'pin', 'other', 'CN=other')).stderr).toContain('is no name of a certificate')
    await commands.json('certificates', 'unpin', 'dns:buyer.example')
    expect(await commands.json('certificates', 'list')).toEqual({ items: [], next_cursor: null })
  })
})
