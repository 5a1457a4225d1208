import { generateKeyPairSync, randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { CheckGovernanceRequest } from '@adcp/sdk/types'
import { CompactSign } from 'jose'
import { type GovernanceClaims, signGovernanceToken } from '../../src/security/signing/governance-token.ts'
import { localSigner } from '../../src/security/signing/sign.ts'
import type { FakeWeb } from './fake-web/fake-web.ts'

export const CREDENTIAL = 'gov-token-0123456789abcdef0123456789'

/** What it answers to a check: fields over an approval, a raw reply, or nothing at all. */
export type Verdict = (
  request: CheckGovernanceRequest,
) => object | 'hang' | { readonly raw: string } | { readonly status: number }

export interface GovernanceAgentOptions {
  readonly host?: string
  /** URL of the seller, known once it listens. */
  readonly seller: () => string
  readonly clock: () => Date
}

export interface FakeGovernanceAgent {
  readonly url: string
  /** Every check that came in, with its Authorization header. */
  readonly checks: { readonly request: CheckGovernanceRequest; readonly authorization: string | undefined }[]
  decide(verdict: Verdict): void
  /** Changes the tokens that it signs; undefined signs proper ones. */
  sign(change: ((claims: GovernanceClaims) => Partial<GovernanceClaims>) | undefined): void
  token(over?: Partial<GovernanceClaims>): Promise<string>
  /** Publishes a revocation list, or none. */
  revoke(list: { readonly kids?: readonly string[]; readonly jtis?: readonly string[] } | undefined): Promise<void>
  readonly kid: string
}

/** A governance agent of somebody else, over MCP on loopback TLS: its key set, its revocation list and check_governance. */
export async function putGovernanceAgent(
  web: FakeWeb,
  { host = 'governance.example', seller, clock }: GovernanceAgentOptions,
): Promise<FakeGovernanceAgent> {
  const origin = `https://${host}`
  const url = `${origin}/mcp`
  const kid = `gov-${randomUUID()}`
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid, alg: 'EdDSA', use: 'sig', key_ops: ['verify'] }
  const signer = localSigner(kid, 'ed25519', privateKey)
  const checks: FakeGovernanceAgent['checks'] = []
  let decide: Verdict = () => ({})
  let change: ((claims: GovernanceClaims) => Partial<GovernanceClaims>) | undefined

  const seconds = () => Math.floor(clock().getTime() / 1000)
  const token: FakeGovernanceAgent['token'] = (over = {}) =>
    signGovernanceToken(
      {
        iss: url,
        sub: 'plan_1',
        plan_hash: 'oR0jFDEtzcwgPbNf-Ofd_fZHYfAyD1TRbzGOFBVCG-c',
        aud: seller(),
        iat: seconds(),
        exp: seconds() + 600,
        jti: randomUUID(),
        phase: 'intent',
        caller: 'https://buyer.example/agent',
        check_id: 'chk_intent',
        status: 'approved',
        ...over,
      },
      signer,
    )
  const revoke: FakeGovernanceAgent['revoke'] = async (list) => {
    const path = `${origin}/.well-known/governance-revocations.json`
    if (!list) return web.remove(path)
    const at = (offset: number) => new Date((seconds() + offset) * 1000).toISOString()
    const document = {
      version: 1,
      issuer: origin,
      updated: at(0),
      next_update: at(900),
      revoked_kids: list.kids ?? [],
      revoked_jtis: list.jtis ?? [],
    }
    const jws = await new CompactSign(Buffer.from(JSON.stringify(document)))
      .setProtectedHeader({ alg: 'EdDSA', kid, typ: 'adcp-gov-revocation+jws' })
      .sign(privateKey)
    web.put(path, (_request, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(jws))
  }

  web.put(`${origin}/.well-known/jwks.json`, { keys: [{ ...jwk, adcp_use: 'governance-signing' }] })
  await revoke({})
  web.put(url, (request, response) => {
    void answer(request, response)
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    const reply = (result: object) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    if (method !== 'tools/call') {
      reply({ protocolVersion: '2025-03-26', capabilities: {}, serverInfo: { name: 'fake', version: '1' } })
      return
    }
    const asked: CheckGovernanceRequest = params.arguments
    checks.push({ request: asked, authorization: request.headers.authorization })
    const verdict = decide(asked)
    if (verdict === 'hang') return
    if ('raw' in verdict) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(verdict.raw)
      return
    }
    if ('adcp_error' in verdict) {
      reply({ isError: true, structuredContent: verdict, content: [] })
      return
    }
    const checkId = `chk_${randomUUID()}`
    const status: unknown = 'status' in verdict ? verdict.status : 'approved'
    if (typeof status === 'number') {
      response.writeHead(status).end()
      return
    }
    const claims = {
      phase: asked.phase === 'modification' ? 'intent' : 'purchase',
      sub: asked.plan_id,
      check_id: checkId,
    } as const
    const handle = status === 'conditions' ? ({ status } as const) : {}
    const full = { ...claims, ...handle, jti: randomUUID() }
    const base = { iss: url, aud: seller(), iat: seconds(), exp: seconds() + 600, caller: url, plan_hash: 'x', ...full }
    const governanceContext = status === 'denied' ? undefined : await token({ ...full, ...change?.(base) })
    reply({
      content: [],
      structuredContent: {
        check_id: checkId,
        status,
        plan_id: asked.plan_id,
        explanation: `it is ${String(status)}`,
        ...(status !== 'denied' && { expires_at: new Date(clock().getTime() + 600_000).toISOString() }),
        ...(governanceContext !== undefined && { governance_context: governanceContext }),
        ...verdict,
      },
    })
  }

  return {
    url,
    checks,
    kid,
    token,
    revoke,
    decide: (verdict) => {
      decide = verdict
    },
    sign: (other) => {
      change = other
    },
  }
}
