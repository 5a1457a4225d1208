import { randomUUID } from 'node:crypto'
import { PassThrough } from 'node:stream'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dispatchOptions } from '../../../src/compose/routes.ts'
import { serveStdio } from '../../../src/transports/mcp/stdio.ts'
import { type Cell, MATRIX, type Profile, type Row, TASK_KINDS, type TaskKind } from '../../support/authentication-matrix.ts'
import { type Credentials, callText, equip, ISSUER, post, type RawHeaders, signed } from '../../support/credentials.ts'
import { type FakeWeb, startFakeWeb } from '../../support/fake-web/fake-web.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'
import { basicHeader } from './identities.ts'

const JSON_TYPE = ['Content-Type', 'application/json']
const bearer = (token: string): RawHeaders => [...JSON_TYPE, 'Authorization', `Bearer ${token}`]
const basic = (pair: string): RawHeaders => [...JSON_TYPE, 'Authorization', basicHeader(pair)]

interface Message {
  readonly url: string
  readonly body: string
  readonly credentials: Credentials
}

/** Makes the headers of a message that carries these credentials. */
const SENDERS: Readonly<Record<string, (message: Message) => RawHeaders | Promise<RawHeaders>>> = {
  none: () => JSON_TYPE,
  'Bearer key': ({ credentials }) => bearer(credentials.key),
  'Bearer JWT': async ({ credentials }) => bearer(await credentials.jwt()),
  Basic: ({ credentials: { user, password } }) => basic(`${user}:${password}`),
  signature: ({ url, body, credentials }) => signed(url, body, credentials.signer),
  'signature and key of the same agent': async (message) => [
    ...(await signed(message.url, message.body, message.credentials.signer)),
    'Authorization',
    `Bearer ${message.credentials.key}`,
  ],
  'key of an agent that has to sign': ({ credentials }) => bearer(credentials.strictKey),
  'unknown key': () => bearer('sk_000000000000_unknown'),
  'revoked key': ({ credentials }) => bearer(credentials.revokedKey),
  'expired JWT': async ({ credentials }) => bearer(await credentials.jwt({ iat: 1, exp: 2 })),
  'JWT of another issuer': async ({ credentials }) => bearer(await credentials.jwt({ iss: `${ISSUER}/platform` })),
  'wrong password': ({ credentials: { user } }) => basic(`${user}:guess`),
  'unknown user': ({ credentials: { password } }) => basic(`bob:${password}`),
  'another scheme': ({ credentials }) => [...JSON_TYPE, 'Authorization', `Token ${credentials.key}`],
  'two Authorization headers': ({ credentials }) => [
    ...bearer(credentials.key),
    'Authorization',
    `Bearer ${credentials.otherKey}`,
  ],
  'key in the old header, MCP': ({ credentials }) => [...JSON_TYPE, 'x-adcp-auth', credentials.key],
  'key in the old header, A2A': ({ credentials }) => [...JSON_TYPE, 'x-adcp-auth', credentials.key],
  'key in another header': ({ credentials }) => [...JSON_TYPE, 'X-Api-Key', credentials.key],
  'signature that does not verify': ({ url, body, credentials }) =>
    signed(url, `${body} `, credentials.signer).then(forBody(body)),
  'signature by an unknown key': ({ url, body, credentials }) => signed(url, body, credentials.strangerSigner),
  'signature by a revoked key': ({ url, body, credentials }) => signed(url, body, credentials.revokedSigner),
  'half a signature beside a good key': async ({ url, body, credentials }) =>
    without('Signature', [...(await signed(url, body, credentials.signer)), 'Authorization', `Bearer ${credentials.key}`]),
  'bad signature beside a good key': async ({ url, body, credentials }) => [
    ...(await signed(`${url}/elsewhere`, body, credentials.signer)),
    'Authorization',
    `Bearer ${credentials.key}`,
  ],
  'signature of one agent, key of another': async ({ url, body, credentials }) => [
    ...(await signed(url, body, credentials.signer)),
    'Authorization',
    `Bearer ${credentials.otherKey}`,
  ],
}

/** The signature stays that of other bytes; the digest is made to fit, so that the signature itself is what fails. */
function forBody(body: string): (headers: RawHeaders) => Promise<RawHeaders> {
  return async (headers) => {
    const { contentDigest } = await import('../../../src/security/signing/content-digest.ts')
    const at = headers.indexOf('Content-Digest')
    return headers.toSpliced(at + 1, 1, contentDigest(Buffer.from(body)))
  }
}

function without(name: string, headers: RawHeaders): RawHeaders {
  return headers.toSpliced(headers.indexOf(name), 2)
}

function argumentsOf(kind: TaskKind): object {
  if (kind === 'limited') return { buying_mode: 'brief', brief: 'video' }
  if (kind !== 'change') return {}
  const account = { brand: { domain: 'acme.example' }, operator: 'acme.example', billing: 'operator' }
  return { idempotency_key: randomUUID(), accounts: [account] }
}

const cellOf = (row: Row, kind: TaskKind, profile: Profile): Cell => (kind === 'change' ? row.change[profile] : row.cells[kind])
/** The transports that have HTTP behind them: the same answer, whatever the envelope. */
const HTTP_TRANSPORTS = [
  { transport: 'MCP', path: '/mcp', message: callText },
  { transport: 'A2A', path: '/a2a', message: a2aText },
] as const

function a2aText(skill: string, input: object): string {
  const message = { kind: 'message', messageId: randomUUID(), role: 'user', parts: [{ kind: 'data', data: { skill, input } }] }
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } })
}

const KINDS = Object.keys(TASK_KINDS) as TaskKind[]

let web: FakeWeb
beforeAll(async () => {
  web = await startFakeWeb()
})
afterAll(() => web.close())

it('every row has its sender, and every sender its row', () => {
  expect(MATRIX.map(({ credentials }) => credentials).sort()).toEqual(Object.keys(SENDERS).sort())
})

describe.each(['3.0', '3.1'] as const)('profile %s', (profile) => {
  let agent: TestAgent
  let credentials: Credentials
  beforeAll(async () => {
    agent = await startAgent({ flags: { 'signing.profile': profile }, safeFetch: web.fetch() })
    credentials = await equip(agent, web)
  })
  afterAll(() => agent.stop())

  describe.each(HTTP_TRANSPORTS)('$transport over HTTP', ({ transport, path, message }) => {
    describe.each(KINDS)('%s task', (kind) => {
      it.each(MATRIX.filter((row) => (row.transport ?? transport) === transport))('$credentials', async (row) => {
        const url = agent.url.replace(/\/mcp$/, path)
        const body = message(TASK_KINDS[kind], argumentsOf(kind))
        const reply = await post(url, body, await SENDERS[row.credentials]!({ url, body, credentials }))
        const expected = cellOf(row, kind, profile)
        if (expected === 'answered') {
          expect(JSON.stringify(reply.body)).not.toContain('adcp_error')
          expect([reply.status, reply.body.error]).toEqual([200, undefined])
          return
        }
        expect(reply.headers['www-authenticate']).toBe(expected.challenge.replace('<agent>', agent.url))
        expect(reply.status).toBe(401)
        expect(reply.body.error.data.adcp_error).toMatchObject({ code: expected.code, recovery: expected.recovery })
        expect(reply.body.error.data.error.code).toBe(expected.code)
      })
    })
  })

  describe.each(['none', 'Bearer key', 'unknown key', 'key of an agent that has to sign'])('MCP over stdio, %s', (name) => {
    it.each(KINDS)('%s task', async (kind) => {
      const keys: Readonly<Record<string, string | undefined>> = {
        'Bearer key': credentials.key,
        'unknown key': 'sk_000000000000_unknown',
        'key of an agent that has to sign': credentials.strictKey,
      }
      const content = await callOverStdio(agent, keys[name], TASK_KINDS[kind], argumentsOf(kind))
      const expected = cellOf(MATRIX.find((row) => row.credentials === name)!, kind, profile)
      expect(content.adcp_error?.code).toBe(expected === 'answered' ? undefined : expected.code)
    })
  })
})

/** One call through the stdio transport of a running app; gives the structured content. */
async function callOverStdio(agent: TestAgent, key: string | undefined, task: string, args: object) {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const lines: string[] = []
  const answered = new Promise<void>((resolve) => {
    output.on('data', (chunk: Buffer) => {
      lines.push(...chunk.toString('utf8').split('\n').filter(Boolean))
      if (lines.length >= 2) resolve()
    })
  })
  const connection = serveStdio({
    ...dispatchOptions(agent.server),
    key,
    log: pino({ level: 'silent' }),
    newRequestId: randomUUID,
    input,
    output,
  })
  const clientInfo = { name: 'test', version: '0' }
  const hello = {
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
  }
  input.write(`${JSON.stringify(hello)}\n${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
  input.write(`${callText(task, args)}\n`)
  await answered
  await connection.close()
  return JSON.parse(lines[1]!).result.structuredContent
}
