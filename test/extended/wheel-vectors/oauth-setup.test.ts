import { isIP } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { OAuthMetadataFault } from '../../../src/domain/oauth/metadata-fault.ts'
import { walkOAuthMetadata } from '../../../src/features/doctor/oauth-graph.ts'
import { parseJson } from '../../../src/platform/decode/parse-json.ts'
import { createSafeFetch, type SafeFetch } from '../../../src/platform/net/safe-fetch.ts'
import { type FakeWeb, startFakeWeb } from '../../support/fake-web/fake-web.ts'
import { wheelIsMissing, wheelVectors } from '../../support/wheel.ts'

interface Response {
  /** Undefined: the connection fails. */
  readonly status?: number
  readonly content_type?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly body?: string
  readonly connected_peer_address?: string
}
interface Vector {
  readonly id: string
  readonly agent_url: string
  readonly responses: Readonly<Record<string, Response>>
  readonly dns?: Readonly<
    Record<string, { readonly addresses: readonly string[]; readonly fixture_address_classes?: readonly string[] }>
  >
  readonly expected_outcome: { readonly success: boolean; readonly error_code?: string }
}
interface Vectors {
  readonly positive: readonly Vector[]
  readonly negative: readonly Vector[]
}

const { positive, negative } = ((await wheelVectors('oauth-setup')).get('vectors.json') ?? {
  positive: [],
  negative: [],
}) as Vectors

let web: FakeWeb
beforeAll(async () => {
  web = await startFakeWeb()
})
afterAll(() => web.close())
beforeEach(() => web.forgetRequests())

const WEB = '127.0.0.1'

/**
 * Where a name leads. A public address of a fixture is the loopback server that represents the web; every other address is what it is. The client
 * connects to what it looked up and to nothing else, so the peer that a fixture says is reached is what the name leads to.
 */
function addressesOf({ dns = {}, responses }: Vector, host: string): readonly string[] {
  const { addresses = [], fixture_address_classes: classes = [] } = dns[host] ?? {}
  const peer = Object.entries(responses).find(([request]) => new URL(urlOf(request)).hostname === host)?.[1]
    .connected_peer_address
  if (peer !== undefined) return [peer]
  const named = addresses.map((address, index) => (classes[index]?.startsWith('globally_routable') ? WEB : address))
  return named.length > 0 ? named : [WEB]
}

/** Names that lead to the web of the fixture are fetched over TLS from it, everything else by the fetch of production. */
function fetchOf(vector: Vector): SafeFetch {
  const lookup = async (host: string) => addressesOf(vector, host)
  const outside = createSafeFetch({ userAgent: 'test', mode: 'production', lookup })
  const inside = web.fetch({ lookup })
  return (url, request) => {
    const { hostname } = new URL(url)
    const isInside = isIP(hostname.replace(/^\[|\]$/g, '')) === 0 && addressesOf(vector, hostname).includes(WEB)
    const isRebound =
      Object.values(vector.responses).some(({ connected_peer_address: peer }) => peer === WEB) && vector.dns?.[hostname]
    return (isInside && !isRebound ? inside : outside)(url, request)
  }
}

const urlOf = (request: string): string => request.slice('GET '.length)

async function outcomeOf(vector: Vector) {
  const urls = Object.keys(vector.responses).map(urlOf)
  for (const [request, { status, content_type, headers = {}, json, body }] of Object.entries(vector.responses)) {
    const text = body ?? (json === undefined ? '' : JSON.stringify(json))
    web.put(urlOf(request), (_request, response) => {
      if (status === undefined) response.socket?.destroy()
      else response.writeHead(status, { 'content-type': content_type, ...headers }).end(text)
    })
  }
  try {
    const issuers = await walkOAuthMetadata(vector.agent_url, { safeFetch: fetchOf(vector), parseJson })
    return { outcome: { success: issuers.length > 0 }, urls }
  } catch (error) {
    if (!(error instanceof OAuthMetadataFault)) throw error
    return { outcome: { success: false, error_code: error.code }, urls }
  } finally {
    for (const url of urls) web.remove(url)
  }
}

describe.skipIf(wheelIsMissing)('oauth-setup vectors of 3.2.4', () => {
  it('are all there', () => expect([positive.length, negative.length]).toEqual([6, 28]))

  it.each(positive)('positive $id', async (vector) => {
    const { outcome, urls } = await outcomeOf(vector)
    expect(outcome).toEqual(vector.expected_outcome)
    expect([...web.requests].sort()).toEqual([...urls].sort())
  })

  it.each(negative)('negative $id', async (vector) => {
    const { outcome, urls } = await outcomeOf(vector)
    expect(outcome).toEqual(vector.expected_outcome)
    expect(web.requests.filter((url) => !urls.includes(url))).toEqual([])
  })
})
