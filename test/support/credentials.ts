import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { SignJWT } from 'jose'
import { hashPassword } from '../../src/security/auth/password.ts'
import { REQUEST_PROFILE } from '../../src/security/signing/profile.ts'
import { localSigner, type Signer, signMessage } from '../../src/security/signing/sign.ts'
import { addAgentKeySource, revokeAgentKey } from '../../src/store/identity/agent-key-sources.ts'
import { endKey, listKeys } from '../../src/store/identity/api-keys.ts'
import { addBasicUser } from '../../src/store/identity/basic-users.ts'
import { saveJwtIssuer } from '../../src/store/identity/jwt-issuers.ts'
import { addJwtSubject } from '../../src/store/identity/jwt-subjects.ts'
import { addPrincipal } from '../../src/store/identity/principals.ts'
import { type FakeWeb, json } from './fake-web/fake-web.ts'
import type { TestAgent } from './start-agent.ts'

/** A header list: names and values alternating, so that a header can be sent twice. */
export type RawHeaders = readonly string[]

export interface Posted {
  readonly status: number
  readonly headers: NodeJS.Dict<string | string[]>
  // biome-ignore lint/suspicious/noExplicitAny: the whole JSON-RPC reply
  readonly body: any
}

/** Posts exactly these headers and bytes. */
export function post(url: string, body: string | Uint8Array, headers: RawHeaders): Promise<Posted> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST' }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) })
      })
    })
    sent.on('error', reject)
    for (const name of new Set(headers.filter((_, index) => index % 2 === 0))) {
      const values = headers.filter((_, index) => index % 2 === 1 && headers[index - 1] === name)
      sent.setHeader(name, values.length === 1 ? values[0]! : values)
    }
    sent.end(body)
  })
}

/** A `tools/call` message as text. */
export const callText = (name: string, args: object = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } })

/** A new signing key: the JWK to publish and the signer. */
export function signingKey(kid: string): { jwk: Record<string, unknown>; signer: Signer } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const jwk = {
    ...publicKey.export({ format: 'jwk' }),
    kid,
    alg: 'EdDSA',
    use: 'sig',
    key_ops: ['verify'],
    adcp_use: 'request-signing',
  }
  return { jwk, signer: localSigner(kid, 'ed25519', privateKey) }
}

/** The headers of a signed message, `Content-Type` among them. */
export async function signed(
  url: string,
  body: string | Uint8Array,
  signer: Signer,
  { now = new Date(), coverDigest = true }: { readonly now?: Date; readonly coverDigest?: boolean } = {},
): Promise<RawHeaders> {
  const message = { method: 'POST', url, body: Buffer.from(body) }
  const profile = { ...REQUEST_PROFILE, digest: 'either' } as const
  return Object.entries(await signMessage(message, signer, profile, now.getTime() / 1000, { coverDigest })).flat()
}

export const AGENT_URL = 'https://buyer.example.com/mcp'
export const ISSUER = 'https://login.example.com'
const JWKS_URI = `${ISSUER}/jwks.json`
const PASSWORD = 'open-sesame-open-sesame'

export interface Credentials {
  readonly signer: Signer
  readonly revokedSigner: Signer
  readonly strangerSigner: Signer
  readonly key: string
  readonly otherKey: string
  readonly strictKey: string
  readonly revokedKey: string
  readonly user: string
  readonly password: string
  jwt(claims?: Record<string, unknown>): Promise<string>
}

/**
 * Gives the agent's buyer every kind of credentials: its key, a signing key, a password and a token issuer on the fake web; and
 * makes another buyer, one that has to sign, and a revoked key.
 */
export async function equip(agent: TestAgent, web: FakeWeb): Promise<Credentials> {
  const { store } = agent.server
  const [mine, revoked, stranger] = [signingKey('buyer-1'), signingKey('buyer-0'), signingKey('nobody')]
  const issuerKeys = generateKeyPairSync('ed25519')
  const issuerJwk = { ...issuerKeys.publicKey.export({ format: 'jwk' }), kid: 'issuer-1', alg: 'EdDSA', use: 'sig' }
  web.put(JWKS_URI, json({ keys: [issuerJwk] }))
  const otherKey = await agent.addBuyer({ principal: 'other' })
  const strictKey = await agent.addBuyer({ principal: 'strict' })
  const revokedKey = await agent.addBuyer({ principal: 'gone' })
  const passwordHash = await hashPassword(PASSWORD, { N: 1024, r: 8, p: 1 })
  const tenantId = agent.tenant
  const now = new Date()
  await store.transaction(async (tx) => {
    await addPrincipal(
      tx,
      { tenantId, principalId: 'signer', name: 'signer', agentUrl: AGENT_URL, sandbox: false, scopes: ['adcp:*'] },
      now,
    )
    await addAgentKeySource(
      tx,
      { tenantId, principalId: 'signer', kind: 'jwks', value: JSON.stringify({ keys: [mine.jwk, revoked.jwk] }) },
      now,
    )
    await revokeAgentKey(tx, 'buyer-0', now)
    await addBasicUser(tx, { tenantId, principalId: 'signer', username: 'ann', passwordHash }, now)
    const issuer = {
      tenantId,
      issuer: ISSUER,
      audience: agent.url,
      jwksUri: JWKS_URI,
      algorithms: ['EdDSA'],
      maxAgeSeconds: 3600,
      foreignScopes: 'inherit',
    } as const
    await saveJwtIssuer(tx, issuer, now)
    await addJwtSubject(tx, { tenantId, principalId: 'signer', issuer: ISSUER, subject: 'agent-1' }, now)
    await tx.updateTable('principals').set({ signing_required: 1 }).where('principal_id', '=', 'strict').execute()
    const [gone] = await listKeys(tx, tenantId, 'gone')
    await endKey(tx, tenantId, gone!.key_id, { revokedAt: now })
  })
  const key = await issueFor(agent, 'signer')
  return {
    signer: mine.signer,
    revokedSigner: revoked.signer,
    strangerSigner: stranger.signer,
    key,
    otherKey,
    strictKey,
    revokedKey,
    user: 'ann',
    password: PASSWORD,
    jwt(claims = {}) {
      const seconds = Math.floor(Date.now() / 1000)
      return new SignJWT({
        iss: ISSUER,
        aud: agent.url,
        sub: 'agent-1',
        iat: seconds,
        exp: seconds + 300,
        jti: randomUUID(),
        ...claims,
      })
        .setProtectedHeader({ alg: 'EdDSA', kid: 'issuer-1', typ: 'JWT' })
        .sign(issuerKeys.privateKey)
    },
  }
}

async function issueFor(agent: TestAgent, principal: string): Promise<string> {
  const { issueKey } = await import('../../src/operator/keys/issue-key.ts')
  const order = { tenantId: agent.tenant, buyer: principal, scopes: ['adcp:*'], expiresAt: undefined }
  const issued = await agent.server.store.transaction((tx) => issueKey(tx, order, new Date()))
  return issued.token
}
