import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { basicVerifier } from '../../../src/security/auth/basic.ts'
import { bearerVerifier } from '../../../src/security/auth/bearer.ts'
import { hashPassword, passwordMatches } from '../../../src/security/auth/password.ts'
import type { Verifier } from '../../../src/security/auth/verifier.ts'
import type { Store } from '../../../src/store/database.ts'
import { endKey, listKeys } from '../../../src/store/identity/api-keys.ts'
import { addBasicUser, findBasicUser } from '../../../src/store/identity/basic-users.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

// Work is counted, not timed: a machine that is busy would make a clock say anything.

let agent: TestAgent
let statements = 0

beforeAll(async () => {
  agent = await startAgent()
})
afterAll(() => agent.stop())

/** The store of the agent, each of whose statements is counted. */
function counted(): Store {
  const { store } = agent.server
  const read = store.read.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      statements++
      return result
    },
  })
  return { ...store, read }
}

async function workOf(verifier: Verifier, authorization: string): Promise<{ kind: string; statements: number }> {
  const before = statements
  const verdict = await verifier.verify(
    { authorization, rawHeaders: [], method: 'POST', target: '/mcp', body: undefined, remoteAddress: undefined },
    new Date(),
  )
  return { kind: verdict.kind, statements: statements - before }
}

describe('the work that a refused credential takes', () => {
  it('is one look-up for every key, whether unknown, wrong, revoked or good', async () => {
    const gone = await agent.addBuyer({ principal: 'gone' })
    await agent.server.store.transaction(async (tx) => {
      const [key] = await listKeys(tx, 'acme', 'gone')
      await endKey(tx, 'acme', key?.key_id ?? '', { revokedAt: new Date() })
    })
    const verifier = bearerVerifier(counted(), 'https://ads.example/mcp')
    const prefix = agent.key.slice(0, 16)
    const unknown = `sk_${randomBytes(6).toString('hex')}_${randomBytes(32).toString('base64url')}`
    const wrong = prefix + randomBytes(32).toString('base64url')
    for (const token of [unknown, wrong, gone]) {
      expect(await workOf(verifier, `Bearer ${token}`), token.slice(0, 16)).toEqual({ kind: 'refused', statements: 1 })
    }
    expect(await workOf(verifier, `Bearer ${agent.key}`)).toEqual({ kind: 'verified', statements: 1 })
  })

  it('is one slow hash of the same cost for every user, whether unknown or with a wrong password', async () => {
    const cost = { N: 1024, r: 8, p: 1 }
    const passwordHash = await hashPassword('right', cost)
    const dummyHash = await hashPassword('nobody', cost)
    const hashed: string[] = []
    await agent.server.store.transaction((tx) =>
      addBasicUser(tx, { tenantId: 'acme', principalId: 'buyer', username: 'ann', passwordHash }, new Date()),
    )
    const verifier = basicVerifier({
      realm: 'https://ads.example/mcp',
      findUser: (username) => findBasicUser(agent.server.store.read, username),
      dummyHash,
      matches: (password, hash) => {
        hashed.push(hash)
        return passwordMatches(password, hash)
      },
    })
    const pair = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
    expect((await workOf(verifier, pair('ann:wrong'))).kind).toBe('refused')
    expect((await workOf(verifier, pair('bob:wrong'))).kind).toBe('refused')
    expect(hashed).toEqual([passwordHash, dummyHash])
    const parameters = (hash: string) => hash.split(/[$:]/).slice(0, -2)
    expect(parameters(dummyHash)).toEqual(parameters(passwordHash))
  })
})
