import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { compactVerify, decodeProtectedHeader, importJWK } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { revokeRights } from '../../../src/tasks/brand/decide-rights.ts'
import { BRANDS, type BrandAgent, MUSIC, START, startBrandAgent } from '../../support/brand-agent.ts'
import { contracts, LINES } from '../../support/release-agent.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are judged by assertions
type Data = any

let agent: BrandAgent
beforeAll(async () => {
  agent = await startBrandAgent({ contracts })
})
afterEach(async () => {
  agent.setClock(START)
  await agent.import(BRANDS)
})
afterAll(() => agent.stop())

const acquire = async (overrides: object = {}): Promise<Data> => (await agent.acquire({ adcp_version: '3.2', ...overrides })).data
const update = async (rights_id: string, args: object): Promise<Data> =>
  (await agent.run('update_rights', { rights_id, adcp_version: '3.2', ...args })).data

/** Checks a compact JWS by the keys that the brand.json of the holder leads to, as a seller does; gives header and claims. */
async function verified(jws: string): Promise<{ header: Data; claims: Data }> {
  const header = decodeProtectedHeader(jws)
  const jwks: Data = await (await fetch(`${new URL(agent.url).origin}/.well-known/jwks.json`)).json()
  const key = jwks.keys.find((each: Data) => each.kid === header.kid)
  expect(key).toMatchObject({ adcp_use: 'attestation-signing', use: 'sig', key_ops: ['verify'], alg: header.alg })
  const { payload } = await compactVerify(jws, await importJWK(key))
  return { header, claims: JSON.parse(Buffer.from(payload).toString()) }
}

const digestOf = ({ content_digest: _d, attestation_refs: _r, verification_url: _v, ...terms }: Data) =>
  `sha256:${createHash('sha256')
    .update(canonicalize(terms) ?? '')
    .digest('hex')}`
const credentialOf = ({ attestation_refs: [ref] }: Data) => verified(ref.embedded_credential.value)
const statusOf = async (constraint: Data) => {
  const { claims } = await credentialOf(constraint)
  const answer = await fetch(claims.credentialStatus.id)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/jwt'])
  return verified(await answer.text())
}

describe.skipIf(!LINES.includes('3.2'))('rights at 3.2', () => {
  it('come with what their holder attests: issuer, subject and digest fit the constraint, and the signature its keys', async () => {
    const { rights_id: id, rights_constraint: constraint, rights_status, ...answer } = await acquire()
    expect(rights_status).toBe('acquired')
    expect(constraint).toMatchObject({
      rights_holder: { domain: 'fable.example', brand_id: 'heron' },
      grant_status: 'active',
      restrictions: answer.restrictions,
      disclosure: answer.disclosure,
      content_digest: digestOf(constraint),
    })
    const [ref] = constraint.attestation_refs
    const issuer = { type: 'brand', brand: constraint.rights_holder }
    const subject = { namespace: constraint.rights_agent.url, id, content_digest: constraint.content_digest }
    expect(ref).toMatchObject({ issuer, claim_type: 'https://adcontextprotocol.org/claims/rights/grant', subject })
    const { header, claims } = await credentialOf(constraint)
    expect(header.typ).toBe('vc+jwt')
    expect(claims).toMatchObject({
      issuer,
      validFrom: constraint.valid_from,
      validUntil: constraint.valid_until,
      credentialSubject: {
        subject: ref.subject,
        constraint_digest: constraint.content_digest,
        rights_agent: constraint.rights_agent,
      },
    })
  })

  it('the brand.json of the house lists the agent that attests once, with its keys', async () => {
    const { rights_constraint: constraint } = await acquire()
    const file: Data = await (await fetch(`${new URL(agent.url).origin}/t/${agent.tenant}/.well-known/brand.json`)).json()
    const agents: Data[] = file.house?.agents ?? []
    // Only https addresses are published.
    if (agents.length > 0) expect(agents.filter(({ type }) => type === 'rights')).toMatchObject([constraint.rights_agent])
    const listed = await fetch(constraint.rights_agent.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })
    expect(JSON.stringify(await listed.text())).toContain('get_rights')
  })

  it('what became of them is signed: paused and resumed, replaced by other terms, revoked', async () => {
    const { rights_id: id, rights_constraint: first } = await acquire()
    const { claims } = await statusOf(first)
    expect(claims).toMatchObject({
      rights_id: id,
      constraint_digest: first.content_digest,
      grant_status: 'active',
      checked_at: '2026-03-01T12:00:00.000Z',
      valid_until: '2026-03-01T13:00:00.000Z',
    })
    expect(claims.credential_id).toBe((await credentialOf(first)).claims.credentialSubject.credential_id)
    const paused = await update(id, { paused: true })
    expect(paused).toMatchObject({ paused: true, generation_credentials: [], rights_constraint: { grant_status: 'paused' } })
    expect(paused.rights_constraint.content_digest).toBe(digestOf(paused.rights_constraint))
    for (const constraint of [first, paused.rights_constraint])
      expect((await statusOf(constraint)).claims.grant_status).toBe('paused')
    const resumed = await update(id, { paused: false })
    expect(resumed.rights_constraint.content_digest).toBe(first.content_digest)
    const longer = await update(id, { end_date: '2026-05-31' })
    expect((await statusOf(longer.rights_constraint)).claims.grant_status).toBe('active')
    expect((await statusOf(first)).claims.grant_status).toBe('revoked')
    await revokeRights(agent.server.store, agent.tenant, id, { reason: 'sold', effectiveAt: new Date(START) }, new Date(START))
    expect((await statusOf(longer.rights_constraint)).claims.grant_status).toBe('revoked')
  })

  it('a grant that a person approves is attested too, and one whose creatives they review says so', async () => {
    await agent.import({ ...BRANDS, rights: [{ ...MUSIC, clearance: { creative_review: 'manual' } }] })
    const { rights_constraint: constraint } = await acquire({
      rights_id: 'tune',
      pricing_option_id: 'year',
      campaign: { uses: ['sync'], start_date: '2026-03-10', end_date: '2026-04-20' },
    })
    expect(constraint).toMatchObject({ creative_approval_required: true, grant_status: 'active' })
    expect(constraint.content_digest).toBe(digestOf(constraint))
  })

  it('releases before know nothing of it', async () => {
    for (const adcp_version of ['3.0', '3.1']) {
      const { rights_constraint: constraint } = (await agent.acquire({ adcp_version })).data
      expect(
        Object.keys(constraint).filter((name) => /digest|attest|holder|grant_status|disclosure|restrictions/.test(name)),
      ).toEqual([])
    }
  })

  it('a status is asked for by the digest of a credential', async () => {
    const { rights_constraint: constraint } = await acquire()
    expect((await fetch(`${constraint.verification_url}/status?constraint_digest=1`)).status).toBe(400)
    const unknown = constraint.verification_url.replace(/rgt_[0-9a-f]{8}/, 'rgt_00000000')
    expect((await fetch(`${unknown}/status?constraint_digest=${constraint.content_digest}`)).status).toBe(404)
  })
})
