import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createSecureContext, type SecureContext } from 'node:tls'
import { createSafeFetch, type SafeFetch, type SafeFetchOptions } from '../../../src/platform/net/safe-fetch.ts'
import { createAuthority } from './certificate.ts'

/** How a fake host answers a request. */
export type Page = (request: IncomingMessage, response: ServerResponse) => void

export interface FakeWeb {
  readonly ca: string
  readonly port: number
  /** `https://host/path` of every request served, in order. */
  readonly requests: readonly string[]
  /** Puts a page at an https URL, replacing what was there. */
  put(url: string, page: Page | object | string): void
  /** Answers for any host and path that has no page of its own. */
  fallback(page: (url: string) => Page | object | string | undefined): void
  remove(url: string): void
  forgetRequests(): void
  /** A fetch that sees this web and nothing else: every name resolves to loopback. */
  fetch(options?: Partial<SafeFetchOptions>): SafeFetch
  close(): Promise<void>
}

export const wellKnown = (domain: string): string => `https://${domain}/.well-known/adagents.json`
export const adsTxt = (domain: string): string => `https://${domain}/ads.txt`

/** A page that answers a JSON document with a strong ETag and honours If-None-Match. */
export function json(document: object | string, headers: Record<string, string> = {}): Page {
  const body = typeof document === 'string' ? document : JSON.stringify(document)
  const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"`
  return (request, response) => {
    if (request.headers['if-none-match'] === etag) {
      response.writeHead(304, { etag }).end()
      return
    }
    response.writeHead(200, { 'content-type': 'application/json', etag, ...headers }).end(body)
  }
}

export const text =
  (body: string): Page =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' }).end(body)
  }

export const status =
  (code: number, body = '', headers: Record<string, string> = {}): Page =>
  (_request, response) => {
    response.writeHead(code, headers).end(body)
  }

export const redirect = (location: string, code = 302): Page => status(code, '', { location })

/** The whole web is one address here. */
const UNHURRIED = { perHost: 8, perDomain: 1_000, perAddress: 1_000, spacingMs: 0 }

/** A web of hosts behind one loopback TLS port. Certificates are made for each name as it is asked for. */
export async function startFakeWeb(): Promise<FakeWeb> {
  const authority = createAuthority()
  const contexts = new Map<string, SecureContext>()
  const pages = new Map<string, Page>()
  const requests: string[] = []
  let other: (url: string) => Page | object | string | undefined = () => undefined
  const contextFor = (host: string) => {
    const known = contexts.get(host)
    if (known) return known
    const context = createSecureContext(authority.issue(host))
    contexts.set(host, context)
    return context
  }
  const server = createServer(
    { SNICallback: (host, done) => done(null, contextFor(host)), ...authority.issue('unnamed.invalid') },
    (request, response) => {
      const url = `https://${request.headers.host}${request.url}`
      requests.push(url)
      const page = pages.get(url) ?? asPage(other(url)) ?? status(404, 'not here')
      page(request, response)
    },
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    ca: authority.ca,
    port,
    requests,
    put: (url, page) => void pages.set(url, asPage(page) ?? status(404)),
    fallback: (page) => {
      other = page
    },
    remove: (url) => void pages.delete(url),
    forgetRequests: () => void requests.splice(0),
    fetch: (options = {}) =>
      createSafeFetch({
        userAgent: 'directory-test/1',
        mode: 'development',
        development: { port },
        lookup: async () => ['127.0.0.1'],
        ca: authority.ca,
        politeness: UNHURRIED,
        ...options,
      }),
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

function asPage(page: Page | object | string | undefined): Page | undefined {
  if (page === undefined) return undefined
  if (typeof page === 'function') return page as Page
  return typeof page === 'string' ? text(page) : json(page)
}
