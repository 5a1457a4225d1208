import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CommandLine, type Served } from '../../tools/agent/command-line.ts'
import { basicHeader } from '../security/auth/identities.ts'
import { callText, post, signed, signingKey } from '../support/credentials.ts'

const JSON_TYPE = ['Content-Type', 'application/json']
const account = { brand: { domain: 'acme.example' }, operator: 'acme.example', billing: 'operator' }
const change = () => callText('sync_accounts', { idempotency_key: crypto.randomUUID(), accounts: [account] })

const commands = new CommandLine()
const { jwk, signer } = signingKey('buyer-1')
const privateMember = 'never-to-be-stored'
let server: Served
let password: string

beforeAll(async () => {
  await commands.json('init', '--demo')
  const file = join(commands.folder, 'jwks.json')
  writeFileSync(file, JSON.stringify({ keys: [{ ...jwk, d: privateMember }] }))
  await commands.json('buyers', 'signing-keys', 'add', 'signer', '--url', 'https://Buyer.example.com:443/mcp', '--jwks', file)
  password = (await commands.json('users', 'add', 'ann', '--buyer', 'signer')).password
  await commands.json('tenants', 'set', 'demo', '--signing-profile', '3.1')
  server = await commands.serve()
})
afterAll(() => commands.close())

const asAnn = () => [...JSON_TYPE, 'Authorization', basicHeader(`ann:${password}`)]
const signedPost = async (body: string) => post(server.mcpUrl, body, await signed(server.mcpUrl, body, signer))

describe('credentials made on the command line', () => {
  it('a registered agent signs, and under 3.1 only it may change things', async () => {
    const reply = await signedPost(change())
    expect(reply.body.result.structuredContent.accounts[0].status).toBe('active')
    const refused = await post(server.mcpUrl, change(), asAnn())
    expect(refused.headers['www-authenticate']).toBe('Signature error="request_signature_required"')
    expect((await post(server.mcpUrl, callText('list_accounts'), asAnn())).status).toBe(200)
  })

  it('shows agents, users and issuers, and nothing secret', async () => {
    const issuer = ['https://login.example', '--audience', server.mcpUrl, '--jwks-uri', 'https://login.example/jwks']
    await commands.json('jwt-issuers', 'add', ...issuer)
    await commands.json('jwt-issuers', 'map', 'https://login.example', 'agent-1', '--buyer', 'signer')
    const shown = [
      await commands.json('buyers', 'signing-keys', 'list'),
      await commands.json('users', 'list', '--tenant', 'demo'),
      await commands.json('jwt-issuers', 'list'),
      await commands.json('buyers', 'list'),
    ]
    expect(shown).toMatchObject([
      { items: [{ agent_url: 'https://buyer.example.com/mcp', kind: 'jwks', where: 'buyer-1' }] },
      { items: [{ username: 'ann', principal: 'signer', status: 'active' }] },
      { items: [{ issuer: 'https://login.example', algorithms: ['EdDSA', 'ES256'] }] },
      {},
    ])
    const stored = readFileSync(join(commands.data, 'sales-agent.sqlite')).toString('latin1')
    for (const secret of [password, privateMember]) {
      expect(JSON.stringify(shown)).not.toContain(secret)
      expect(stored).not.toContain(secret)
    }
  })

  it('a grant narrows what the running server lets an agent do', async () => {
    const { items: accounts } = await commands.json('accounts', 'list')
    // The demo's own account is in the list too, and its id, which decides the order, is random.
    const { account_id } = accounts.find(({ principal }: { principal: string }) => principal === 'signer')
    await commands.json('accounts', 'grant', account_id, '--buyer', 'signer', '--read-only')
    const reply = await signedPost(change())
    expect(reply.body.result.structuredContent.accounts[0].errors[0].code).toBe('READ_ONLY_SCOPE')
    await commands.json('accounts', 'revoke', account_id, '--buyer', 'signer')
    expect((await commands.json('accounts', 'status', account_id, 'suspended')).status).toBe('suspended')
  })

  it('revocations work at once', async () => {
    await commands.json('users', 'revoke', 'ann')
    expect((await post(server.mcpUrl, callText('list_accounts'), asAnn())).status).toBe(401)
    await commands.json('keys', 'revoke', 'buyer-1', '--signing')
    const reply = await signedPost(callText('list_accounts'))
    expect(reply.headers['www-authenticate']).toBe('Signature error="request_signature_key_revoked"')
  })

  it.each([
    [['buyers', 'signing-keys', 'add', 'x', '--url', 'https://x.example/mcp'], 'where the keys are'],
    [['buyers', 'signing-keys', 'add', 'x', '--url', 'http://x.example/mcp', '--discover'], 'https'],
    [['jwt-issuers', 'add', 'i', '--audience', 'a', '--jwks-uri', 'https://i.example', '--algorithms', 'HS256'], 'some of EdDSA'],
    [['accounts', 'grant', 'acc_none', '--buyer', 'signer'], 'acc_none'],
    [['accounts', 'grant', 'a', '--buyer', 'signer', '--read-only', '--tasks', 'create_media_buy'], 'read-only'],
  ])('refuses %j', async (args, words) => {
    const { code, stderr } = await commands.run([...args, '--data', commands.data])
    expect([code, stderr]).toEqual([1, expect.stringContaining(words)])
  })

  it('does not start for the grader in production', async () => {
    await expect(
      commands.serve(['--sandbox'], { SALES_AGENT_SIGNING_GRADING: 'true', SALES_AGENT_MODE: 'production' }),
    ).rejects.toThrow('signing.grading')
  })
})
