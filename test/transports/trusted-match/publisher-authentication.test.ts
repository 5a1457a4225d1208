import { connect as connectHttp2 } from 'node:http2'
import { request as requestHttps } from 'node:https'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type MatchProvider, offers, startMatchProvider } from '../../support/match-provider.ts'
import { contextRequest, identityRequest, KEY, registered, startTestRouter, type TestRouter } from '../../support/match-router.ts'
import { tlsFiles } from '../../support/tls-files.ts'

interface Answer {
  readonly status: number | undefined
  readonly challenge: string | readonly string[] | undefined
  readonly body: string
}

const WAIT_MS = 60_000

/**
 * The probes of a publisher's authentication: a router refuses requests of nobody it knows before it signs or sends anything (Trusted Match
 * specification, "Signature verification").
 */
describe('a router of Trusted Match behind TLS authenticates publishers', () => {
  const files = tlsFiles()
  let provider: MatchProvider
  let router: TestRouter

  beforeAll(async () => {
    provider = await startMatchProvider(offers('p1'))
    const { cert, key } = files.tls
    router = await startTestRouter([registered('one', provider)], { tls: { cert, key }, metricsPort: 0 })
  })
  beforeEach(() => {
    provider.received.length = 0
  })
  afterAll(async () => {
    await router?.stop()
    await provider?.stop()
    files.remove()
  })

  /** One HTTP/1.1 request on a connection of its own. */
  const overHttp1 = (path: string, headers: Readonly<Record<string, string>>, body: object) =>
    new Promise<Answer>((resolve, reject) => {
      const options = { host: 'localhost', port: router.port, path, method: 'POST', ca: files.ca, agent: false, timeout: WAIT_MS }
      const sent = requestHttps({ ...options, headers: { 'content-type': 'application/json', ...headers } }, (answer) => {
        let text = ''
        answer.setEncoding('utf8')
        answer.on('data', (part: string) => {
          text += part
        })
        answer.on('error', reject)
        answer.on('end', () => resolve({ status: answer.statusCode, challenge: answer.headers['www-authenticate'], body: text }))
      })
      sent.on('timeout', () => sent.destroy(new Error('the router did not answer')))
      sent.on('error', reject)
      sent.end(JSON.stringify(body))
    })

  /** One HTTP/2 request on a connection of its own. */
  const overHttp2 = (path: string, headers: Readonly<Record<string, string>>, body: object) =>
    new Promise<Answer>((resolve, reject) => {
      const session = connectHttp2(`https://localhost:${router.port}`, { ca: files.ca })
      const settle = (finish: () => void) => {
        session.close()
        finish()
      }
      const fail = (error: Error) => settle(() => reject(error))
      session.on('error', fail)
      const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/json', ...headers })
      let answered: Omit<Answer, 'body'> = { status: undefined, challenge: undefined }
      let text = ''
      stream.setEncoding('utf8')
      stream.setTimeout(WAIT_MS, () => stream.destroy(new Error('the router did not answer')))
      stream.on('response', (got) => {
        answered = { status: got[':status'], challenge: got['www-authenticate'] }
      })
      stream.on('data', (part: string) => {
        text += part
      })
      stream.on('error', fail)
      stream.on('end', () => settle(() => resolve({ ...answered, body: text })))
      stream.end(JSON.stringify(body))
    })

  const CLIENTS = { 'HTTP/1.1': overHttp1, 'HTTP/2': overHttp2 } as const
  const PATHS = [
    ['/context', contextRequest()],
    ['/identity', identityRequest()],
  ] as const
  const PROBES = [
    ['no credentials', {}],
    ['wrong credentials', { authorization: 'Bearer wrong-credentials' }],
  ] as const
  const cases = (['HTTP/1.1', 'HTTP/2'] as const).flatMap((protocol) =>
    PATHS.flatMap(([path, body]) => PROBES.map(([name, headers]) => ({ protocol, path, name, headers, body }))),
  )

  it.each(cases)('$protocol $path with $name: 401, and no provider is asked', async ({ protocol, path, headers, body }) => {
    const answer = await CLIENTS[protocol](path, headers, body)
    expect(answer.status).toBe(401)
    expect(answer.challenge).toMatch(/^Bearer realm="[^"]+"$/)
    expect(answer.body).not.toContain('request_id')
    // The same request of a publisher that is known is the only one that the provider receives.
    const known = await CLIENTS[protocol](path, { authorization: `Bearer ${KEY}` }, { ...body, request_id: 'known' })
    expect(known.status).toBe(200)
    expect(JSON.parse(known.body)).toMatchObject({ request_id: 'known', status: 'completed' })
    expect(provider.received.map(({ body: { request_id: id } }) => id)).toEqual(['known'])
  })
})
