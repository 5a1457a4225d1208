import { once } from 'node:events'
import { type RequestOptions, request } from 'node:https'
import { type ConnectionOptions, connect } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLog } from '../../../src/platform/log.ts'
import { AdcpError } from '../../../src/protocol/errors.ts'
import { pinCertificate, unpinCertificate } from '../../../src/store/identity/client-certificates.ts'
import { createTlsServer } from '../../../src/transports/http/tls.ts'
import { callText } from '../../support/credentials.ts'
import { createAuthority } from '../../support/fake-web/certificate.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'
import { tlsFiles } from '../../support/tls-files.ts'

const files = tlsFiles()
let agent: TestAgent

beforeAll(async () => {
  agent = await startAgent({
    flags: { mode: 'production', 'tls.cert': files.tls.cert, 'tls.key': files.tls.key, 'tls.clientCa': files.tls.clientCa },
  })
})
afterAll(async () => {
  await agent.stop()
  files.remove()
})

interface Answer {
  readonly status: number
  readonly headers: NodeJS.Dict<string | string[]>
  // biome-ignore lint/suspicious/noExplicitAny: the whole JSON-RPC reply
  readonly body: any
}

/** One call over TLS, on a connection of its own. */
async function call(
  task: string,
  headers: Record<string, string> = {},
  tls: RequestOptions = {},
  path = '/mcp',
): Promise<Answer> {
  const sent = request({
    ...tls,
    host: '127.0.0.1',
    servername: 'localhost',
    port: agent.server.port,
    path,
    method: 'POST',
    ca: files.ca,
    agent: false,
    headers: { 'content-type': 'application/json', host: 'localhost', ...headers },
  })
  sent.end(callText(task))
  const [response] = await once(sent, 'response')
  let text = ''
  for await (const chunk of response) text += chunk
  return { status: response.statusCode, headers: response.headers, body: JSON.parse(text) }
}

const bearer = () => ({ authorization: `Bearer ${agent.key}` })
const codeOf = (answer: Answer) => (answer.body.result?.structuredContent ?? answer.body.error.data).adcp_error?.code

/** The handshake alone: the protocol and suite that came out of it. */
function handshake(options: ConnectionOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(
      { host: '127.0.0.1', servername: 'localhost', port: agent.server.port, ca: files.ca, ...options },
      () => {
        resolve(`${socket.getProtocol()} ${socket.getCipher().name}`)
        socket.destroy()
      },
    )
    socket.on('error', reject)
  })
}

describe('the TLS listener', () => {
  it('serves calls with credentials, with HSTS and the usual headers', async () => {
    const answer = await call('list_accounts', bearer())
    expect(answer.status).toBe(200)
    expect(answer.body.result.isError).toBeUndefined()
    expect(answer.headers).toMatchObject({
      'strict-transport-security': 'max-age=31536000; includeSubDomains',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    })
  })

  it('advertises an https address', async () => {
    const answer = await call('list_accounts')
    expect(answer.status).toBe(401)
    expect(answer.headers['www-authenticate']).toBe(`Bearer realm="https://127.0.0.1:${agent.server.port}/mcp"`)
  })

  it('prefers 1.3, speaks 1.2 with AEAD over ECDHE, and nothing older', async () => {
    expect(await handshake({})).toMatch(/^TLSv1\.3 /)
    expect(await handshake({ maxVersion: 'TLSv1.2' })).toMatch(/^TLSv1\.2 ECDHE-.*(GCM|POLY1305)/)
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const
    await expect(handshake(old)).rejects.toThrow(/protocol version|unsupported protocol|alert/i)
    await expect(handshake({ maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA' })).rejects.toThrow(/handshake failure/i)
  })

  it('answers nobody over plain HTTP', async () => {
    await expect(fetch(`http://127.0.0.1:${agent.server.port}/livez`)).rejects.toThrow()
  })

  it('names the setting when a file is missing', () => {
    const make = () => createTlsServer({ cert: '/nowhere.pem', key: '/nowhere.pem' }, {}, createLog('silent'), () => {})
    expect(make).toThrow(AdcpError)
    expect(make).toThrow(/tls settings/)
  })
})

describe('client certificates', () => {
  const pin = (name: string, principalId: string, tenantId = 'acme') =>
    agent.server.store.transaction((tx) => pinCertificate(tx, { tenantId, principalId, name }, new Date()))

  it('authenticate the principal to which one of their names is pinned', async () => {
    const certificate = files.clients.issue('buyer.example', 'https://buyer.example/agent')
    expect((await call('list_accounts', {}, certificate)).status).toBe(401)
    await pin('uri:https://buyer.example/agent', 'buyer')
    expect((await call('list_accounts', {}, certificate)).status).toBe(200)
    expect((await call('list_accounts', {}, { ...certificate, maxVersion: 'TLSv1.2' })).status).toBe(200)
    await agent.server.store.transaction((tx) => unpinCertificate(tx, 'acme', 'uri:https://buyer.example/agent'))
    expect(codeOf(await call('list_accounts', {}, certificate))).toBe('AUTH_INVALID')
  })

  it.each([
    ['dns:other.example', 'dns:other.example'],
    ['subject:CN=subject.example', 'dns:subject.example'],
  ])('%s is compared whole', async (pinned, host) => {
    const name = host.slice('dns:'.length)
    await agent.addBuyer({ principal: name })
    await pin(pinned, name)
    expect((await call('list_accounts', {}, files.clients.issue(name))).status).toBe(200)
    expect((await call('list_accounts', {}, files.clients.issue(`x${name}`))).status).toBe(401)
    expect((await call('list_accounts', {}, files.clients.issue(`${name}.evil.example`))).status).toBe(401)
  })

  it('of another authority are refused, on public tasks too', async () => {
    await agent.addBuyer({ principal: 'strange' })
    await pin('dns:strange.example', 'strange')
    const forged = createAuthority().issue('strange.example')
    for (const task of ['list_accounts', 'get_adcp_capabilities']) {
      const answer = await call(task, {}, forged)
      expect(answer.status).toBe(401)
      expect(codeOf(answer)).toBe('AUTH_INVALID')
      expect(answer.headers['www-authenticate']).toMatch(/^Bearer realm=/)
    }
  })

  it('are never read from a header', async () => {
    await agent.addBuyer({ principal: 'header' })
    await pin('dns:header.example', 'header')
    const { cert } = files.clients.issue('header.example')
    const headers = {
      'x-forwarded-client-cert': `Subject="CN=header.example";DNS=header.example;Cert="${encodeURIComponent(cert)}"`,
      'x-ssl-client-verify': 'SUCCESS',
      'x-ssl-client-s-dn': 'CN=header.example',
      'client-cert': `:${cert.replace(/-----[^-]+-----|\n/g, '')}:`,
    }
    const answer = await call('list_accounts', headers)
    expect(answer.status).toBe(401)
    expect(codeOf(answer)).toBe('AUTH_REQUIRED')
  })

  it('do not go together with the credentials of somebody else', async () => {
    const certificate = files.clients.issue('pair.example')
    const key = await agent.addBuyer({ principal: 'pair' })
    await pin('dns:pair.example', 'pair')
    expect((await call('list_accounts', { authorization: `Bearer ${key}` }, certificate)).status).toBe(200)
    expect(codeOf(await call('list_accounts', bearer(), certificate))).toBe('AUTH_INVALID')
  })

  it('of an agent of two tenants say which one by the path; a pin at another publisher takes it from nobody', async () => {
    const certificate = files.clients.issue('both.example')
    for (const tenant of ['acme', 'globex']) {
      await agent.addBuyer({ principal: 'both', tenant })
      await pin(tenant === 'acme' ? 'dns:both.example' : 'subject:CN=both.example', 'both', tenant)
      expect((await call('list_accounts', {}, certificate)).status).toBe(200)
    }
    await pin('dns:both.example', 'both', 'globex')
    expect((await call('list_accounts', {}, certificate)).status).toBe(200)
    expect((await call('list_accounts', {}, certificate, '/t/globex/mcp')).status).toBe(200)
  })
})
