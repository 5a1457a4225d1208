import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, SignJWT } from 'jose'

/** The client that the provider knows. */
export const OPENID_CLIENT = { clientId: 'sales agent', clientSecret: 'a secret:with/signs' }

/** What the provider puts into its ID tokens, and where it answers; tests bend it. */
export interface OpenIdBehaviour {
  claims: Record<string, unknown>
  issuer: string | undefined
  /** Whether it announces that its answers name it (RFC 9207). */
  announcesIssuer: boolean
  /** Extra parameters of its answer. */
  answer: Record<string, string>
  signer: KeyObject
}

/** An OpenID provider on loopback that logs everybody in as the same person. */
export interface OpenIdProvider {
  readonly issuer: string
  readonly behaviour: OpenIdBehaviour
  /** As it was at the start: `email` is who comes back. */
  reset(email: string): void
  close(): Promise<void>
}

type Reply = [status: number, headers: Record<string, string>, body: string]

export async function startOpenIdProvider(): Promise<OpenIdProvider> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const challenges = new Map<string, { challenge: string; nonce: string }>()
  const behaviour: OpenIdBehaviour = { claims: {}, issuer: undefined, announcesIssuer: false, answer: {}, signer: privateKey }
  let issuer = ''
  const json = (body: object): Reply => [200, { 'content-type': 'application/json' }, JSON.stringify(body)]

  function authorize({ searchParams: asked }: URL): Reply {
    const code = `code-${challenges.size}`
    challenges.set(code, { challenge: asked.get('code_challenge') ?? '', nonce: asked.get('nonce') ?? '' })
    const back = new URL(asked.get('redirect_uri') ?? '')
    const parameters = { code, state: asked.get('state') ?? '', ...behaviour.answer }
    for (const [name, value] of Object.entries(parameters)) back.searchParams.set(name, value)
    return [302, { location: back.href }, '']
  }

  async function token(request: IncomingMessage): Promise<Reply> {
    let body = ''
    for await (const chunk of request) body += chunk
    const form = new URLSearchParams(body)
    const asked = challenges.get(form.get('code') ?? '')
    const pair = Buffer.from((request.headers.authorization ?? '').slice(6), 'base64').toString()
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (asked?.challenge !== challenge || pair !== 'sales%20agent:a%20secret%3Awith%2Fsigns')
      return [400, {}, '{"error":"invalid_grant"}']
    const idToken = new SignJWT({ nonce: asked.nonce, ...behaviour.claims })
      .setProtectedHeader({ alg: 'EdDSA', kid: 'k1' })
      .setIssuer(behaviour.issuer ?? issuer)
      .setAudience('sales agent')
      .setSubject('person-1')
      .setIssuedAt()
      .setExpirationTime('5m')
    return json({ id_token: await idToken.sign(behaviour.signer), token_type: 'Bearer', access_token: 'x' })
  }

  async function answer(request: IncomingMessage): Promise<Reply> {
    const url = new URL(request.url ?? '', issuer)
    const places = {
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
    }
    const announced = behaviour.announcesIssuer && { authorization_response_iss_parameter_supported: true }
    if (url.pathname === '/.well-known/openid-configuration') return json({ issuer, ...places, ...announced })
    if (url.pathname === '/jwks')
      return json({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'EdDSA', use: 'sig' }] })
    return url.pathname === '/authorize' ? authorize(url) : token(request)
  }

  const server = createServer(
    (request, response) =>
      void answer(request).then(
        ([status, headers, body]) => response.writeHead(status, headers).end(body),
        (error) => response.writeHead(500).end(String(error)),
      ),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    issuer,
    behaviour,
    reset(email) {
      Object.assign(behaviour, { claims: { email, email_verified: true }, issuer: undefined, answer: {}, signer: privateKey })
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
