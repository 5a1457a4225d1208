import { execFile } from 'node:child_process'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { COMMAND } from '../../../tools/agent/command-line.ts'
import { agentClient } from '../../support/client.ts'
import { type OauthAgent, startOauthAgent, USER } from '../../support/oauth-agent.ts'

let agent: OauthAgent
beforeAll(async () => {
  agent = await startOauthAgent()
})
afterAll(() => agent.stop())

// biome-ignore lint/suspicious/noExplicitAny: what a command prints is judged by assertions
const command = (...args: string[]): Promise<any> =>
  new Promise((resolve, reject) => {
    const [executable = '', ...words] = [...COMMAND, 'oauth', ...args, '--data', agent.config.data, '--json']
    execFile(executable, words, (error, stdout, stderr) => (error ? reject(new Error(stderr)) : resolve(JSON.parse(stdout))))
  })

it('an operator sees who connected what, and ends it at once', async () => {
  const { access_token: token, clientId } = await agent.tokens({ scope: 'adcp:products adcp:accounts' })
  const { items: clients } = await command('clients')
  expect(clients).toMatchObject([{ client_id: clientId, client_name: 'Assistant', used_at: expect.any(String) }])
  const { items: grants } = await command('grants')
  expect(grants).toMatchObject([
    { user: USER.username, client_id: clientId, resources: { [agent.url]: 'adcp:products adcp:accounts' } },
  ])
  const client = agentClient(agent.url, token)
  expect((await client.call('list_accounts', {})).status).toBe(200)
  await command('revoke', grants[0].grant)
  expect((await client.call('list_accounts', {})).status).toBe(401)
  await expect(command('revoke', grants[0].grant)).rejects.toThrow('there is no such grant')
})

it('a client that is removed takes every grant along', async () => {
  const { access_token: token, clientId } = await agent.tokens()
  expect(await command('remove-client', clientId)).toEqual({ removed: clientId, grants: 1 })
  expect((await agentClient(agent.url, token).call('list_accounts', {})).status).toBe(401)
  expect((await command('clients')).items).toEqual([])
})

it('an id may begin with a hyphen, and a mistyped option is refused', async () => {
  await expect(command('revoke', '-6J28ZDUoIvNYdAp5BfGScU2')).rejects.toThrow('there is no such grant')
  await expect(command('remove-client', '-hJ28ZDUoIvNYdAp5BfGScU2')).rejects.toThrow('there is no such client')
  await expect(command('revoke', 'grant', '--mistyped')).rejects.toThrow(/argument/)
})
