import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { saveTenantSettings } from '../../src/store/identity/tenants.ts'
import { a2aClient } from '../support/a2a-client.ts'
import type { TaskReply } from '../support/client.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

let agent: TestAgent
let keys: ReadonlyMap<string, string | undefined>

beforeAll(async () => {
  agent = await startAgent({ sandbox: true })
  keys = new Map([
    ['no credentials', undefined],
    ['unknown key', 'sk_unknown'],
    ['production key', agent.key],
    ['key of one scope', await agent.addBuyer({ principal: 'reader', scopes: ['adcp:products'] })],
  ])
})
afterAll(() => agent.stop())

/** All of an answer but the time, ids of requests, and the name that was asked for. */
function answerOf({ status, headers, raw }: TaskReply, name: string): object {
  const varying = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z/g
  const kept = [...headers].filter(([header]) => !['date', 'x-request-id', 'content-length'].includes(header))
  return { status, headers: kept, body: JSON.stringify(raw).replaceAll(name, '<name>').replace(varying, '<varies>') }
}

const ARGUMENTS = [{}, { scenario: 'list_scenarios' }, { scenario: 'seed_product', params: { token: 'x' } }]

describe.each(['3.0', '3.1'] as const)('signing profile %s', (signingProfile) => {
  beforeAll(() => agent.server.store.transaction((tx) => saveTenantSettings(tx, agent.tenant, { signingProfile })))

  it.each(['no credentials', 'unknown key', 'production key', 'key of one scope'])(
    'a task for the sandbox answers a caller with %s as a name that nothing has',
    async (caller) => {
      const key = keys.get(caller)
      for (const client of [agent.client(key), a2aClient(agent.url, key)]) {
        for (const args of ARGUMENTS) {
          const hidden = await client.call('comply_test_controller', args)
          const unknown = await client.call('comply_text_controller', args)
          expect(hidden.isError).toBe(true)
          expect(hidden.status).not.toBe(403)
          expect(answerOf(hidden, 'comply_test_controller')).toEqual(answerOf(unknown, 'comply_text_controller'))
        }
      }
    },
  )
})
